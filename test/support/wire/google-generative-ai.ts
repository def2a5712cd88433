import type { JsonObject } from "../../../src/protocol/json.ts";
import type { FinishReason, Usage } from "../../../src/protocol/messages.ts";
import { callInput, type ErrorReason, type FakeAnswer, type FakePart } from "../fake-answer.ts";
import {
  encodeDataEventWithCarriageReturns,
  halves,
  type RenderContext,
  type RenderedFrame,
  type VendorError,
  type WireRenderer,
} from "./wire-renderer.ts";

export const googleGenerativeAi: WireRenderer = {
  contentType: "text/event-stream",
  frames,
  whole,
  error,
  errorFrame: (reason = "overloaded") => ({ event: "", data: error(REASON_STATUSES[reason], reason).body }),
  unknownFrame: { event: "", data: { xUnknown: { text: "no" } } },
  encode: encodeDataEventWithCarriageReturns,
};

/** A call ends an answer with STOP as well; Google has no word of its own for it. */
const FINISH_REASONS: Record<FinishReason, string> = {
  stop: "STOP",
  "tool-use": "STOP",
  length: "MAX_TOKENS",
  refusal: "SAFETY",
  pause: "STOP",
};

function frames(answer: FakeAnswer, context: RenderContext): RenderedFrame[] {
  const pieces = answer.parts.flatMap(streamedParts);
  const last = pieces.pop() ?? { text: "" };
  const running = { promptTokenCount: promptTokens(answer.usage), totalTokenCount: promptTokens(answer.usage) };
  return [
    ...pieces.map((part) => ({ content: { parts: [part], role: "model" }, index: 0 })),
    { content: { parts: [last], role: "model" }, finishReason: FINISH_REASONS[answer.stopReason], index: 0 },
  ].map((candidate, position) => ({
    event: "",
    data: body(candidate, position === pieces.length ? usageOf(answer.usage) : running, context),
  }));
}

function body(candidate: JsonObject, usageMetadata: JsonObject, context: RenderContext): JsonObject {
  return {
    candidates: [candidate],
    usageMetadata,
    modelVersion: context.model,
    responseId: `google_${context.serial}`,
  };
}

/** Calls come whole; a signature comes with the last piece of its part. */
function streamedParts(part: FakePart): JsonObject[] {
  if (part.type === "tool-call") return [callPart(part)];
  const pieces: JsonObject[] =
    part.type === "text"
      ? part.deltas.map((text) => ({ text }))
      : halves(part.text).map((text) => ({ text, thought: true }));
  const last = pieces.pop();
  return last === undefined ? [] : [...pieces, { ...last, ...thoughtSignature(part) }];
}

function callPart(part: Extract<FakePart, { type: "tool-call" }>): JsonObject {
  return { functionCall: { id: part.id, name: part.name, args: callInput(part) }, ...thoughtSignature(part) };
}

function thoughtSignature(part: { signature?: string }): JsonObject {
  return part.signature === undefined ? {} : { thoughtSignature: part.signature };
}

function whole(answer: FakeAnswer, context: RenderContext): JsonObject {
  const parts = answer.parts.map((part): JsonObject => {
    if (part.type === "tool-call") return callPart(part);
    if (part.type === "text") return { text: part.deltas.join(""), ...thoughtSignature(part) };
    return { text: part.text, thought: true, ...thoughtSignature(part) };
  });
  const candidate = {
    content: { parts, role: "model" },
    finishReason: FINISH_REASONS[answer.stopReason],
    index: 0,
  };
  return body(candidate, usageOf(answer.usage), context);
}

function promptTokens(usage: Usage): number {
  return usage.input + usage.cacheRead + usage.cacheWrite;
}

function usageOf(usage: Usage): JsonObject {
  const thoughtsTokenCount = usage.reasoning ?? 0;
  return {
    promptTokenCount: promptTokens(usage),
    candidatesTokenCount: usage.output - thoughtsTokenCount,
    totalTokenCount: promptTokens(usage) + usage.output,
    cachedContentTokenCount: usage.cacheRead,
    promptTokensDetails: [{ modality: "TEXT", tokenCount: promptTokens(usage) }],
    thoughtsTokenCount,
  };
}

const STATUS_NAMES: Record<number, string> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
};

/** Inside a stream the status comes with the reason. */
const REASON_STATUSES: Record<ErrorReason, number> = {
  "context-overflow": 400,
  quota: 429,
  overloaded: 503,
  "rate-limit": 429,
};

const MESSAGES: Record<ErrorReason, string> = {
  "context-overflow": "The input token count (1200001) exceeds the maximum number of tokens allowed (1048576).",
  quota: "You exceeded your current quota, please check your plan and billing details.",
  overloaded: "The model is overloaded. Please try again later.",
  "rate-limit": "Resource has been exhausted (e.g. check quota).",
};

/** Google sends no Retry-After header. */
const RETRY_INFO = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.5s" };

function error(status: number, reason?: ErrorReason): VendorError {
  const message = reason === undefined ? `The fake provider answers with status ${status}` : MESSAGES[reason];
  const statusName = STATUS_NAMES[status] ?? "UNKNOWN";
  const details = status === 429 ? { details: [RETRY_INFO] } : {};
  return { status, headers: {}, body: { error: { code: status, message, status: statusName, ...details } } };
}
