import type { JsonObject } from "../../../src/protocol/json.ts";
import type { FinishReason, Usage } from "../../../src/protocol/messages.ts";
import { callInput, type ErrorReason, type FakeAnswer, type FakePart } from "../fake-answer.ts";
import {
  encodeJsonLine,
  halves,
  type RenderContext,
  type RenderedFrame,
  type VendorError,
  type WireRenderer,
} from "./wire-renderer.ts";

export const ollamaChat: WireRenderer = {
  contentType: "application/x-ndjson",
  frames,
  whole,
  error,
  errorFrame: (reason) => ({ event: "", data: error(500, reason ?? "overloaded").body }),
  unknownFrame: { event: "", data: { x_unknown: "no", done: false } },
  encode: encodeJsonLine,
};

/** Ollama knows only these two ends; a call ends with stop. */
const DONE_REASONS: Record<FinishReason, string> = {
  stop: "stop",
  "tool-use": "stop",
  length: "length",
  refusal: "stop",
  pause: "stop",
};

function frames(answer: FakeAnswer, context: RenderContext): RenderedFrame[] {
  const calls: FakePart[] = answer.parts.filter((part) => part.type === "tool-call");
  const lines: JsonObject[] = answer.parts
    .flatMap((part) => streamedMessages(part, calls.indexOf(part)))
    .map((message) => ({ ...envelope(context), message: { role: "assistant", ...message }, done: false }));
  const last = { ...envelope(context), message: { role: "assistant", content: "" }, ...ending(answer) };
  return [...lines, last].map((data) => ({ event: "", data }));
}

function envelope(context: RenderContext): JsonObject {
  return { model: context.model, created_at: "2025-10-09T08:53:20.123456789Z" };
}

function ending(answer: FakeAnswer): JsonObject {
  return { done: true, done_reason: DONE_REASONS[answer.stopReason], ...counters(answer.usage) };
}

function counters(usage: Usage): JsonObject {
  return {
    total_duration: 5_043_500_667,
    load_duration: 5_025_959,
    prompt_eval_count: usage.input,
    prompt_eval_duration: 325_953_000,
    eval_count: usage.output,
    eval_duration: 4_709_213_000,
  };
}

function streamedMessages(part: FakePart, callIndex: number): JsonObject[] {
  switch (part.type) {
    case "text":
      return part.deltas.map((content) => ({ content }));
    case "thinking":
      return halves(part.text).map((thinking) => ({ content: "", thinking }));
    case "tool-call":
      return [{ content: "", tool_calls: [call(part, callIndex)] }];
  }
}

function call(part: Extract<FakePart, { type: "tool-call" }>, index: number): JsonObject {
  return { id: part.id, function: { index, name: part.name, arguments: callInput(part) } };
}

function whole(answer: FakeAnswer, context: RenderContext): JsonObject {
  const content = answer.parts.flatMap((part) => (part.type === "text" ? part.deltas : [])).join("");
  const thinking = answer.parts.flatMap((part) => (part.type === "thinking" ? [part.text] : [])).join("");
  const calls = answer.parts.flatMap((part) => (part.type === "tool-call" ? [part] : []));
  const message: JsonObject = { role: "assistant", content };
  if (thinking !== "") message.thinking = thinking;
  if (calls.length > 0) message.tool_calls = calls.map(call);
  return { ...envelope(context), message, ...ending(answer) };
}

const MESSAGES: Record<ErrorReason, string> = {
  "context-overflow": "the input length exceeds the context length",
  quota: "you have reached your usage limit, please upgrade to continue",
  overloaded: "server busy, please try again.  maximum pending requests exceeded",
  "rate-limit": "rate limit exceeded",
};

function error(status: number, reason?: ErrorReason): VendorError {
  const message = reason === undefined ? `the fake provider answers with status ${status}` : MESSAGES[reason];
  return { status, headers: {}, body: { error: message } };
}
