import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import type { ChatState } from "../../../../src/llm/protocols/openai-completions/stream.ts";
import { openaiCompletions } from "../../../../src/llm/protocols/openai-completions.ts";
import { createAnswerReader } from "../../../../src/llm/read-answer.ts";
import type { WireEvent } from "../../../../src/llm/wire-protocol.ts";
import type { AssistantMessage, AssistantPart } from "../../../../src/protocol/messages.ts";
import { chatModel } from "../../../support/chat-requests.ts";

const FIXTURES = new URL("../../../fixtures/wire/openai-completions/", import.meta.url);

function reader() {
  return createAnswerReader(openaiCompletions, { model: chatModel(), tools: [], emit: () => {} });
}

async function messageFrom(file: string): Promise<AssistantMessage> {
  const answer = reader();
  const text = await Bun.file(new URL(file, FIXTURES)).text();
  if (file.endsWith(".sse")) answer.push(new TextEncoder().encode(text));
  else answer.pushWhole(text);
  const end = answer.end();
  if (end.type !== "done") throw new Error(`${file} ended with ${JSON.stringify(end.error)}`);
  return end.message;
}

/** All events of these chunks. */
function eventsOf(...chunks: unknown[]): WireEvent[] {
  let state: ChatState = openaiCompletions.start();
  return chunks.flatMap((data) => {
    const step = openaiCompletions.step(state, { event: "", data });
    state = step.state;
    return step.events;
  });
}

const delta = (fields: object, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta: fields, finish_reason }],
});
const calls = (...tool_calls: object[]) => delta({ tool_calls });

describe("a recorded answer", () => {
  const text = (value: string): AssistantPart => ({ type: "text", text: value });
  const thinking = (value: string, rest = {}): AssistantPart => ({ type: "thinking", text: value, ...rest });
  const call = (id: string, name: string, input: Record<string, unknown>): AssistantPart => ({
    type: "tool-call",
    id,
    name,
    input,
  });
  const details = [
    {
      type: "reasoning.text",
      text: "I should read it.",
      format: "anthropic-claude-v1",
      index: 0,
      signature: "EqQBCkgIBxABGAIiQL8n0vZ3kUuJ5cXbPw==",
    },
  ];
  const rows: [string, Partial<AssistantMessage>][] = [
    [
      "text",
      {
        responseId: "chatcmpl-CGTx1kQb2mR8uFv",
        content: [text("The build is green: all 42 tests pass — naïve café 🎉.")],
        stopReason: "stop",
        usage: { input: 210, output: 12, cacheRead: 1024, cacheWrite: 0, reasoning: 0 },
      },
    ],
    [
      "tools",
      {
        responseId: "chatcmpl-CGTy9Zp4nLw0sQa",
        content: [
          text("Let me look at both files."),
          call("call_Qm3xV0aJ8kTz5LdPw7RbYnEc", "read", { path: "src/a.ts" }),
          call("call_u2HsK9fWq6NeCz1MxVt4GoBi", "read", { path: "b.ts", limit: 20 }),
        ],
        stopReason: "tool-use",
        usage: { input: 512, output: 48, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
      },
    ],
    [
      "reasoning",
      {
        responseId: "930c60df-bf64-41c9-a88e-3ec75f81e00e",
        content: [
          thinking("The user wants the\nnumber of files."),
          text("I will count them."),
          call("call_00_pBcZ4uTnWkq2", "bash", { command: "ls | wc -l" }),
        ],
        stopReason: "tool-use",
        usage: { input: 68, output: 310, cacheRead: 832, cacheWrite: 0, reasoning: 270 },
      },
    ],
    [
      "openrouter",
      {
        responseId: "gen-1758014000-hT9wQkXz2LbVmR4c",
        content: [
          thinking("I should read it.", { encrypted: JSON.stringify(details) }),
          text("Reading."),
          call("toolu_01A09q90qw90lq917835lq9", "read", { path: "a.ts" }),
        ],
        stopReason: "tool-use",
        usage: { input: 100, output: 95, cacheRead: 1800, cacheWrite: 200, reasoning: 31 },
      },
    ],
    [
      "moonshot",
      {
        responseId: "chatcmpl-68c9a1f0b1d2",
        content: [thinking("Two lookups."), call("functions.search:0", "search", { query: "bun" })],
        stopReason: "tool-use",
        usage: { input: 144, output: 60, cacheRead: 256, cacheWrite: 0 },
      },
    ],
    [
      "mistral",
      {
        responseId: "b1f0c6a2f4d94b0a8f4f0f7ac3c2b8e1",
        content: [
          thinking("Simple sum."),
          text("Adding now."),
          call("D681PevKs", "bash", { command: "echo $((2+2))" }),
        ],
        stopReason: "tool-use",
        usage: { input: 120, output: 60, cacheRead: 0, cacheWrite: 0 },
      },
    ],
  ];
  test.each(rows)("%s becomes the same message, streamed or whole", async (name, expected) => {
    const whole = {
      role: "assistant",
      provider: "custom",
      api: "openai-completions",
      model: "some-model",
      ...expected,
    };
    expect(await messageFrom(`${name}.sse`)).toEqual(whole as AssistantMessage);
    expect(await messageFrom(`${name}.json`)).toEqual(whole as AssistantMessage);
  });
});

describe("tool calls", () => {
  const start = (part: string, id: string, name: string): WireEvent => ({ type: "tool-call-start", part, id, name });
  const piece = (part: string, value: string): WireEvent => ({ type: "tool-call-delta", part, text: value });

  test("hold their arguments until the name is known", () => {
    expect(
      eventsOf(
        calls({ index: 0, id: "call_1", function: { arguments: '{"a"' } }),
        calls({ index: 0, function: { arguments: ":1" } }),
        calls({ index: 0, function: { name: "read", arguments: "}" } }),
      ),
    ).toEqual([start("call-0", "call_1", "read"), piece("call-0", '{"a":1}')]);
  });

  test("may repeat their id and name in every chunk", () => {
    const repeated = (value: string) => calls({ index: 0, id: "call_1", function: { name: "read", arguments: value } });
    expect(eventsOf(repeated('{"a":'), repeated("1}"))).toEqual([
      start("call-0", "call_1", "read"),
      piece("call-0", '{"a":'),
      piece("call-0", "1}"),
    ]);
  });

  test("may come without a number", () => {
    expect(
      eventsOf(
        calls({ id: "call_1", function: { name: "read", arguments: "{" } }),
        calls({ function: { arguments: "}" } }),
        calls({ id: "call_2", function: { name: "list", arguments: "{}" } }),
        calls({ id: "call_1", function: { arguments: " " } }),
      ),
    ).toEqual([
      start("call-0", "call_1", "read"),
      piece("call-0", "{"),
      piece("call-0", "}"),
      start("call-1", "call_2", "list"),
      piece("call-1", "{}"),
      piece("call-0", " "),
    ]);
  });

  test("may all have the same number, told apart by their ids", () => {
    expect(
      eventsOf(
        calls({ index: 0, id: "call_1", function: { name: "read", arguments: "{}" } }),
        calls({ index: 0, id: "call_2", function: { name: "read", arguments: "{" } }),
        calls({ index: 0, function: { arguments: "}" } }),
      ),
    ).toEqual([
      start("call-0", "call_1", "read"),
      piece("call-0", "{}"),
      start("call-1", "call_2", "read"),
      piece("call-1", "{"),
      piece("call-1", "}"),
    ]);
  });

  test("may come whole, several in one chunk, with objects as arguments and without ids", () => {
    expect(
      eventsOf({
        id: "resp",
        ...calls(
          { function: { name: "read", arguments: { path: "a" } } },
          { function: { name: "list", arguments: "" } },
        ),
      }),
    ).toEqual([
      { type: "response", id: "resp" },
      start("call-0", "call_0_resp", "read"),
      piece("call-0", '{"path":"a"}'),
      start("call-1", "call_1_resp", "list"),
    ]);
  });

  test("keep the signature a thinking model puts on them, and the old form is read too", () => {
    const signed = {
      index: 0,
      id: "c",
      function: { name: "read" },
      extra_content: { google: { thought_signature: "s" } },
    };
    expect(eventsOf(calls(signed))).toEqual([
      { type: "tool-call-start", part: "call-0", id: "c", name: "read", signature: "s" },
    ]);
    expect(
      eventsOf(
        delta({ function_call: { name: "read", arguments: "" } }),
        delta({ function_call: { arguments: "{}" } }),
      ),
    ).toEqual([start("call-0", "call_0", "read"), piece("call-0", "{}")]);
  });

  test("that never get a name are no calls", () => {
    expect(eventsOf(calls({ index: 0, function: { arguments: "{}" } }), delta({}, "stop"))).toEqual([
      { type: "finish", reason: "stop" },
    ]);
  });
});

describe("thinking", () => {
  const thought = (value: string): WireEvent => ({ type: "thinking-delta", part: "thinking", text: value });

  test("is read from any of the fields, once", () => {
    expect(eventsOf(delta({ reasoning: "a", reasoning_content: "a" }))).toEqual([thought("a")]);
    expect(eventsOf(delta({ reasoning_text: "b" }))).toEqual([thought("b")]);
    expect(eventsOf(delta({ reasoning_details: [{ type: "reasoning.summary", summary: "c" }] }))).toEqual([
      thought("c"),
    ]);
  });

  test("that is hidden is kept beside the call it led to", () => {
    const hidden = { type: "reasoning.encrypted", data: "opaque", id: "call_1", format: "google-gemini-v1", index: 0 };
    expect(
      eventsOf(
        delta({ reasoning_details: [hidden], tool_calls: [{ index: 0, id: "call_1", function: { name: "read" } }] }),
        delta({ reasoning_details: [hidden] }, "tool_calls"),
      ),
    ).toEqual([
      { type: "thinking-end", part: "thinking", encrypted: JSON.stringify([hidden]) },
      { type: "tool-call-start", part: "call-0", id: "call_1", name: "read" },
      { type: "thinking-end", part: "thinking", encrypted: JSON.stringify([hidden]) },
      { type: "finish", reason: "tool-use" },
    ]);
  });
});

describe("the end", () => {
  const reasons: [string, string][] = [
    ["stop", "stop"],
    ["length", "length"],
    ["max_tokens", "length"],
    ["tool_calls", "tool-use"],
    ["function_call", "tool-use"],
    ["content_filter", "refusal"],
    ["something_new", "stop"],
    ["constructor", "stop"],
  ];
  test.each(reasons)("%s means %s", (reason, expected) => {
    expect(eventsOf(delta({}, reason))).toEqual([{ type: "finish", reason: expected } as WireEvent]);
  });

  test("stop means that tools are wanted when there were calls, and a refusal when the model refused", () => {
    const call = calls({ index: 0, id: "c", function: { name: "read", arguments: "{}" } });
    expect(eventsOf(call, delta({}, "stop")).at(-1)).toEqual({ type: "finish", reason: "tool-use" });
    expect(eventsOf(call, delta({}, "length")).at(-1)).toEqual({ type: "finish", reason: "length" });
    expect(eventsOf(delta({ refusal: "I cannot." }), delta({}, "stop"))).toEqual([
      { type: "text-delta", part: "text", text: "I cannot." },
      { type: "finish", reason: "refusal" },
    ]);
  });

  test("is told once, and the counts may follow it", () => {
    expect(
      eventsOf(delta({}, "stop"), delta({}, "stop"), {
        choices: [],
        usage: { prompt_tokens: 3, completion_tokens: 2 },
      }),
    ).toEqual([
      { type: "finish", reason: "stop" },
      { type: "usage", usage: { input: 3, cacheRead: 0, cacheWrite: 0, output: 2 } },
    ]);
  });

  test("counts thinking that a provider leaves out of its completion tokens", () => {
    const usage = {
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 35,
      completion_tokens_details: { reasoning_tokens: 20 },
    };
    expect(eventsOf({ choices: [], usage })).toEqual([
      { type: "usage", usage: { input: 10, cacheRead: 0, cacheWrite: 0, output: 25, reasoning: 20 } },
    ]);
  });
});

describe("an error inside the answer", () => {
  const rows: [unknown, { kind: string; message: string; retryable: boolean }][] = [
    [
      { error: { message: "Rate limit reached", type: "requests", code: "rate_limit_exceeded" } },
      { kind: "rate-limit", message: "Rate limit reached", retryable: true },
    ],
    [
      { id: "gen", error: { code: 502, message: "Provider disconnected" }, choices: [delta({}, "error").choices[0]] },
      { kind: "server", message: "Provider disconnected", retryable: true },
    ],
    [{ error: { code: 402, message: "No credits" } }, { kind: "quota", message: "No credits", retryable: false }],
    [{ error: { code: "401", message: "Bad key" } }, { kind: "credentials", message: "Bad key", retryable: false }],
    [{ error: "it broke" }, { kind: "server", message: "it broke", retryable: true }],
    [
      { object: "error", message: "maximum context length is 4096", type: "BadRequestError", code: 400 },
      { kind: "context-overflow", message: "maximum context length is 4096", retryable: false },
    ],
    [
      delta({}, "insufficient_system_resource"),
      { kind: "server", message: "the provider has no capacity left for this answer", retryable: true },
    ],
  ];
  test.each(rows)("%j", (chunk, error) => {
    expect(eventsOf(chunk)).toEqual([{ type: "fail", error } as WireEvent]);
  });

  test("is none when the field is empty", () => {
    expect(eventsOf({ error: null, ...delta({ content: "a" }) })).toEqual([
      { type: "text-delta", part: "text", text: "a" },
    ]);
  });
});

describe("whatever arrives", () => {
  const KEYS = [
    ...[
      "id",
      "choices",
      "delta",
      "message",
      "content",
      "tool_calls",
      "function",
      "name",
      "arguments",
      "index",
      "error",
    ],
    ...["usage", "prompt_tokens", "finish_reason", "reasoning_details", "reasoning", "type", "text", "__proto__"],
  ];
  const { json } = fc.letrec<{ json: unknown }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 6 },
      fc.constantFrom(null, true, 0, -1, "", "read", "stop", "reasoning.encrypted"),
      fc.array(tie("json"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...KEYS), tie("json"), { maxKeys: 6 }),
    ),
  }));

  test("the reader returns and its state goes on", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(json, fc.jsonValue()), { maxLength: 5 }), (chunks) => {
        for (const event of eventsOf(...chunks)) expect(typeof event.type).toBe("string");
        for (const chunk of chunks) openaiCompletions.readBody(chunk);
      }),
      { numRuns: 500 },
    );
  });

  test("a step leaves the state before it as it was", () => {
    const before = openaiCompletions.step(openaiCompletions.start(), {
      event: "",
      data: calls({ index: 0, id: "a", function: { name: "read", arguments: "{" } }),
    }).state;
    const copy = structuredClone(before);
    const again = () =>
      openaiCompletions.step(before, { event: "", data: calls({ index: 0, function: { arguments: "}" } }) }).events;
    expect(again()).toEqual(again());
    expect(before).toEqual(copy);
  });
});
