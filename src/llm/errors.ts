import { asString, at, parseJson } from "../protocol/json.ts";
import type { ModelError, ModelErrorKind } from "../protocol/model-errors.ts";
import { retryHintMs } from "./retry-hint.ts";
import type { WireProtocol } from "./wire-protocol.ts";

// What a refused request means. Providers say it with a status, a type or code, and prose; each row below is one of their habits.

export interface Refusal {
  host: string;
  status: number;
  headers: Headers;
  /** Capped and redacted by the caller. */
  body: string;
  now: number;
  /** The protocol's own reading of the body. */
  readRefusal?: WireProtocol["readRefusal"];
}

export function refusalError({ host, status, headers, body, now, readRefusal }: Refusal): ModelError {
  const json = parseJson(body);
  const { message, code } = describe(body, json);
  const own = readRefusal?.(json) ?? {};
  const kind = own.kind ?? kindOf({ status, code: code ?? headers.get("x-amzn-errortype") ?? "", message });
  const retryAfterMs = retryAfter(headers, now) ?? own.retryAfterMs ?? retryHintMs(message);
  const requestId = headers.get("request-id") ?? headers.get("x-request-id") ?? headers.get("x-amzn-requestid");
  return {
    kind,
    message: `${host} answered ${status}${explained(status, message, headers)}`,
    host,
    status,
    retryable: RETRYABLE.has(kind),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(requestId === null ? {} : { requestId }),
  };
}

function explained(status: number, message: string, headers: Headers): string {
  const target = headers.get("location");
  if (status >= 300 && status < 400) {
    return `: it points to ${target === null ? "another address" : firstLine(target)}, and redirects are not followed. Set baseUrl to the final address`;
  }
  return message === "" ? "" : `: ${message}`;
}

/** A page for people where an API was expected: a wrong path, a login page of a network, a proxy's notice. */
export function notAnApi(host: string, contentType: string): ModelError {
  const message = `${host} answered with ${contentType.split(";", 1)[0]}, not with a model's answer. Check baseUrl and the network's own login page`;
  return { kind: "bad-answer", message, host, retryable: false };
}

/** The kind an error reported inside a stream has, from its code or type and its message. */
export function reportedKind(code: string, message: string): ModelErrorKind {
  return kindOf({ status: STATUS_BY_CODE.get(code) ?? 500, code, message });
}

export function reportedError(code: string, message: string): ModelError {
  const kind = reportedKind(code, message);
  const text = firstLine(message === "" ? code : message);
  return {
    kind,
    message: text === "" ? "the provider reported an error without a message" : text,
    retryable: RETRYABLE.has(kind),
  };
}

/** The first line of what the provider said, found in any of the shapes providers use. */
function describe(body: string, json: unknown): { message: string; code?: string } {
  const first = Array.isArray(json) ? json[0] : json;
  const message =
    asString(at(first, "error", "message")) ??
    asString(at(first, "error")) ??
    asString(at(first, "message")) ??
    asString(at(first, "detail"));
  const code =
    asString(at(first, "error", "code")) ??
    asString(at(first, "error", "type")) ??
    asString(at(first, "error", "status"));
  return { message: firstLine(message ?? (json === undefined ? body : "")), ...(code === undefined ? {} : { code }) };
}

function kindOf({ status, code, message }: { status: number; code: string; message: string }): ModelErrorKind {
  const words = `${code} ${message}`.toLowerCase();
  if (status !== 401 && OVERFLOW.some((phrase) => words.includes(phrase))) return "context-overflow";
  if (QUOTA.some((phrase) => words.includes(phrase))) return "quota";
  if (status === 429) return "rate-limit";
  if (status === 401 || status === 403 || CREDENTIALS.some((phrase) => words.includes(phrase))) return "credentials";
  if (status === 402) return "quota";
  if (status === 404) return "not-found";
  if (status === 408) return "timeout";
  if (status >= 500 || status === 409 || status === 425) return "server";
  return "invalid-request";
}

/** Kinds that may go away by themselves. */
export const RETRYABLE: ReadonlySet<ModelErrorKind> = new Set<ModelErrorKind>([
  "rate-limit",
  "server",
  "network",
  "timeout",
  "stream-cut",
  "bad-answer",
]);

const OVERFLOW = [
  "context_length_exceeded",
  "context length",
  "prompt is too long",
  "input is too long",
  "maximum context",
  "exceeds the context window",
  "exceeds the maximum number of tokens",
  "too many input tokens",
  "request_too_large",
];
const QUOTA = [
  "servicequotaexceeded",
  "insufficient_quota",
  "usage_limit_reached",
  "billing",
  "credit balance",
  "insufficient balance",
];
const CREDENTIALS = ["api key not valid", "api_key_invalid", "unrecognizedclient", "invalid_api_key", "accessdenied"];

const STATUS_BY_CODE = new Map(
  Object.entries({
    authentication_error: 401,
    permission_error: 403,
    invalid_api_key: 401,
    not_found_error: 404,
    invalid_request_error: 400,
    invalid_prompt: 400,
    request_too_large: 413,
    rate_limit_error: 429,
    rate_limit_exceeded: 429,
    throttlingException: 429,
    ThrottlingException: 429,
    RESOURCE_EXHAUSTED: 429,
    validationException: 400,
    ValidationException: 400,
    accessDeniedException: 403,
    INVALID_ARGUMENT: 400,
    UNAUTHENTICATED: 401,
    PERMISSION_DENIED: 403,
    NOT_FOUND: 404,
    overloaded_error: 529,
    api_error: 500,
    server_error: 500,
  }),
);

/** How long the provider asks us to wait: `retry-after-ms`, or `Retry-After` as seconds or as a date. */
export function retryAfter(headers: Headers, now: number): number | undefined {
  const milliseconds = Number(headers.get("retry-after-ms") ?? Number.NaN);
  if (Number.isFinite(milliseconds) && milliseconds >= 0) return milliseconds;
  const value = headers.get("retry-after")?.trim();
  if (value === undefined || value === "") return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return seconds >= 0 ? seconds * 1000 : undefined;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

export function networkError(host: string, reason: unknown): ModelError {
  return { kind: "network", message: `${host} could not be reached: ${causeOf(reason)}`, host, retryable: true };
}

/** What the runtime's codes mean to a person; anything else is told in its own words. */
const CAUSES: readonly [pattern: RegExp, cause: string][] = [
  [/ECONNREFUSED|ConnectionRefused/, "nothing listens there"],
  [/ENOTFOUND|EAI_|DNS/i, "its name is unknown"],
  [/ECONNRESET|EPIPE|ConnectionClosed|SocketClosed/, "the connection was closed"],
  [/ETIMEDOUT|Timeout/, "the connection timed out"],
  [/ENETUNREACH|EHOSTUNREACH/, "there is no way to it"],
  [/Zlib|Brotli|Decompress/i, "its answer cannot be decompressed"],
  [/INVALID_CHAR|INVALID_HTTP_TOKEN/, "a header, perhaps the key, holds a character that cannot be sent"],
  [/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ISSUER/, "its certificate is not trusted"],
];

function causeOf(reason: unknown): string {
  const code = typeof reason === "object" && reason !== null && "code" in reason ? String(reason.code) : "";
  const text = reason instanceof Error ? reason.message : String(reason);
  return CAUSES.find(([pattern]) => pattern.test(code))?.[1] ?? firstLine(text);
}

export function timeoutError(host: string, waitedFor: string): ModelError {
  return { kind: "timeout", message: `${host}: ${waitedFor}`, host, retryable: true };
}

export const ABORTED: ModelError = { kind: "aborted", message: "the request was stopped", retryable: false };

const MESSAGE_LENGTH = 400;

/** Without control characters: what a provider says must not steer the terminal it is shown in. */
function firstLine(text: string): string {
  const line = (text.trim().split(/[\r\n]/, 1)[0] ?? "").replace(/[\p{Cc}\s]+/gu, " ").trim();
  return line.length > MESSAGE_LENGTH ? `${line.slice(0, MESSAGE_LENGTH)}…` : line;
}
