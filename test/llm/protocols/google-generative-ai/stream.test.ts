import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { googleGenerativeAi } from "../../../../src/llm/protocols/google-generative-ai.ts";
import type { WireEvent } from "../../../../src/llm/wire-protocol.ts";
import type { AssistantMessage, AssistantPart, StopReason, Usage } from "../../../../src/protocol/messages.ts";
import type { ModelEnd } from "../../../../src/protocol/model-events.ts";
import type { Model } from "../../../../src/protocol/models.ts";
import { endOfStream, endOfWhole, eventsOf } from "../../../support/wire-fixtures.ts";

const MODEL: Model = {
  provider: "google",
  id: "gemini-3.1-pro-preview",
  name: "Gemini 3.1 Pro",
  api: "google-generative-ai",
  baseUrl: "https://generativelanguage.googleapis.com/v1beta",
  auth: "apiKey",
  reasoning: true,
  tools: true,
  input: ["text"],
  contextWindow: 1_048_576,
  maxTokens: 65_536,
};

interface Expected {
  responseId: string;
  content: AssistantPart[];
  stopReason: StopReason;
  usage: Usage;
}

function messageOf({ responseId, content, stopReason, usage }: Expected): AssistantMessage {
  const author = { provider: "google", api: "google-generative-ai", model: "gemini-3.1-pro-preview" };
  return { role: "assistant", content, ...author, responseId, stopReason, usage };
}

const ENDS: [fixture: string, end: ModelEnd][] = [
  [
    "text",
    {
      type: "done",
      message: messageOf({
        responseId: "Il0taoSYJ5Cez7IPqOu1mQg",
        content: [{ type: "text", text: "The build passes: 14 tests, 0 failures. ✅" }],
        stopReason: "stop",
        usage: { input: 288, output: 17, cacheRead: 1024, cacheWrite: 0 },
      }),
    },
  ],
  [
    "thoughts-and-tools",
    {
      type: "done",
      message: messageOf({
        responseId: "aB1taoSYJ5Cez7IPqOu2nRw",
        content: [
          { type: "thinking", text: "**Comparing configs**\n\nThe user wants both files.\n\n" },
          { type: "text", text: "I will read both files." },
          {
            type: "tool-call",
            id: "fqx81k2p",
            name: "read_file",
            input: { path: "package.json" },
            signature: "EpoGCpcGAb4TdjfirstCall",
          },
          { type: "tool-call", id: "0w8s7d1z", name: "read_file", input: { path: "tsconfig.json" } },
        ],
        stopReason: "tool-use",
        usage: { input: 2450, output: 108, cacheRead: 0, cacheWrite: 0, reasoning: 64 },
      }),
    },
  ],
  [
    "signed-text",
    {
      type: "done",
      message: messageOf({
        responseId: "cC1taoSYJ5Cez7IPqOu3oSx",
        content: [
          { type: "thinking", text: "Weighing" },
          { type: "text", text: "Use a map.", signature: "CiQBsignatureOfText" },
        ],
        stopReason: "stop",
        usage: { input: 500, output: 16, cacheRead: 0, cacheWrite: 0, reasoning: 12 },
      }),
    },
  ],
  [
    "calls-without-ids",
    {
      type: "done",
      message: messageOf({
        responseId: "dD1taoSYJ5Cez7IPqOu4pTy",
        content: [
          {
            type: "tool-call",
            id: "gemini-call-dD1taoSYJ5Cez7IPqOu4pTy-0",
            name: "read_file",
            input: { path: "a.txt" },
          },
          {
            type: "tool-call",
            id: "gemini-call-dD1taoSYJ5Cez7IPqOu4pTy-1",
            name: "read_file",
            input: { path: "a.txt" },
          },
        ],
        stopReason: "tool-use",
        usage: { input: 321, output: 22, cacheRead: 0, cacheWrite: 0 },
      }),
    },
  ],
  [
    "max-tokens",
    {
      type: "done",
      message: messageOf({
        responseId: "eE1taoSYJ5Cez7IPqOu5qUz",
        content: [{ type: "text", text: "Here is the first half of" }],
        stopReason: "length",
        usage: { input: 700, output: 6, cacheRead: 0, cacheWrite: 0 },
      }),
    },
  ],
  [
    "blocked",
    {
      type: "done",
      message: messageOf({
        responseId: "fF1taoSYJ5Cez7IPqOu6rVa",
        content: [],
        stopReason: "refusal",
        usage: { input: 40, output: 0, cacheRead: 0, cacheWrite: 0 },
      }),
    },
  ],
  [
    "malformed-call",
    {
      type: "error",
      error: {
        kind: "bad-answer",
        message:
          "the provider ended the answer with MALFORMED_FUNCTION_CALL: Malformed function call: print(default_api.read_file(path='a'))",
        retryable: true,
      },
      partial: messageOf({
        responseId: "gG1taoSYJ5Cez7IPqOu7sWb",
        content: [],
        stopReason: "cut",
        usage: { input: 2595, output: 0, cacheRead: 0, cacheWrite: 0 },
      }),
    },
  ],
  [
    "overloaded",
    {
      type: "error",
      error: {
        kind: "server",
        message: "The model is overloaded. Please try again later.",
        status: 503,
        retryable: true,
      },
      partial: messageOf({
        responseId: "hH1taoSYJ5Cez7IPqOu8tXc",
        content: [{ type: "text", text: "Let me" }],
        stopReason: "cut",
        usage: { input: 90, output: 2, cacheRead: 0, cacheWrite: 0 },
      }),
    },
  ],
];

describe.each(ENDS)("the recorded answer %s", (fixture, end) => {
  test("is read from its stream", async () => {
    expect(await endOfStream(googleGenerativeAi, MODEL, `google-generative-ai/${fixture}`)).toEqual(end);
  });

  test("is the same when it comes whole", async () => {
    expect(await endOfWhole(googleGenerativeAi, MODEL, `google-generative-ai/${fixture}`)).toEqual(end);
  });
});

function chunk(parts: unknown[], fields: object = {}): object {
  return { candidates: [{ content: { role: "model", parts }, index: 0 }], ...fields };
}

test("a signature ends its part, and what follows is a new one", () => {
  const frames = [
    chunk([{ text: "thought", thought: true, thoughtSignature: "s1" }]),
    chunk([{ text: "one " }, { text: "two", thoughtSignature: "s2" }, { text: "three" }]),
  ];
  expect(eventsOf(googleGenerativeAi, frames)).toEqual([
    { type: "thinking-delta", part: "thinking-0", text: "thought" },
    { type: "thinking-end", part: "thinking-0", signature: "s1" },
    { type: "text-delta", part: "text-1", text: "one " },
    { type: "text-delta", part: "text-1", text: "two" },
    { type: "text-end", part: "text-1", signature: "s2" },
    { type: "text-delta", part: "text-2", text: "three" },
  ]);
});

test("a signature that comes alone is kept", () => {
  expect(eventsOf(googleGenerativeAi, [chunk([{ text: "", thoughtSignature: "s1" }])])).toEqual([
    { type: "thinking-end", part: "thinking-0", signature: "s1" },
  ]);
});

test("equal calls of two turns get different ids even where answers have none", () => {
  const turn = (promptTokenCount: number) =>
    eventsOf(googleGenerativeAi, [
      chunk([{ functionCall: { name: "now", args: {} } }], { usageMetadata: { promptTokenCount } }),
    ]).flatMap((event) => (event.type === "tool-call-start" ? [event.id] : []));
  expect(turn(10)).toEqual(turn(10));
  expect(turn(10)).not.toEqual(turn(20));
});

test.each([
  ["STOP", "stop"],
  ["MAX_TOKENS", "length"],
  ["SAFETY", "refusal"],
  ["RECITATION", "refusal"],
  ["PROHIBITED_CONTENT", "refusal"],
  ["BLOCKLIST", "refusal"],
  ["SPII", "refusal"],
] as const)("%s ends the answer as %s", (finishReason, reason) => {
  expect(eventsOf(googleGenerativeAi, [{ candidates: [{ finishReason }] }])).toEqual([{ type: "finish", reason }]);
});

test.each([
  ["MALFORMED_FUNCTION_CALL", "bad-answer", true],
  ["UNEXPECTED_TOOL_CALL", "bad-answer", true],
  ["OTHER", "bad-answer", true],
  ["MISSING_THOUGHT_SIGNATURE", "invalid-request", false],
] as const)("%s fails the answer", (finishReason, kind, retryable) => {
  const message = `the provider ended the answer with ${finishReason}`;
  expect(eventsOf(googleGenerativeAi, [{ candidates: [{ finishReason }] }])).toEqual([
    { type: "fail", error: { kind, message, retryable } },
  ]);
});

test("a call makes STOP a tool use, also when the reason comes later", () => {
  const frames = [chunk([{ functionCall: { name: "now" } }]), { candidates: [{ finishReason: "STOP" }] }];
  expect(eventsOf(googleGenerativeAi, frames).at(-1)).toEqual({ type: "finish", reason: "tool-use" });
});

const RETRY_INFO = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.5s" };

test.each([
  [{ status: "RESOURCE_EXHAUSTED", message: "Check your billing.", details: [RETRY_INFO] }, "rate-limit", true, 34_500],
  [{ status: "UNAVAILABLE", message: "Overloaded" }, "server", true, undefined],
  [{ status: "INTERNAL", message: "Please retry in 2s." }, "server", true, 2000],
  [{ status: "UNAUTHENTICATED", message: "No" }, "credentials", false, undefined],
  [{ status: "INVALID_ARGUMENT", message: "API key not valid." }, "credentials", false, undefined],
  [{ status: "INVALID_ARGUMENT", message: "Bad field" }, "invalid-request", false, undefined],
  [
    {
      status: "INVALID_ARGUMENT",
      message: "The input token count (9) exceeds the maximum number of tokens allowed (8).",
    },
    "context-overflow",
    false,
    undefined,
  ],
  [{ status: "FAILED_PRECONDITION", message: "Not here" }, "invalid-request", false, undefined],
  [{ status: "NOT_FOUND", message: "No such model" }, "not-found", false, undefined],
] as const)("the error %p is %s", (error, kind, retryable, retryAfterMs) => {
  const failure = {
    type: "fail",
    error: { kind, message: error.message, retryable, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
  } as WireEvent;
  expect(eventsOf(googleGenerativeAi, [{ error }])).toEqual([failure]);
});

const part = fc.record(
  {
    text: fc.oneof(fc.string(), fc.jsonValue()),
    thought: fc.oneof(fc.boolean(), fc.jsonValue()),
    thoughtSignature: fc.oneof(fc.string(), fc.jsonValue()),
    functionCall: fc.oneof(fc.record({ name: fc.string(), args: fc.jsonValue() }), fc.jsonValue()),
  },
  { requiredKeys: [] },
);
const candidate = fc.record(
  {
    content: fc.oneof(fc.record({ parts: fc.array(part) }), fc.jsonValue()),
    finishReason: fc.oneof(fc.constantFrom("STOP", "MAX_TOKENS", "__proto__", "toString"), fc.jsonValue()),
  },
  { requiredKeys: [] },
);
const frame = fc.record(
  {
    candidates: fc.oneof(fc.array(candidate), fc.jsonValue()),
    usageMetadata: fc.jsonValue(),
    promptFeedback: fc.jsonValue(),
    responseId: fc.jsonValue(),
    error: fc.jsonValue(),
  },
  { requiredKeys: [] },
);

test("whatever the frames hold, they are read, and every call has its own part", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(frame, fc.jsonValue())), (frames) => {
      const events = eventsOf(googleGenerativeAi, frames);
      const parts = events.flatMap((event) => (event.type === "tool-call-start" ? [event.part] : []));
      expect(new Set(parts).size).toBe(parts.length);
    }),
  );
});

test("whatever the body holds, it is read to an end", () => {
  fc.assert(
    fc.property(fc.oneof(frame, fc.array(frame), fc.jsonValue()), (body) => {
      const events = googleGenerativeAi.readBody(body);
      expect(events.some(({ type }) => type === "finish" || type === "fail")).toBe(true);
    }),
  );
});
