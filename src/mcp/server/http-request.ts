import { parseStrictJson } from "../../rpc/strict-json.ts";
import { ERROR, PROTOCOL_VERSIONS } from "./mcp-session.ts";
import { type ReadMessage, readMessage } from "./read-message.ts";

// What a request of HTTP says, before it is known whose it is. Pure.

export interface BadRequest {
  status: number;
  code: number;
  message: string;
}

export type ReadBody =
  | { ok: true; messages: readonly ReadMessage[]; isBatch: boolean }
  | { ok: false; problem: BadRequest };

/** One message, or several where a client of 2025-03-26 sends them together. */
export function readBody(bytes: Uint8Array): ReadBody {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return bad(ERROR.parse, "The body is no text in UTF-8.");
  }
  const read = parseStrictJson(text);
  if (!read.ok) return bad(ERROR.parse, read.message.replace("The line", "The body"));
  if (Array.isArray(read.value) && read.value.length > 0)
    return { ok: true, messages: read.value.map(readMessage), isBatch: true };
  const message = readMessage(read.value);
  if (message.type === "invalid") return bad(ERROR.invalidRequest, message.message);
  return { ok: true, messages: [message], isBatch: false };
}

function bad(code: number, message: string): ReadBody {
  return { ok: false, problem: { status: 400, code, message } };
}

/** Undefined where the version is one of ours or not said. */
export function versionProblem(headers: Headers): string | undefined {
  const said = headers.get("mcp-protocol-version");
  if (said === null || PROTOCOL_VERSIONS.some((known) => known === said)) return undefined;
  return `MCP-Protocol-Version is ${JSON.stringify(said.slice(0, 40))}; this server speaks ${PROTOCOL_VERSIONS.join(", ")}.`;
}

export interface Accepted {
  json: boolean;
  events: boolean;
}

/** A client that says nothing takes anything. */
export function accepted(headers: Headers): Accepted {
  const ranges = (headers.get("accept") ?? "*/*").split(",").map((range) => {
    const [type = ""] = range.split(";");
    return type.trim().toLowerCase();
  });
  const takes = (...types: string[]) => ranges.some((range) => types.includes(range));
  return {
    json: takes("*/*", "application/*", "application/json"),
    events: takes("*/*", "text/*", "text/event-stream"),
  };
}

export function isJson(headers: Headers): boolean {
  const [type = ""] = (headers.get("content-type") ?? "").split(";");
  return type.trim().toLowerCase() === "application/json";
}
