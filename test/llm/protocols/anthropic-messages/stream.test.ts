import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { createSseDecoder } from "../../../../src/llm/framing/sse.ts";
import { anthropicMessages } from "../../../../src/llm/protocols/anthropic-messages.ts";
import { createAnswerReader } from "../../../../src/llm/read-answer.ts";
import type { WireEvent } from "../../../../src/llm/wire-protocol.ts";
import type { FinishReason } from "../../../../src/protocol/messages.ts";
import { claudeModel } from "../../../support/claude-requests.ts";

const FIXTURES = join(import.meta.dir, "../../../fixtures/wire/anthropic-messages");
const SIGNATURE = "EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pkiMOYds";

function fixture(name: string): Buffer {
  return readFileSync(join(FIXTURES, name));
}

function stepAll(frames: unknown[]): WireEvent[] {
  let state = anthropicMessages.start();
  return frames.flatMap((data) => {
    const next = anthropicMessages.step(state, { event: "", data });
    state = next.state;
    return next.events;
  });
}

function streamEvents(name: string): WireEvent[] {
  return stepAll(
    createSseDecoder()
      .push(fixture(name))
      .frames.map((frame) => JSON.parse(frame.data)),
  );
}

function streamedEnd(name: string) {
  const reader = createAnswerReader(anthropicMessages, { model: claudeModel(), tools: [], emit: () => {} });
  reader.push(fixture(name));
  return reader.end();
}

function wholeEnd(name: string) {
  const reader = createAnswerReader(anthropicMessages, { model: claudeModel(), tools: [], emit: () => {} });
  reader.pushWhole(fixture(name).toString());
  return reader.end();
}

test("a text is streamed as it comes", () => {
  const usage = { input: 25, output: 1, cacheRead: 0, cacheWrite: 0, cacheWriteLong: 0 };
  expect(streamEvents("text.sse")).toEqual([
    { type: "response", id: "msg_01SgWVqRkyNHqTvYqCFjrkXJ" },
    { type: "usage", usage },
    { type: "text-delta", part: "0", text: "Grüße" },
    { type: "text-delta", part: "0", text: ", Welt" },
    { type: "text-delta", part: "0", text: "! 👋" },
    { type: "text-end", part: "0" },
    { type: "usage", usage: { input: 25, output: 15 } },
    { type: "finish", reason: "stop" },
  ]);
});

test("thinking, hidden thinking, text and calls come as parts of their own", () => {
  const encrypted = streamEvents("thinking-and-tools.sse").find(
    (event) => event.type === "thinking-end" && event.part === "1",
  );
  expect(encrypted).toMatchObject({ encrypted: expect.stringMatching(/^EmwKAhgB/) });
  expect(streamEvents("thinking-and-tools.sse")).toEqual([
    { type: "response", id: "msg_015vjjyQzQYL7kDqxvUqXeNv" },
    { type: "usage", usage: { input: 6, output: 3, cacheRead: 18_422, cacheWrite: 1201, cacheWriteLong: 1100 } },
    { type: "thinking-delta", part: "0", text: "The user wants both files." },
    { type: "thinking-delta", part: "0", text: " I can read them at the same time." },
    { type: "thinking-end", part: "0", signature: `${SIGNATURE}nq4dYb0qK3Cv7aJHq8mF1xw==` },
    encrypted as WireEvent,
    { type: "text-delta", part: "2", text: "I'll read" },
    { type: "text-delta", part: "2", text: " both files." },
    { type: "text-end", part: "2" },
    { type: "tool-call-start", part: "3", id: "toolu_01T1x1fJ34qAmk2tNTrN7Up6", name: "read" },
    { type: "tool-call-delta", part: "3", text: '{"path": "src/ma' },
    { type: "tool-call-delta", part: "3", text: 'in.ts", "limit": 40}' },
    { type: "tool-call-end", part: "3" },
    { type: "tool-call-start", part: "4", id: "toolu_01D7FLrfh4GYq7yT1ULFeyMV", name: "read" },
    { type: "tool-call-delta", part: "4", text: '{"path": "docs/überblick.md"}' },
    { type: "tool-call-end", part: "4" },
    { type: "tool-call-start", part: "5", id: "toolu_01A09q90qw90lq917835lq9", name: "list_tasks" },
    { type: "tool-call-end", part: "5" },
    { type: "usage", usage: { input: 6, output: 187, cacheRead: 18_422, cacheWrite: 1201, reasoning: 61 } },
    { type: "finish", reason: "tool-use" },
  ]);
});

test("thinking the provider does not show still comes with its signature", () => {
  expect(streamEvents("hidden-thinking.sse").slice(2)).toEqual([
    { type: "thinking-end", part: "0", signature: SIGNATURE },
    { type: "text-delta", part: "1", text: "42" },
    { type: "text-end", part: "1" },
    { type: "usage", usage: { input: 412, output: 64 } },
    { type: "finish", reason: "length" },
  ]);
});

test("tools that ran at the provider and their results leave nothing behind", () => {
  expect(streamEvents("server-tools.sse").slice(2)).toEqual([
    { type: "text-delta", part: "0", text: "I'll check." },
    { type: "text-end", part: "0" },
    { type: "text-delta", part: "3", text: "It is 18 degrees." },
    { type: "text-end", part: "3" },
    { type: "usage", usage: { input: 10_682, output: 510 } },
    { type: "finish", reason: "pause" },
  ]);
});

test.each(["text", "thinking-and-tools", "hidden-thinking", "server-tools"])(
  "%s: the whole answer gives the same message as the streamed one",
  (name) => {
    expect(wholeEnd(`${name}.json`)).toEqual(streamedEnd(`${name}.sse`));
    expect(wholeEnd(`${name}.json`).type).toBe("done");
  },
);

test("a stream that ends before its last event is cut, though the reason was known", () => {
  const frames = createSseDecoder()
    .push(fixture("text.sse"))
    .frames.map((frame) => JSON.parse(frame.data));
  expect(stepAll(frames.slice(0, -1)).some((event) => event.type === "finish")).toBe(false);
});

test("an error in the middle of the stream ends it", () => {
  expect(streamEvents("overloaded.sse").at(-1)).toEqual({
    type: "fail",
    error: { kind: "server", message: "Overloaded", retryable: true, requestId: "req_011CYFKFQUW16kvBsXKy4JSr" },
  });
});

test.each([
  ["overloaded_error", "Overloaded", "server", true],
  ["api_error", "Internal server error", "server", true],
  ["timeout_error", "Request timed out", "server", true],
  ["rate_limit_error", "This request would exceed your rate limit", "rate-limit", true],
  ["authentication_error", "invalid x-api-key", "credentials", false],
  ["permission_error", "Your key does not have permission", "credentials", false],
  ["billing_error", "Your credit balance is too low", "quota", false],
  ["not_found_error", "model: claude-9", "not-found", false],
  ["request_too_large", "Request exceeds the maximum size", "context-overflow", false],
  ["invalid_request_error", "prompt is too long: 210404 tokens > 200000 maximum", "context-overflow", false],
  ["invalid_request_error", "max_tokens: must be positive", "invalid-request", false],
] as const)("the error %s (%s) is of the kind %s", (type, message, kind, retryable) => {
  const body = { type: "error", error: { type, message } };
  const expected: WireEvent[] = [{ type: "fail", error: { kind, message, retryable } }];
  expect(stepAll([body])).toEqual(expected);
  expect(anthropicMessages.readBody(body)).toEqual(expected);
});

describe("the reason to stop", () => {
  test.each([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["tool_use", "tool-use"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["refusal", "refusal"],
    ["pause_turn", "pause"],
    ["something_new", "stop"],
    ["constructor", "stop"],
  ] satisfies [string, FinishReason][])("%s is %s", (stop_reason, reason) => {
    const frames = [{ type: "message_delta", delta: { stop_reason } }, { type: "message_stop" }];
    expect(stepAll(frames)).toEqual([{ type: "finish", reason }]);
  });

  test("is kept when a later event does not name it", () => {
    const delta = (stop_reason: string | null) => ({ type: "message_delta", delta: { stop_reason } });
    expect(stepAll([delta("tool_use"), delta(null), { type: "message_stop" }])).toEqual([
      { type: "finish", reason: "tool-use" },
    ]);
  });
});

test("counts only grow: a zero at the end does not take back what was said at the start", () => {
  const start = { type: "message_start", message: { usage: { input_tokens: 7, cache_read_input_tokens: 9 } } };
  const end = {
    type: "message_delta",
    delta: {},
    usage: { input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 3 },
  };
  expect(stepAll([start, end])).toEqual([
    { type: "usage", usage: { input: 7, cacheRead: 9 } },
    { type: "usage", usage: { output: 3 } },
  ]);
});

describe("the input of a call that came with its start", () => {
  const start = { type: "tool_use", id: "toolu_1", name: "read", input: { path: "a" } };
  const begun = { type: "content_block_start", index: 0, content_block: start };
  const opened = { type: "tool-call-start", part: "0", id: "toolu_1", name: "read" } as const;
  const closed = { type: "tool-call-end", part: "0" } as const;

  test("is used where no pieces follow", () => {
    expect(stepAll([begun, { type: "content_block_stop", index: 0 }])).toEqual([
      opened,
      { type: "tool-call-delta", part: "0", text: '{"path":"a"}' },
      closed,
    ]);
  });

  test("gives way to pieces that follow", () => {
    const piece = { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: "{}" } };
    expect(stepAll([begun, piece, { type: "content_block_stop", index: 0 }])).toEqual([
      opened,
      { type: "tool-call-delta", part: "0", text: "{}" },
      closed,
    ]);
  });
});

test("a body that is no message says what to check", () => {
  const message = "the answer is not a message of the Anthropic API; check the provider's baseUrl and api";
  expect(anthropicMessages.readBody({ choices: [] })).toEqual([
    { type: "fail", error: { kind: "bad-answer", message, retryable: false } },
  ]);
});

describe("whatever the provider sends", () => {
  const type = fc.constantFrom(
    ...[
      "message_start",
      "content_block_start",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
      "message_stop",
    ],
    ...["error", "ping", "text", "thinking", "redacted_thinking", "tool_use", "text_delta", "thinking_delta"],
    ...["signature_delta", "input_json_delta", "__proto__"],
  );
  const value = fc.oneof(fc.jsonValue(), fc.record({ type, text: fc.string(), thinking: fc.jsonValue() }));
  const frame = fc.oneof(
    fc.jsonValue(),
    fc.record(
      {
        type,
        index: fc.oneof(fc.nat(2), fc.jsonValue()),
        content_block: fc.oneof(
          value,
          fc.record({ type, id: fc.jsonValue(), input: fc.jsonValue(), data: fc.jsonValue() }),
        ),
        delta: fc.oneof(value, fc.record({ type, partial_json: fc.jsonValue(), signature: fc.jsonValue() })),
        message: fc.jsonValue(),
        usage: fc.jsonValue(),
        error: fc.jsonValue(),
      },
      { requiredKeys: [] },
    ),
  );

  test("no frames make a step throw", () => {
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 12 }), (frames) => {
        expect(stepAll(frames)).toBeArray();
      }),
    );
  });

  test("no body makes the reading throw", () => {
    const body = fc.oneof(
      fc.jsonValue(),
      fc.record({ content: fc.array(value), stop_reason: fc.jsonValue(), usage: value }),
    );
    fc.assert(
      fc.property(body, (whole) => {
        expect(anthropicMessages.readBody(whole)).toBeArray();
      }),
    );
  });
});
