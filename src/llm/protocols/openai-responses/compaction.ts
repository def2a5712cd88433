import { asArray, asObject, asString, at, type JsonObject } from "../../../protocol/json.ts";
import type { ModelRequest } from "../../../protocol/model-request.ts";
import type { Model } from "../../../protocol/models.ts";
import { resolveCompat } from "../../compat.ts";
import { mergeExtraBody } from "../../extra-body.ts";
import type { WireEvent, WireRequest } from "../../wire-protocol.ts";
import { responsesError } from "./errors.ts";
import { inputItems } from "./input.ts";
import { caching, type Variant, wireTools } from "./request.ts";
import { usageEvents } from "./stream.ts";

// POST /responses/compact: a conversation goes in, and what comes out stands for it in every later request. Some of it is encrypted.

export function buildCompactionRequest(request: ModelRequest, model: Model, variant: Variant): WireRequest {
  const { base } = request.system;
  const body: JsonObject = {
    model: variant.wireModel(model),
    ...caching(request, model, { ...variant, takesCacheRetention: false }),
    ...(variant.compactsWithTools ? { tools: wireTools(request.tools, model), parallel_tool_calls: true } : {}),
    ...(base === "" ? {} : { instructions: base }),
    // What changes from request to request is no part of the conversation, so nothing of it may get into the result.
    input: inputItems({ ...request, system: { base } }, model, variant.foreignCalls),
  };
  return {
    path: `${variant.path(model.baseUrl)}/compact`,
    headers: variant.headers(request),
    body: mergeExtraBody(body, resolveCompat(model).extraBody),
  };
}

/** All items are kept as they are, also those of kinds that are not known here. */
export function readCompaction(body: unknown): WireEvent[] {
  const usage = usageEvents(at(body, "usage"));
  const error = asObject(at(body, "error"));
  if (error !== undefined) return [...usage, { type: "fail", error: responsesError(error) }];
  const output = asArray(at(body, "output"));
  const fault = faultOf(output);
  if (fault !== undefined) {
    const message = `the provider's compaction cannot be used: ${fault}`;
    return [...usage, { type: "fail", error: { kind: "bad-answer", message, retryable: false } }];
  }
  const id = asString(at(body, "id"));
  return [
    ...(id === undefined ? [] : [{ type: "response" as const, id }]),
    ...usage,
    { type: "thinking-end", part: "compaction", encrypted: JSON.stringify(output) },
    { type: "finish", reason: "stop" },
  ];
}

/** Names under which the encrypted part goes. */
const ENCRYPTED = new Set(["compaction", "compaction_summary"]);

/** Why the next request would be refused, or would have lost the conversation. */
function faultOf(output: unknown[]): string | undefined {
  const items = output.map(asObject);
  if (items.some((item) => asString(item?.type) === undefined)) return "an item of it has no type";
  const hidden = items.filter((item) => ENCRYPTED.has(asString(item?.type) ?? ""));
  if (hidden.every((item) => (asString(item?.encrypted_content) ?? "") === "")) return "nothing in it is encrypted";
  const called = idsOf(items, "function_call");
  const answered = idsOf(items, "function_call_output");
  const isWhole = called.size === answered.size && [...called].every((id) => answered.has(id));
  return isWhole ? undefined : "a call in it has no result, or a result no call";
}

function idsOf(items: (Record<string, unknown> | undefined)[], type: string): Set<string> {
  return new Set(items.flatMap((item) => (item?.type === type ? [asString(item.call_id) ?? ""] : [])));
}
