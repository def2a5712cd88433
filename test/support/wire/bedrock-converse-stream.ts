import type { JsonObject } from "../../../src/protocol/json.ts";
import type { FinishReason, Usage } from "../../../src/protocol/messages.ts";
import { callInput, type ErrorReason, type FakeAnswer, type FakePart } from "../fake-answer.ts";
import { interleaveToolCalls } from "./interleave.ts";
import { encodeAwsFrame, halves, type RenderedFrame, type VendorError, type WireRenderer } from "./wire-renderer.ts";

export const bedrockConverseStream: WireRenderer = {
  contentType: "application/vnd.amazon.eventstream",
  frames,
  whole,
  error,
  errorFrame,
  unknownFrame: { event: "xUnknown", data: { contentBlockIndex: 0, delta: { xDelta: "no" }, p: "ab" } },
  encode: encodeAwsFrame,
};

const STOP_REASONS: Record<FinishReason, string> = {
  stop: "end_turn",
  "tool-use": "tool_use",
  length: "max_tokens",
  refusal: "content_filtered",
  pause: "end_turn",
};

function frames(answer: FakeAnswer): RenderedFrame[] {
  return [
    frame("messageStart", { role: "assistant" }),
    ...interleaveToolCalls(answer, blockFrames),
    frame("messageStop", { stopReason: STOP_REASONS[answer.stopReason] }),
    frame("metadata", { usage: usageOf(answer.usage), metrics: { latencyMs: 412 } }),
  ];
}

/** `p` is the padding the real service adds to hide the size of its events. */
function frame(event: string, data: JsonObject): RenderedFrame {
  return { event, data: { ...data, p: "abcdefghij" } };
}

/** Only tool calls have a start event of their own. */
function blockFrames(part: FakePart, contentBlockIndex: number): RenderedFrame[] {
  const start =
    part.type === "tool-call"
      ? [frame("contentBlockStart", { contentBlockIndex, start: { toolUse: { toolUseId: part.id, name: part.name } } })]
      : [];
  return [
    ...start,
    ...blockDeltas(part).map((delta) => frame("contentBlockDelta", { contentBlockIndex, delta })),
    frame("contentBlockStop", { contentBlockIndex }),
  ];
}

function blockDeltas(part: FakePart): JsonObject[] {
  switch (part.type) {
    case "text":
      return part.deltas.map((text) => ({ text }));
    case "tool-call":
      return part.deltas.map((input) => ({ toolUse: { input } }));
    case "thinking":
      return reasoningDeltas(part).map((reasoningContent) => ({ reasoningContent }));
  }
}

function reasoningDeltas(part: Extract<FakePart, { type: "thinking" }>): JsonObject[] {
  if (part.encrypted !== undefined) return [{ redactedContent: part.encrypted }];
  const deltas: JsonObject[] = halves(part.text).map((text) => ({ text }));
  return part.signature === undefined ? deltas : [...deltas, { signature: part.signature }];
}

function whole(answer: FakeAnswer): JsonObject {
  return {
    metrics: { latencyMs: 412 },
    output: { message: { content: answer.parts.map(block), role: "assistant" } },
    stopReason: STOP_REASONS[answer.stopReason],
    usage: usageOf(answer.usage),
  };
}

function block(part: FakePart): JsonObject {
  switch (part.type) {
    case "text":
      return { text: part.deltas.join("") };
    case "tool-call":
      return { toolUse: { toolUseId: part.id, name: part.name, input: callInput(part) } };
    case "thinking": {
      if (part.encrypted !== undefined) return { reasoningContent: { redactedContent: part.encrypted } };
      const signature: JsonObject = part.signature === undefined ? {} : { signature: part.signature };
      return { reasoningContent: { reasoningText: { text: part.text, ...signature } } };
    }
  }
}

function usageOf(usage: Usage): JsonObject {
  return {
    inputTokens: usage.input,
    outputTokens: usage.output,
    totalTokens: usage.input + usage.output + usage.cacheRead + usage.cacheWrite,
    cacheReadInputTokens: usage.cacheRead,
    cacheWriteInputTokens: usage.cacheWrite,
  };
}

const EXCEPTIONS: Record<number, string> = {
  400: "ValidationException",
  401: "UnrecognizedClientException",
  403: "AccessDeniedException",
  404: "ResourceNotFoundException",
  408: "ModelTimeoutException",
  424: "ModelErrorException",
  429: "ThrottlingException",
  500: "InternalServerException",
  503: "ServiceUnavailableException",
};

const REASONS: Record<ErrorReason, { exception: string; message: string }> = {
  "context-overflow": {
    exception: "ValidationException",
    message: "The model returned the following errors: Input is too long for requested model.",
  },
  quota: { exception: "ServiceQuotaExceededException", message: "Your request exceeds the service quota." },
  overloaded: { exception: "ServiceUnavailableException", message: "Bedrock is unable to process your request." },
  "rate-limit": { exception: "ThrottlingException", message: "Too many tokens, please wait before trying again." },
};

function error(status: number, reason?: ErrorReason): VendorError {
  const known = reason === undefined ? undefined : REASONS[reason];
  const exception = known?.exception ?? EXCEPTIONS[status] ?? "UnknownException";
  return {
    status,
    headers: {
      "x-amzn-errortype": `${exception}:http://internal.amazon.com/coral/com.amazon.bedrock/`,
      "x-amzn-requestid": "req-fake",
    },
    body: { message: known?.message ?? `The fake provider answers with status ${status}` },
  };
}

/** Inside a stream the exception's name begins with a small letter. */
function errorFrame(reason: ErrorReason = "overloaded"): RenderedFrame {
  const { exception, message } = REASONS[reason];
  const event = exception.charAt(0).toLowerCase() + exception.slice(1);
  return { event, data: { message }, message: "exception" };
}
