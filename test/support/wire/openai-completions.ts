import type { JsonObject } from "../../../src/protocol/json.ts";
import type { FinishReason, Usage } from "../../../src/protocol/messages.ts";
import type { ErrorReason, FakeAnswer, FakePart } from "../fake-answer.ts";
import { interleaveToolCalls } from "./interleave.ts";
import { openAiError } from "./openai-errors.ts";
import { encodeDataEvent, halves, type RenderContext, type RenderedFrame, type WireRenderer } from "./wire-renderer.ts";

export const openAiCompletions: WireRenderer = {
  contentType: "text/event-stream; charset=utf-8",
  frames,
  whole,
  error: openAiError,
  errorFrame,
  unknownFrame: { event: "", data: { object: "x.unknown", choices: [] } },
  encode: encodeDataEvent,
};

const FINISH_REASONS: Record<FinishReason, string> = {
  stop: "stop",
  "tool-use": "tool_calls",
  length: "length",
  refusal: "content_filter",
  pause: "stop",
};

function frames(answer: FakeAnswer, context: RenderContext): RenderedFrame[] {
  const usageField: JsonObject = context.includeUsage ? { usage: null } : {};
  const chunk = (delta: JsonObject, finish_reason: string | null = null): RenderedFrame => ({
    event: "",
    data: {
      ...envelope("chat.completion.chunk", context),
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
      ...usageField,
    },
  });
  const usage = { ...envelope("chat.completion.chunk", context), choices: [], usage: usageOf(answer.usage) };
  const calls = answer.parts.filter((part) => part.type === "tool-call");
  return [
    chunk({ role: "assistant", content: "", refusal: null }),
    ...interleaveToolCalls(answer, (part) => partDeltas(part, calls).map((delta) => chunk(delta))),
    chunk({}, FINISH_REASONS[answer.stopReason]),
    ...(context.includeUsage ? [{ event: "", data: usage }] : []),
    { event: "", data: "[DONE]" },
  ];
}

function envelope(object: string, context: RenderContext): JsonObject {
  return {
    id: `chatcmpl-${context.serial}`,
    object,
    created: 1_760_000_000,
    model: context.model,
    service_tier: "default",
    system_fingerprint: "fp_fake",
  };
}

function partDeltas(part: FakePart, calls: FakePart[]): JsonObject[] {
  switch (part.type) {
    case "text":
      return part.deltas.map((content) => ({ content }));
    case "thinking":
      return halves(part.text).map((reasoning_content) => ({ reasoning_content }));
    case "tool-call":
      return callDeltas(part, calls.indexOf(part));
  }
}

function callDeltas(part: Extract<FakePart, { type: "tool-call" }>, index: number): JsonObject[] {
  const opening = { index, id: part.id, type: "function", function: { name: part.name, arguments: "" } };
  const deltas: JsonObject[] = part.deltas.map((piece) => ({ index, function: { arguments: piece } }));
  return [opening, ...deltas].map((call) => ({ tool_calls: [call] }));
}

function whole(answer: FakeAnswer, context: RenderContext): JsonObject {
  const message: JsonObject = { role: "assistant", content: textOf(answer, "text"), refusal: null, annotations: [] };
  const reasoning = textOf(answer, "thinking");
  if (reasoning !== null) message.reasoning_content = reasoning;
  const calls = answer.parts.flatMap((part): JsonObject[] =>
    part.type === "tool-call"
      ? [{ id: part.id, type: "function", function: { name: part.name, arguments: part.deltas.join("") } }]
      : [],
  );
  if (calls.length > 0) message.tool_calls = calls;
  return {
    ...envelope("chat.completion", context),
    choices: [{ index: 0, message, logprobs: null, finish_reason: FINISH_REASONS[answer.stopReason] }],
    usage: usageOf(answer.usage),
  };
}

function textOf(answer: FakeAnswer, type: "text" | "thinking"): string | null {
  const texts = answer.parts.flatMap((part) => {
    if (part.type !== type) return [];
    return [part.type === "text" ? part.deltas.join("") : part.text];
  });
  return texts.length === 0 ? null : texts.join("");
}

function usageOf(usage: Usage): JsonObject {
  const prompt_tokens = usage.input + usage.cacheRead + usage.cacheWrite;
  return {
    prompt_tokens,
    completion_tokens: usage.output,
    total_tokens: prompt_tokens + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cacheRead, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoning ?? 0,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

function errorFrame(reason?: ErrorReason): RenderedFrame {
  return { event: "", data: openAiError(503, reason ?? "overloaded").body };
}
