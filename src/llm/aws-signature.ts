import { createHash, createHmac } from "node:crypto";
import type { Credential } from "../protocol/models.ts";

// AWS Signature Version 4 in the Authorization header, for services that encode paths twice (all but S3).

export interface SignableRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | Uint8Array;
  service: string;
  credential: Extract<Credential, { type: "aws" }>;
  now: Date;
}

const ALGORITHM = "AWS4-HMAC-SHA256";
/** Headers the transport adds, changes or drops on its way; a signature over them would not hold. */
const UNSIGNED = new Set([
  ...["accept", "accept-encoding", "authorization", "cache-control", "connection", "content-length", "expect"],
  ...["keep-alive", "proxy-authorization", "te", "trailer", "transfer-encoding", "upgrade", "user-agent"],
]);

/** All headers of the request, signed. `host` is signed as well but left to the transport to send. */
export function signAwsRequest(request: SignableRequest): Record<string, string> {
  const { credential, service, now } = request;
  const time = now.toISOString().replace(/[:-]|\.\d{3}/g, "");
  const token = credential.sessionToken;
  const sent = {
    ...withoutAuthorization(request.headers),
    "x-amz-date": time,
    ...(token === undefined ? {} : { "x-amz-security-token": token }),
  };
  const scope = `${time.slice(0, 8)}/${credential.region}/${service}/aws4_request`;
  const { canonical, signedHeaders } = canonicalRequest(request, sent);
  const stringToSign = [ALGORITHM, time, scope, sha256(canonical)].join("\n");
  const signature = hmac(signingKey(credential.secretAccessKey, scope), stringToSign).toString("hex");
  const authorization = `${ALGORITHM} Credential=${credential.accessKeyId}/${scope}, SignedHeaders=${signedHeaders}, Signature=${signature}`;
  return { ...sent, authorization };
}

function withoutAuthorization(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== "authorization"));
}

function canonicalRequest(request: SignableRequest, sent: Record<string, string>) {
  const url = new URL(request.url);
  const headers = Object.entries({ ...sent, host: url.host })
    .map(([name, value]): [string, string] => [name.toLowerCase(), value.trim().replace(/ +/g, " ")])
    .filter(([name]) => !UNSIGNED.has(name))
    .sort(([a], [b]) => byBytes(a, b));
  const signedHeaders = headers.map(([name]) => name).join(";");
  const canonical = [
    request.method,
    canonicalPath(url.pathname),
    canonicalQuery(url.searchParams),
    ...headers.map(([name, value]) => `${name}:${value}`),
    "",
    signedHeaders,
    sha256(request.body),
  ].join("\n");
  return { canonical, signedHeaders };
}

/** The path as it is on the wire, percent-encoded once more. */
function canonicalPath(path: string): string {
  const segments = path.split("/").filter((segment) => segment !== "");
  const trailing = segments.length > 0 && path.endsWith("/") ? "/" : "";
  return `/${segments.map(percentEncode).join("/")}${trailing}`;
}

function canonicalQuery(query: URLSearchParams): string {
  return [...query]
    .map(([key, value]): [string, string] => [percentEncode(key), percentEncode(value)])
    .sort(([keyA, valueA], [keyB, valueB]) => byBytes(keyA, keyB) || byBytes(valueA, valueB))
    .map(([key, value]) => `${key}=${value}`)
    .join("&");
}

function percentEncode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
}

function signingKey(secret: string, scope: string): Buffer {
  return scope.split("/").reduce<Buffer>((key, part) => hmac(key, part), Buffer.from(`AWS4${secret}`));
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

function byBytes(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
