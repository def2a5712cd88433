import { asObject, asString } from "../../protocol/json.ts";

// One message of JSON-RPC 2.0 as it came. Pure.

export type RpcId = string | number;

export type ReadMessage =
  | { type: "request"; id: RpcId; method: string; params: Record<string, unknown> }
  | { type: "notification"; method: string; params: Record<string, unknown> }
  /** An answer to something; this side asks nothing. */
  | { type: "answer" }
  | { type: "invalid"; id: RpcId | null; message: string };

export function readMessage(value: unknown): ReadMessage {
  const message = asObject(value);
  if (message === undefined) return { type: "invalid", id: null, message: "A message is a JSON object." };
  const { id } = message;
  const hasId = typeof id === "string" || (typeof id === "number" && Number.isFinite(id));
  if (message.jsonrpc !== "2.0") return { type: "invalid", id: hasId ? id : null, message: 'jsonrpc must be "2.0".' };
  const method = asString(message.method);
  if (method === undefined && ("result" in message || "error" in message)) return { type: "answer" };
  if (method === undefined) return { type: "invalid", id: hasId ? id : null, message: "method must be a text." };
  const params = message.params === undefined ? {} : asObject(message.params);
  if (params === undefined) return { type: "invalid", id: hasId ? id : null, message: "params must be an object." };
  if (!("id" in message)) return { type: "notification", method, params };
  return hasId
    ? { type: "request", id, method, params }
    : { type: "invalid", id: null, message: "id must be a text or a number." };
}
