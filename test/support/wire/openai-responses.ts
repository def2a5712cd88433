import type { JsonObject } from "../../../src/protocol/json.ts";
import type { FinishReason, Usage } from "../../../src/protocol/messages.ts";
import type { ErrorReason, FakeAnswer, FakePart } from "../fake-answer.ts";
import { interleaveToolCalls } from "./interleave.ts";
import { openAiError } from "./openai-errors.ts";
import {
  encodeNamedEvent,
  halves,
  type RenderContext,
  type RenderedFrame,
  type WireRenderer,
} from "./wire-renderer.ts";

export const openAiResponses: WireRenderer = {
  contentType: "text/event-stream; charset=utf-8",
  frames,
  whole: (answer, context) => response(answer, context, endStatus(answer.stopReason)),
  error: openAiError,
  errorFrame,
  unknownFrame: { event: "response.x_unknown", data: { type: "response.x_unknown", output_index: 0, delta: "no" } },
  encode: encodeNamedEvent,
};

type Data = JsonObject & { type: string };
type Status = "in_progress" | "completed" | "incomplete";

const INCOMPLETE: Partial<Record<FinishReason, string>> = { length: "max_output_tokens", refusal: "content_filter" };

function endStatus(stopReason: FinishReason): Status {
  return INCOMPLETE[stopReason] === undefined ? "completed" : "incomplete";
}

function frames(answer: FakeAnswer, context: RenderContext): RenderedFrame[] {
  const opening = response({ ...answer, parts: [] }, context, "in_progress");
  const status = endStatus(answer.stopReason);
  const data: Data[] = [
    { type: "response.created", response: opening },
    { type: "response.in_progress", response: opening },
    ...interleaveToolCalls(answer, (part, index) => itemEvents(part, index, answer)),
    { type: `response.${status}`, response: response(answer, context, status) },
  ];
  return data.map((event, sequence_number) => ({ event: event.type, data: { ...event, sequence_number } }));
}

function itemEvents(part: FakePart, output_index: number, answer: FakeAnswer): Data[] {
  const place = { item_id: itemId(part, output_index), output_index };
  return [
    { type: "response.output_item.added", output_index, item: item(part, output_index, "in_progress") },
    ...contentEvents(part, place),
    {
      type: "response.output_item.done",
      output_index,
      item: item(part, output_index, itemStatus(answer, output_index)),
    },
  ];
}

function contentEvents(part: FakePart, place: JsonObject): Data[] {
  switch (part.type) {
    case "thinking":
      return part.text === "" ? [] : summaryEvents(part.text, { ...place, summary_index: 0 });
    case "text":
      return textEvents(part.deltas, { ...place, content_index: 0 });
    case "tool-call":
      return [
        ...part.deltas.map((delta) => ({ type: "response.function_call_arguments.delta", ...place, delta })),
        { type: "response.function_call_arguments.done", ...place, arguments: part.deltas.join("") },
      ];
  }
}

function summaryEvents(text: string, place: JsonObject): Data[] {
  const type = "response.reasoning_summary_text.delta";
  return [
    { type: "response.reasoning_summary_part.added", ...place, part: { type: "summary_text", text: "" } },
    ...halves(text).map((delta) => ({ type, ...place, delta, obfuscation: "f4k3" })),
    { type: "response.reasoning_summary_text.done", ...place, text },
    { type: "response.reasoning_summary_part.done", ...place, part: { type: "summary_text", text } },
  ];
}

function textEvents(deltas: string[], place: JsonObject): Data[] {
  const text = deltas.join("");
  return [
    { type: "response.content_part.added", ...place, part: outputText("") },
    ...deltas.map((delta) => ({
      type: "response.output_text.delta",
      ...place,
      delta,
      logprobs: [],
      obfuscation: "f4k3",
    })),
    { type: "response.output_text.done", ...place, text, logprobs: [] },
    { type: "response.content_part.done", ...place, part: outputText(text) },
  ];
}

function outputText(text: string): JsonObject {
  return { type: "output_text", annotations: [], logprobs: [], text };
}

function itemId(part: FakePart, index: number): string {
  const prefix = { thinking: "rs", text: "msg", "tool-call": "fc" }[part.type];
  return `${prefix}_${index + 1}`;
}

/** Only the item in which the answer broke off is incomplete. */
function itemStatus(answer: FakeAnswer, index: number): Status {
  return index === answer.parts.length - 1 ? endStatus(answer.stopReason) : "completed";
}

function item(part: FakePart, index: number, status: Status): JsonObject {
  const id = itemId(part, index);
  const open = status === "in_progress";
  switch (part.type) {
    case "thinking":
      return {
        id,
        type: "reasoning",
        ...encryptedContent(part),
        summary: open || part.text === "" ? [] : summary(part),
      };
    case "text":
      return {
        id,
        type: "message",
        status,
        role: "assistant",
        content: open ? [] : [outputText(part.deltas.join(""))],
      };
    case "tool-call": {
      const text = open ? "" : part.deltas.join("");
      return { id, type: "function_call", status, arguments: text, call_id: part.id, name: part.name };
    }
  }
}

function summary(part: { text: string }): JsonObject[] {
  return [{ type: "summary_text", text: part.text }];
}

function encryptedContent(part: Extract<FakePart, { type: "thinking" }>): JsonObject {
  const encrypted_content = part.encrypted ?? part.signature;
  return encrypted_content === undefined ? {} : { encrypted_content };
}

function response(answer: FakeAnswer, context: RenderContext, status: Status): JsonObject {
  const reason = INCOMPLETE[answer.stopReason];
  return {
    id: `resp_${context.serial}`,
    object: "response",
    created_at: 1_760_000_000,
    status,
    background: false,
    error: null,
    incomplete_details: status === "incomplete" && reason !== undefined ? { reason } : null,
    instructions: null,
    max_output_tokens: null,
    metadata: {},
    model: context.model,
    output: answer.parts.map((part, index) => item(part, index, itemStatus(answer, index))),
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: "medium", summary: "detailed" },
    service_tier: "default",
    store: false,
    temperature: 1,
    text: { format: { type: "text" }, verbosity: "medium" },
    tool_choice: "auto",
    tools: [],
    top_p: 1,
    truncation: "disabled",
    usage: status === "in_progress" ? null : usageOf(answer.usage),
    user: null,
  };
}

export function usageOf(usage: Usage): JsonObject {
  const input_tokens = usage.input + usage.cacheRead + usage.cacheWrite;
  return {
    input_tokens,
    input_tokens_details: { cached_tokens: usage.cacheRead },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
    total_tokens: input_tokens + usage.output,
  };
}

function errorFrame(reason?: ErrorReason): RenderedFrame {
  const { error } = openAiError(500, reason ?? "overloaded").body;
  const failed = { id: "resp_failed", object: "response", status: "failed", error: error ?? null, output: [] };
  return { event: "response.failed", data: { type: "response.failed", sequence_number: 9, response: failed } };
}
