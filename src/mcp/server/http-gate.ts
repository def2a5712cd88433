import { createHash, timingSafeEqual } from "node:crypto";
import type { Refused } from "./http-session.ts";

// Who may speak to the server at all. A page in a browser can reach a loopback address, and a name in the hands of its author can
// be made to mean one: so the name a request was sent to counts, the page it comes from, and a token no page knows.

export interface HttpGate {
  /** The name or address the server was told to listen at. */
  host: string;
  token: string;
}

/** Undefined for a request that may pass. */
export function refusedAtGate(headers: Headers, gate: HttpGate): Refused | undefined {
  const host = headers.get("host") ?? "";
  if (!isOurName(host, gate.host))
    return { status: 403, message: "The Host header names another server than this one." };
  const origin = headers.get("origin");
  if (origin !== null && origin !== `http://${host}`)
    return { status: 403, message: "Pages of other places may not speak to this server (Origin)." };
  const [, given] = /^bearer +([^\s]+)$/i.exec(headers.get("authorization") ?? "") ?? [];
  if (given === undefined) return { status: 401, message: "A token is needed: Authorization: Bearer TOKEN." };
  return isSame(given, gate.token) ? undefined : { status: 401, message: "The token is another one." };
}

/** Addresses cannot be made to mean something else; of names only `localhost` and the one of the server are its own. */
function isOurName(host: string, own: string): boolean {
  const [, name = ""] = /^(\[[0-9a-f:.]+\]|[^:[\]/@\s]+)(?::\d{1,5})?$/i.exec(host) ?? [];
  const lower = name.toLowerCase();
  return lower.startsWith("[") || ADDRESS.test(lower) || lower === "localhost" || lower === own.toLowerCase();
}

const ADDRESS = /^\d{1,3}(\.\d{1,3}){3}$/;

/** Takes the same time whatever is different. */
function isSame(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
