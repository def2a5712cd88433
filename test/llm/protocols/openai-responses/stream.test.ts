import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { openaiResponses } from "../../../../src/llm/protocols/openai-responses.ts";
import type { WireEvent } from "../../../../src/llm/wire-protocol.ts";
import type { AssistantMessage, AssistantPart, StopReason, Usage } from "../../../../src/protocol/messages.ts";
import type { ModelEnd } from "../../../../src/protocol/model-events.ts";
import type { Model } from "../../../../src/protocol/models.ts";
import { endOfStream, endOfWhole, eventsOf } from "../../../support/wire-fixtures.ts";

const MODEL: Model = {
  provider: "openai",
  id: "gpt-5.4",
  name: "GPT-5.4",
  api: "openai-responses",
  baseUrl: "https://api.openai.com/v1",
  auth: "apiKey",
  reasoning: true,
  tools: true,
  input: ["text"],
  contextWindow: 400_000,
  maxTokens: 128_000,
};

interface Expected {
  responseId: string;
  content: AssistantPart[];
  stopReason: StopReason;
  usage: Usage;
}

function done({ responseId, content, stopReason, usage }: Expected): ModelEnd {
  const author = { provider: "openai", api: "openai-responses", model: "gpt-5.4" };
  const message: AssistantMessage = { role: "assistant", content, ...author, responseId, stopReason, usage };
  return { type: "done", message };
}

const ENDS: [fixture: string, end: ModelEnd][] = [
  [
    "text",
    done({
      responseId: "resp_68e5f0d0c1",
      content: [{ type: "text", text: "The build passes: 14 tests, 0 failures. ✅", signature: "final_answer" }],
      stopReason: "stop",
      usage: { input: 288, output: 19, cacheRead: 1024, cacheWrite: 0, reasoning: 0 },
    }),
  ],
  [
    "reasoning-and-tools",
    done({
      responseId: "resp_0a77c0",
      content: [
        {
          type: "thinking",
          text: "**Looking at the config**\n\nThe user wants both files compared.\n\n**Reading**\n\nI will read them at once.",
          id: "rs_0a77c1",
          encrypted: "gAAAAABo5fEncryptedReasoning0a77c1==",
        },
        { type: "text", text: "I will read both files.", signature: "commentary" },
        { type: "tool-call", id: "call_Ym9iYQ1", name: "read_file", input: { path: "package.json" } },
        { type: "tool-call", id: "call_Ym9iYQ2", name: "read_file", input: { path: "tsconfig.json" } },
      ],
      stopReason: "tool-use",
      usage: { input: 14, output: 141, cacheRead: 1536, cacheWrite: 900, reasoning: 64 },
    }),
  ],
  [
    "reasoning-only",
    done({
      responseId: "resp_0b10",
      content: [{ type: "thinking", text: "", id: "rs_0b11", encrypted: "gAAAAABo5fOnlyReasoning==" }],
      stopReason: "stop",
      usage: { input: 900, output: 320, cacheRead: 0, cacheWrite: 0, reasoning: 320 },
    }),
  ],
  [
    "incomplete",
    done({
      responseId: "resp_0c10",
      content: [{ type: "text", text: "Here is the first half of", signature: "final_answer" }],
      stopReason: "length",
      usage: { input: 700, output: 256, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
    }),
  ],
  [
    "content-filter",
    done({
      responseId: "resp_0d10",
      content: [{ type: "text", text: "To make", signature: "final_answer" }],
      stopReason: "refusal",
      usage: { input: 700, output: 3, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
    }),
  ],
  [
    "refusal",
    done({
      responseId: "resp_0e10",
      content: [{ type: "text", text: "I'm sorry, but I can't help with that." }],
      stopReason: "refusal",
      usage: { input: 128, output: 12, cacheRead: 512, cacheWrite: 0, reasoning: 0 },
    }),
  ],
  [
    "local-server",
    done({
      responseId: "resp_local",
      content: [
        { type: "thinking", text: "The user wants a listing.", id: "rs_local1" },
        { type: "tool-call", id: "call_local", name: "list_files", input: { path: "." } },
      ],
      stopReason: "tool-use",
      usage: { input: 88, output: 21, cacheRead: 0, cacheWrite: 0 },
    }),
  ],
];

describe.each(ENDS)("the recorded answer %s", (fixture, end) => {
  test("is read from its stream", async () => {
    expect(await endOfStream(openaiResponses, MODEL, `openai-responses/${fixture}`)).toEqual(end);
  });

  test("is the same when it comes whole", async () => {
    expect(await endOfWhole(openaiResponses, MODEL, `openai-responses/${fixture}`)).toEqual(end);
  });
});

test("a failed answer ends with what the provider said and when to come back", async () => {
  const expected = {
    kind: "rate-limit",
    message: expect.stringContaining("Rate limit reached for gpt-5.4"),
    retryable: true,
    retryAfterMs: 1300,
  };
  for (const read of [endOfStream, endOfWhole]) {
    expect(await read(openaiResponses, MODEL, "openai-responses/failed")).toMatchObject({
      type: "error",
      error: expected,
    });
  }
});

function callAdded(output_index: number): object {
  const item = {
    id: `fc_${output_index}`,
    type: "function_call",
    call_id: `call_${output_index}`,
    name: "read_file",
    arguments: "",
  };
  return { type: "response.output_item.added", output_index, item };
}

function callDone(output_index: number, text: string): object {
  const item = {
    id: `fc_${output_index}`,
    type: "function_call",
    call_id: `call_${output_index}`,
    name: "read_file",
    arguments: text,
  };
  return { type: "response.output_item.done", output_index, item };
}

const delta = (output_index: number, text: string) => ({
  type: "response.function_call_arguments.delta",
  output_index,
  delta: text,
});
const argumentsDone = (output_index: number, text: string) => ({
  type: "response.function_call_arguments.done",
  output_index,
  arguments: text,
});
const start = (part: string): WireEvent => ({ type: "tool-call-start", part, id: `call_${part}`, name: "read_file" });

test("arguments are reported once, whatever of deltas, their end and the item's end the server sends", () => {
  const whole: WireEvent[] = [
    start("0"),
    { type: "tool-call-delta", part: "0", text: "{}" },
    { type: "tool-call-end", part: "0" },
  ];
  const ways = [
    [callAdded(0), delta(0, "{}"), argumentsDone(0, "{}"), callDone(0, "{}")],
    [callAdded(0), argumentsDone(0, "{}"), callDone(0, "{}")],
    [callAdded(0), callDone(0, "{}")],
    [callDone(0, "{}")],
    [callDone(0, "{}"), callDone(0, "{}")],
    [delta(0, "lost"), callDone(0, "{}")],
  ];
  for (const frames of ways) expect(eventsOf(openaiResponses, frames)).toEqual(whole);
});

test("calls that grow side by side stay apart", () => {
  const frames = [
    callAdded(0),
    callAdded(1),
    delta(1, "{b"),
    delta(0, "{a"),
    delta(1, "}"),
    callDone(1, "{b}"),
    callDone(0, "{a}"),
  ];
  expect(eventsOf(openaiResponses, frames)).toEqual([
    start("0"),
    start("1"),
    { type: "tool-call-delta", part: "1", text: "{b" },
    { type: "tool-call-delta", part: "0", text: "{a" },
    { type: "tool-call-delta", part: "1", text: "}" },
    { type: "tool-call-end", part: "1" },
    { type: "tool-call-end", part: "0" },
  ]);
});

test("raw reasoning beside a summary is not told twice", () => {
  const frames = [
    { type: "response.reasoning_text.delta", output_index: 0, delta: "raw" },
    { type: "response.reasoning_summary_text.delta", output_index: 0, delta: "summary" },
    {
      type: "response.output_item.done",
      output_index: 0,
      item: { id: "rs_1", type: "reasoning", summary: [{ text: "summary" }] },
    },
  ];
  expect(eventsOf(openaiResponses, frames)).toEqual([
    { type: "thinking-delta", part: "0", text: "raw" },
    { type: "thinking-end", part: "0", id: "rs_1" },
  ]);
});

test("items and events of other kinds mean nothing", () => {
  const search = { id: "ws_1", type: "web_search_call", status: "completed" };
  const frames = [
    { type: "response.output_item.added", output_index: 0, item: search },
    { type: "response.web_search_call.searching", output_index: 0, item_id: "ws_1" },
    { type: "response.output_item.done", output_index: 0, item: search },
    { type: "codex.rate_limits", rate_limits: {} },
  ];
  expect(eventsOf(openaiResponses, frames)).toEqual([]);
});

test("a server that sends nothing but the end is read from it", () => {
  const message = { id: "msg_1", type: "message", content: [{ type: "output_text", text: "Hi" }] };
  const frames = [{ type: "response.completed", response: { status: "completed", output: [message] } }];
  expect(eventsOf(openaiResponses, frames)).toEqual([
    { type: "text-delta", part: "0", text: "Hi" },
    { type: "text-end", part: "0" },
    { type: "finish", reason: "stop" },
  ]);
});

test.each([
  [{ code: "rate_limit_exceeded", message: "Please try again in 250ms." }, "rate-limit", true, 250],
  [{ type: "usage_limit_reached", message: "Limit reached", resets_in_seconds: 90 }, "quota", false, 90_000],
  [{ code: "insufficient_quota", message: "You exceeded your current quota" }, "quota", false, undefined],
  [{ code: "usage_not_included", message: "Not in your plan" }, "quota", false, undefined],
  [
    { code: "context_length_exceeded", message: "Your input exceeds the context window" },
    "context-overflow",
    false,
    undefined,
  ],
  [{ code: "server_error", message: "The server had an error" }, "server", true, undefined],
  [{ code: "server_is_overloaded", message: "Overloaded" }, "server", true, undefined],
  [{ code: "invalid_api_key", message: "Incorrect API key" }, "credentials", false, undefined],
  [{ code: "model_not_found", message: "No such model" }, "not-found", false, undefined],
  [{ code: "image_parse_error", message: "Bad image" }, "invalid-request", false, undefined],
  [{ code: "invalid_prompt", message: "Invalid prompt" }, "invalid-request", false, undefined],
] as const)("the error %p is %s", (error, kind, retryable, retryAfterMs) => {
  const failure = {
    type: "fail",
    error: { kind, message: error.message, retryable, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
  } as WireEvent;
  expect(eventsOf(openaiResponses, [{ type: "response.failed", response: { error } }])).toEqual([failure]);
  expect(eventsOf(openaiResponses, [{ type: "error", error }])).toEqual([failure]);
});

test("a body without output is a bad answer", () => {
  const failure: WireEvent = {
    type: "fail",
    error: { kind: "bad-answer", message: "the answer has no output list", retryable: true },
  };
  expect([openaiResponses.readBody({}), openaiResponses.readBody("no")]).toEqual([[failure], [failure]]);
});

const TYPES = [
  ...["response.created", "response.output_item.added", "response.output_item.done", "response.output_text.delta"],
  ...["response.output_text.done", "response.refusal.delta", "response.refusal.done", "response.completed", "error"],
  ...[
    "response.reasoning_summary_part.added",
    "response.reasoning_summary_text.delta",
    "response.reasoning_text.delta",
  ],
  ...["response.function_call_arguments.delta", "response.function_call_arguments.done", "response.incomplete"],
  ...["response.failed", "response.done", "__proto__", "constructor"],
];
const item = fc.record(
  {
    type: fc.constantFrom("message", "reasoning", "function_call", "web_search_call"),
    id: fc.jsonValue(),
    call_id: fc.jsonValue(),
    name: fc.jsonValue(),
    arguments: fc.jsonValue(),
    summary: fc.jsonValue(),
    content: fc.jsonValue(),
    encrypted_content: fc.jsonValue(),
  },
  { requiredKeys: [] },
);
const frame = fc.record(
  {
    type: fc.constantFrom(...TYPES),
    output_index: fc.oneof(fc.nat(2), fc.jsonValue()),
    item_id: fc.jsonValue(),
    item: fc.oneof(item, fc.jsonValue()),
    delta: fc.oneof(fc.string(), fc.jsonValue()),
    text: fc.jsonValue(),
    arguments: fc.jsonValue(),
    response: fc.oneof(
      fc.record({ output: fc.array(item), usage: fc.jsonValue(), status: fc.jsonValue() }),
      fc.jsonValue(),
    ),
    error: fc.jsonValue(),
  },
  { requiredKeys: ["type"] },
);

test("whatever the frames hold, they are read, and no call is started or ended twice", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(frame, fc.jsonValue())), (frames) => {
      const events = eventsOf(openaiResponses, frames);
      for (const type of ["tool-call-start", "tool-call-end"]) {
        const parts = events.flatMap((event) => (event.type === type && "part" in event ? [event.part] : []));
        expect(new Set(parts).size).toBe(parts.length);
      }
    }),
  );
});

test("whatever the body holds, it is read to one end", () => {
  const body = fc.oneof(
    fc.record({ output: fc.array(item), status: fc.jsonValue(), usage: fc.jsonValue() }),
    fc.jsonValue(),
  );
  fc.assert(
    fc.property(body, (value) => {
      const ends = openaiResponses.readBody(value).filter(({ type }) => type === "finish" || type === "fail");
      expect(ends).toHaveLength(1);
    }),
  );
});
