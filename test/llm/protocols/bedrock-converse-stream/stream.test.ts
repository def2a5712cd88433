import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { bedrockConverseStream } from "../../../../src/llm/protocols/bedrock-converse-stream.ts";
import { createAnswerReader } from "../../../../src/llm/read-answer.ts";
import type { Frame, WireEvent } from "../../../../src/llm/wire-protocol.ts";
import type { JsonObject } from "../../../../src/protocol/json.ts";
import type { FinishReason } from "../../../../src/protocol/messages.ts";
import { encodeAwsEvent } from "../../../support/aws-event-stream-encoder.ts";
import { bedrockModel } from "../../../support/claude-requests.ts";

const FIXTURES = join(import.meta.dir, "../../../fixtures/wire/bedrock-converse-stream");
const SIGNATURE = "EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pkiMOYds";

interface RecordedEvent {
  headers: Record<string, string>;
  payload: JsonObject;
}

function recorded(name: string): RecordedEvent[] {
  return JSON.parse(readFileSync(join(FIXTURES, `${name}.json`), "utf8"));
}

function stepAll(frames: Frame[]): WireEvent[] {
  let state = bedrockConverseStream.start();
  return frames.flatMap((frame) => {
    const next = bedrockConverseStream.step(state, frame);
    state = next.state;
    return next.events;
  });
}

function streamEvents(name: string): WireEvent[] {
  return stepAll(
    recorded(name).map(({ headers, payload }) => ({ event: headers[":event-type"] ?? "", data: payload })),
  );
}

function streamedEnd(events: RecordedEvent[]) {
  const reader = createAnswerReader(bedrockConverseStream, { model: bedrockModel(), tools: [], emit: () => {} });
  reader.push(Buffer.concat(events.map(({ headers, payload }) => encodeAwsEvent(headers, JSON.stringify(payload)))));
  return reader.end();
}

function wholeEnd(name: string) {
  const reader = createAnswerReader(bedrockConverseStream, { model: bedrockModel(), tools: [], emit: () => {} });
  reader.pushWhole(readFileSync(join(FIXTURES, `${name}.whole.json`), "utf8"));
  return reader.end();
}

test("a text is streamed as it comes, though no event announces it", () => {
  expect(streamEvents("text")).toEqual([
    { type: "text-delta", part: "0", text: "Grüße" },
    { type: "text-delta", part: "0", text: ", Welt" },
    { type: "text-delta", part: "0", text: "! 👋" },
    { type: "text-end", part: "0" },
    { type: "usage", usage: { input: 14, output: 12, cacheRead: 0, cacheWrite: 0 } },
    { type: "finish", reason: "stop" },
  ]);
});

test("thinking, hidden thinking, text and calls come as parts of their own", () => {
  expect(streamEvents("thinking-and-tools")).toEqual([
    { type: "thinking-delta", part: "0", text: "The user wants both files." },
    { type: "thinking-delta", part: "0", text: " I can read them at the same time." },
    { type: "thinking-end", part: "0", signature: SIGNATURE },
    { type: "thinking-end", part: "1", encrypted: "cmVkYWN0ZWQtYnl0ZXM=" },
    { type: "text-delta", part: "2", text: "I'll read" },
    { type: "text-delta", part: "2", text: " both files." },
    { type: "text-end", part: "2" },
    { type: "tool-call-start", part: "3", id: "tooluse_1OLeTpXNTIWSgVmtC9BQYw", name: "read" },
    { type: "tool-call-delta", part: "3", text: '{"path": "src/ma' },
    { type: "tool-call-delta", part: "3", text: 'in.ts", "limit": 40}' },
    { type: "tool-call-end", part: "3" },
    { type: "tool-call-start", part: "4", id: "tooluse_kZJMlvQmRJ6eAyJE5GIl7Q", name: "list_tasks" },
    { type: "tool-call-end", part: "4" },
    { type: "usage", usage: { input: 9, output: 188, cacheRead: 18_422, cacheWrite: 1202, cacheWriteLong: 1100 } },
    { type: "finish", reason: "tool-use" },
  ]);
});

test.each(["text", "thinking-and-tools"])("%s: the whole answer gives the same message as the streamed one", (name) => {
  expect(wholeEnd(name)).toEqual(streamedEnd(recorded(name)));
  expect(wholeEnd(name).type).toBe("done");
});

describe("the end of a stream", () => {
  const stop: Frame = { event: "messageStop", data: { stopReason: "end_turn" } };
  const metadata: Frame = { event: "metadata", data: { usage: { inputTokens: 1 } } };
  const finish: WireEvent = { type: "finish", reason: "stop" };
  const usage: WireEvent = { type: "usage", usage: { input: 1 } };

  test("needs the stop and the counts, in whatever order", () => {
    expect(stepAll([stop, metadata])).toEqual([usage, finish]);
    expect(stepAll([metadata, stop])).toEqual([usage, finish]);
  });

  test("without counts was cut", () => {
    expect(streamedEnd(recorded("text").slice(0, -1))).toMatchObject({ type: "error", error: { kind: "stream-cut" } });
  });
});

test("an exception in the middle of the stream ends it", () => {
  expect(streamedEnd(recorded("throttled"))).toMatchObject({
    type: "error",
    error: { kind: "rate-limit", message: "Too many tokens, please wait before trying again.", retryable: true },
    partial: { content: [{ type: "text", text: "Half an ans" }] },
  });
});

test.each([
  ["throttlingException", "Too many requests", "rate-limit", true],
  ["modelStreamErrorException", "The model failed", "server", true],
  ["internalServerException", "Internal error", "server", true],
  ["serviceUnavailableException", "Try again", "server", true],
  ["modelTimeoutException", "Timed out", "server", true],
  ["accessDeniedException", "You don't have access", "credentials", false],
  ["validationException", "Malformed input request", "invalid-request", false],
  ["validationException", "Input is too long for requested model.", "context-overflow", false],
] as const)("the exception %s (%s) is of the kind %s", (name, message, kind, retryable) => {
  expect(stepAll([{ event: `exception:${name}`, data: { message } }])).toEqual([
    { type: "fail", error: { kind, message, retryable } },
  ]);
});

test("an exception may say its message by another name, or none", () => {
  const event = "exception:modelStreamErrorException";
  const failed = (message: string): WireEvent => ({
    type: "fail",
    error: { kind: "server", message, retryable: true },
  });
  expect(stepAll([{ event, data: { originalStatusCode: 500, originalMessage: "Broken" } }])).toEqual([
    failed("Broken"),
  ]);
  expect(stepAll([{ event, data: {} }])).toEqual([failed("modelStreamErrorException")]);
});

describe("the reason to stop", () => {
  const ended = (stopReason: string) =>
    stepAll([
      { event: "messageStop", data: { stopReason } },
      { event: "metadata", data: {} },
    ]);

  test.each([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["tool_use", "tool-use"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["guardrail_intervened", "refusal"],
    ["content_filtered", "refusal"],
    ["something_new", "stop"],
    ["constructor", "stop"],
  ] satisfies [string, FinishReason][])("%s is %s", (stopReason, reason) => {
    expect(ended(stopReason)).toEqual([{ type: "finish", reason }]);
  });

  test.each(["malformed_model_output", "malformed_tool_use"])("%s is a failure worth another try", (stopReason) => {
    const message = `the model's output could not be read by the service (${stopReason})`;
    expect(ended(stopReason)).toEqual([{ type: "fail", error: { kind: "bad-answer", message, retryable: true } }]);
  });
});

test("encrypted thinking in pieces is joined as bytes", () => {
  const piece = (redactedContent: string): Frame => ({
    event: "contentBlockDelta",
    data: { contentBlockIndex: 0, delta: { reasoningContent: { redactedContent } } },
  });
  const end: Frame = { event: "contentBlockStop", data: { contentBlockIndex: 0 } };
  expect(stepAll([piece(btoa("a")), piece(btoa("bc")), end])).toEqual([
    { type: "thinking-end", part: "0", encrypted: btoa("abc") },
  ]);
});

test("tools that ran at the provider leave nothing behind", () => {
  const start = { toolUse: { toolUseId: "a", name: "search", type: "server_tool_use" } };
  const frames: Frame[] = [
    { event: "contentBlockStart", data: { contentBlockIndex: 0, start } },
    { event: "contentBlockDelta", data: { contentBlockIndex: 0, delta: { toolUse: { input: "{}" } } } },
    { event: "contentBlockStop", data: { contentBlockIndex: 0 } },
    { event: "contentBlockStart", data: { contentBlockIndex: 1, start: { toolResult: { toolUseId: "a" } } } },
    { event: "contentBlockDelta", data: { contentBlockIndex: 1, delta: { toolResult: [{ text: "found" }] } } },
    { event: "contentBlockStop", data: { contentBlockIndex: 1 } },
  ];
  expect(stepAll(frames)).toEqual([]);
});

test("a body that is no answer says what to check", () => {
  const message = "the answer is not one of Bedrock's Converse API; check the provider's baseUrl and api";
  expect(bedrockConverseStream.readBody({ message: "hello" })).toEqual([
    { type: "fail", error: { kind: "bad-answer", message, retryable: false } },
  ]);
});

describe("whatever the provider sends", () => {
  const event = fc.constantFrom(
    ...["messageStart", "contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop", "metadata"],
    ...["exception:throttlingException", "exception:", "", "initial-response"],
  );
  const block = fc.record(
    {
      text: fc.jsonValue(),
      toolUse: fc.oneof(fc.jsonValue(), fc.record({ input: fc.jsonValue(), toolUseId: fc.jsonValue() })),
      reasoningContent: fc.oneof(
        fc.jsonValue(),
        fc.record({ text: fc.jsonValue(), signature: fc.jsonValue(), redactedContent: fc.jsonValue() }),
      ),
    },
    { requiredKeys: [] },
  );
  const value = fc.oneof(fc.jsonValue(), block);
  const data = fc.oneof(
    fc.jsonValue(),
    fc.record(
      { contentBlockIndex: fc.oneof(fc.nat(2), fc.jsonValue()), start: value, delta: value, usage: fc.jsonValue() },
      { requiredKeys: [] },
    ),
  );

  test("no frames make a step throw", () => {
    fc.assert(
      fc.property(fc.array(fc.record({ event, data }), { maxLength: 12 }), (frames) => {
        expect(stepAll(frames)).toBeArray();
      }),
    );
  });

  test("no body makes the reading throw", () => {
    const answer = fc.record({ message: fc.record({ content: fc.array(value) }) });
    const body = fc.oneof(
      fc.jsonValue(),
      fc.record({ output: answer, stopReason: fc.jsonValue(), usage: fc.jsonValue() }),
    );
    fc.assert(
      fc.property(body, (whole) => {
        expect(bedrockConverseStream.readBody(whole)).toBeArray();
      }),
    );
  });
});
