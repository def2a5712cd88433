import type { JsonObject } from "../../../src/protocol/json.ts";
import type { FinishReason, Usage } from "../../../src/protocol/messages.ts";
import { callInput, type ErrorReason, type FakeAnswer, type FakePart } from "../fake-answer.ts";
import { interleaveToolCalls } from "./interleave.ts";
import {
  encodeNamedEvent,
  halves,
  type RenderContext,
  type RenderedFrame,
  type VendorError,
  type WireRenderer,
} from "./wire-renderer.ts";

export const anthropicMessages: WireRenderer = {
  contentType: "text/event-stream; charset=utf-8",
  frames,
  whole,
  error,
  errorFrame: (reason) => ({ event: "error", data: error(529, reason ?? "overloaded").body }),
  unknownFrame: { event: "x_unknown", data: { type: "x_unknown", index: 0, delta: { type: "x_delta", text: "no" } } },
  encode: encodeNamedEvent,
};

const STOP_REASONS: Record<FinishReason, string> = {
  stop: "end_turn",
  "tool-use": "tool_use",
  length: "max_tokens",
  refusal: "refusal",
  pause: "pause_turn",
};

function frames(answer: FakeAnswer, context: RenderContext): RenderedFrame[] {
  const opening = { ...message(answer, context), content: [], stop_reason: null, usage: usageAtStart(answer.usage) };
  const delta = { stop_reason: STOP_REASONS[answer.stopReason], stop_sequence: null };
  return [
    frame({ type: "message_start", message: opening }),
    frame({ type: "ping" }),
    ...interleaveToolCalls(answer, blockFrames),
    frame({ type: "message_delta", delta, usage: usageAtEnd(answer.usage) }),
    frame({ type: "message_stop" }),
  ];
}

function frame(data: JsonObject & { type: string }): RenderedFrame {
  return { event: data.type, data };
}

function blockFrames(part: FakePart, index: number): RenderedFrame[] {
  const deltas = blockDeltas(part).map((delta) => frame({ type: "content_block_delta", index, delta }));
  return [
    frame({ type: "content_block_start", index, content_block: emptyBlock(part) }),
    ...deltas,
    frame({ type: "content_block_stop", index }),
  ];
}

function emptyBlock(part: FakePart): JsonObject {
  switch (part.type) {
    case "text":
      return { type: "text", text: "" };
    case "tool-call":
      return { type: "tool_use", id: part.id, name: part.name, input: {} };
    case "thinking":
      return part.encrypted === undefined
        ? { type: "thinking", thinking: "", signature: "" }
        : { type: "redacted_thinking", data: part.encrypted };
  }
}

function blockDeltas(part: FakePart): JsonObject[] {
  switch (part.type) {
    case "text":
      return part.deltas.map((text) => ({ type: "text_delta", text }));
    case "tool-call":
      return ["", ...part.deltas].map((partial_json) => ({ type: "input_json_delta", partial_json }));
    case "thinking":
      return part.encrypted === undefined ? thinkingDeltas(part.text, part.signature) : [];
  }
}

function thinkingDeltas(text: string, signature: string | undefined): JsonObject[] {
  const deltas: JsonObject[] = halves(text).map((thinking) => ({ type: "thinking_delta", thinking }));
  return signature === undefined ? deltas : [...deltas, { type: "signature_delta", signature }];
}

function whole(answer: FakeAnswer, context: RenderContext): JsonObject {
  const { stopReason, usage } = answer;
  return {
    ...message(answer, context),
    stop_reason: STOP_REASONS[stopReason],
    usage: { ...usageAtStart(usage), ...usageAtEnd(usage) },
  };
}

function message(answer: FakeAnswer, context: RenderContext): JsonObject {
  return {
    id: `msg_${context.serial}`,
    type: "message",
    role: "assistant",
    model: context.model,
    content: answer.parts.map(block),
    stop_sequence: null,
  };
}

function block(part: FakePart): JsonObject {
  const empty = emptyBlock(part);
  switch (part.type) {
    case "text":
      return { ...empty, text: part.deltas.join("") };
    case "tool-call":
      return { ...empty, input: callInput(part) };
    case "thinking":
      return part.encrypted === undefined ? { ...empty, thinking: part.text, signature: part.signature ?? "" } : empty;
  }
}

function usageAtStart(usage: Usage): JsonObject {
  const long = usage.cacheWriteLong ?? 0;
  return {
    input_tokens: usage.input,
    cache_creation_input_tokens: usage.cacheWrite,
    cache_read_input_tokens: usage.cacheRead,
    cache_creation: { ephemeral_5m_input_tokens: usage.cacheWrite - long, ephemeral_1h_input_tokens: long },
    output_tokens: 1,
    service_tier: "standard",
  };
}

function usageAtEnd(usage: Usage): JsonObject {
  return {
    input_tokens: usage.input,
    cache_creation_input_tokens: usage.cacheWrite,
    cache_read_input_tokens: usage.cacheRead,
    output_tokens: usage.output,
  };
}

const ERROR_TYPES: Record<number, string> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  500: "api_error",
  529: "overloaded_error",
};

const MESSAGES: Record<ErrorReason, string> = {
  "context-overflow": "prompt is too long: 210404 tokens > 200000 maximum",
  quota: "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade.",
  overloaded: "Overloaded",
  "rate-limit": "This request would exceed your account's rate limit. Please try again later.",
};

function error(status: number, reason?: ErrorReason): VendorError {
  const type = reason === "rate-limit" ? "rate_limit_error" : (ERROR_TYPES[status] ?? "api_error");
  const message = reason === undefined ? `The fake provider answers with status ${status}` : MESSAGES[reason];
  const request_id = "req_011fake";
  return {
    status,
    headers: { "request-id": request_id },
    body: { type: "error", error: { type, message }, request_id },
  };
}
