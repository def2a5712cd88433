import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import type { OllamaState } from "../../../src/llm/protocols/ollama-chat/stream.ts";
import { ollamaChat } from "../../../src/llm/protocols/ollama-chat.ts";
import { createAnswerReader } from "../../../src/llm/read-answer.ts";
import type { WireEvent } from "../../../src/llm/wire-protocol.ts";
import { EFFORTS } from "../../../src/protocol/effort.ts";
import type { Json, JsonObject } from "../../../src/protocol/json.ts";
import type { AssistantMessage, AssistantPart, Message } from "../../../src/protocol/messages.ts";
import type { ModelRequest } from "../../../src/protocol/model-request.ts";
import type { Model } from "../../../src/protocol/models.ts";
import { answered, called, chatModel, chatRequest, READ_TOOL, returned, said } from "../../support/chat-requests.ts";

const FIXTURES = new URL("../../fixtures/wire/ollama-chat/", import.meta.url);
const OLLAMA: Partial<Model> = {
  api: "ollama-chat",
  provider: "ollama",
  baseUrl: "http://127.0.0.1:11434",
  id: "qwen3:32b",
};

function bodyOf(request: Partial<ModelRequest>, model: Partial<Model> = {}): JsonObject {
  return ollamaChat.buildRequest(chatRequest(request), chatModel({ ...OLLAMA, ...model })).body;
}

async function messageFrom(file: string): Promise<AssistantMessage> {
  const answer = createAnswerReader(ollamaChat, { model: chatModel(OLLAMA), tools: [], emit: () => {} });
  const text = await Bun.file(new URL(file, FIXTURES)).text();
  if (file.endsWith(".jsonl")) answer.push(new TextEncoder().encode(text));
  else answer.pushWhole(text);
  const end = answer.end();
  if (end.type !== "done") throw new Error(`${file} ended with ${JSON.stringify(end.error)}`);
  return end.message;
}

function eventsOf(...lines: unknown[]): WireEvent[] {
  let state: OllamaState = ollamaChat.start();
  return lines.flatMap((data) => {
    const step = ollamaChat.step(state, { event: "", data });
    state = step.state;
    return step.events;
  });
}

describe("a request", () => {
  test("carries everything in Ollama's words", () => {
    const image = { type: "image", mediaType: "image/png", data: "aGk=" } as const;
    const pdf = { type: "image", mediaType: "application/pdf", data: "cGRm" } as const;
    const messages: Message[] = [
      { role: "user", content: [{ type: "text", text: "See" }, image, pdf] },
      answered([{ type: "thinking", text: "Hmm" }, { type: "text", text: "Reading." }, called("call_1")]),
      returned("call_1", "content"),
    ];
    const request = chatRequest({
      system: { base: "Base.", dynamic: "Mode: plan." },
      messages,
      tools: [READ_TOOL],
      effort: "high",
      maxOutputTokens: 500,
    });
    const model = chatModel({ ...OLLAMA, reasoning: true, compat: { extraBody: { keep_alive: "10m", model: "x" } } });
    expect(ollamaChat.buildRequest(request, model)).toEqual({
      path: "/api/chat",
      headers: {},
      body: {
        model: "qwen3:32b",
        stream: true,
        options: { num_predict: 500 },
        think: true,
        tools: [
          {
            type: "function",
            function: { name: "read", description: "Reads a file.", parameters: READ_TOOL.parameters as JsonObject },
          },
        ],
        messages: [
          { role: "system", content: "Base." },
          { role: "user", content: "See\n[a PDF document is left out: Ollama does not take it]", images: ["aGk="] },
          {
            role: "assistant",
            content: "Reading.",
            thinking: "Hmm",
            tool_calls: [{ id: "call_1", function: { name: "read", arguments: { path: "a.ts" } } }],
          },
          { role: "tool", content: "content", tool_name: "read", tool_call_id: "call_1" },
          { role: "system", content: "Mode: plan." },
        ],
        keep_alive: "10m",
      },
    });
  });

  test("says no more than it must", () => {
    expect(bodyOf({ stream: false })).toEqual({
      model: "qwen3:32b",
      stream: false,
      messages: [
        { role: "system", content: "Base." },
        { role: "user", content: "Hello" },
      ],
    });
  });

  test("leaves the tools out where none may be called or the model has none", () => {
    expect(bodyOf({ tools: [READ_TOOL], toolChoice: "none" }).tools).toBeUndefined();
    expect(bodyOf({ tools: [READ_TOOL] }, { tools: false }).tools).toBeUndefined();
  });

  test("asks for thinking as a switch, as a level, or not at all", () => {
    const thinks = (model: Partial<Model>) => EFFORTS.map((effort) => bodyOf({ effort }, model).think);
    const levels = { thinking: { levels: [...EFFORTS] } as Model["thinking"] };
    expect(thinks({ reasoning: true })).toEqual([false, true, true, true, true, true, true]);
    expect(thinks({ reasoning: true, id: "gpt-oss:20b", ...levels })).toEqual([
      ...[false, "low", "low", "medium"],
      ...["high", "high", "high"],
    ]);
    expect(thinks({ reasoning: false })).toEqual(EFFORTS.map(() => undefined));
    expect(bodyOf({ effort: "high" }, { reasoning: true, compat: { reasoningEffortMap: { high: "max" } } }).think).toBe(
      "max",
    );
  });

  test("begins like the one before it, ten times over", () => {
    const messages: Message[] = [];
    let previous = "";
    for (let round = 0; round < 10; round += 1) {
      messages.push(
        said(`Question ${round}`),
        answered([called(`call_${round}`)]),
        returned(`call_${round}`, `Result ${round}`),
      );
      const bytes = JSON.stringify(bodyOf({ messages, system: { base: "Base.", dynamic: `Round ${round}` } }));
      const stable = previous.slice(0, previous.indexOf(`,{"role":"system","content":"Round ${round - 1}"`));
      if (round > 0) expect(bytes.startsWith(stable)).toBe(true);
      previous = bytes;
    }
  });
});

describe("a recorded answer", () => {
  const call = (id: Json, name: string, input: Record<string, unknown>) => ({ type: "tool-call", id, name, input });
  const made = expect.stringMatching(/^call_[0-9a-f]{16}$/);
  const rows: [string, unknown[], string][] = [
    ["text", [{ type: "text", text: "Hello there!" }], "stop"],
    [
      "tools",
      [
        { type: "thinking", text: "I need both." },
        { type: "text", text: "Reading." },
        call(made, "read", { path: "src/a.ts" }),
        call(made, "read", { path: "src/b.ts", limit: 5 }),
      ],
      "tool-use",
    ],
    [
      "call-ids",
      [{ type: "thinking", text: "Listing." }, call("call_p7o2gz50", "bash", { command: "ls" })],
      "tool-use",
    ],
  ];
  test.each(rows)("%s becomes the same message, streamed or whole", async (name, content, stopReason) => {
    const expected = {
      role: "assistant",
      content: content as AssistantPart[],
      provider: "ollama",
      api: "ollama-chat",
      model: "qwen3:32b",
      stopReason,
      usage: { input: 318, output: 24, cacheRead: 0, cacheWrite: 0 },
    } as AssistantMessage;
    expect(await messageFrom(`${name}.jsonl`)).toEqual(expected);
    expect(await messageFrom(`${name}.json`)).toEqual(expected);
  });
});

describe("the stream", () => {
  const line = (message: object, rest: object = { done: false }) => ({
    created_at: "2025-09-16T09:12:01Z",
    message,
    ...rest,
  });

  test("makes ids that are the same for the same answer and different for every call", () => {
    const same = { function: { name: "read", arguments: { path: "a" } } };
    const ids = (created_at: string) =>
      eventsOf(
        { ...line({ tool_calls: [same, same] }), created_at },
        { ...line({ tool_calls: [same] }), created_at },
      ).flatMap((event) => (event.type === "tool-call-start" ? [event.id] : []));
    expect(ids("2025-09-16T09:12:01Z")).toEqual(ids("2025-09-16T09:12:01Z"));
    expect(new Set([...ids("2025-09-16T09:12:01Z"), ...ids("2025-09-16T09:13:44Z")]).size).toBe(6);
  });

  test("ends for lack of room with the counts that came", () => {
    expect(eventsOf(line({ content: "" }, { done: true, done_reason: "length", eval_count: 7 }))).toEqual([
      { type: "usage", usage: { input: 0, output: 7 } },
      { type: "finish", reason: "length" },
    ]);
  });

  test("reports an error inside the answer", () => {
    expect(eventsOf({ error: "model runner has unexpectedly stopped" })).toEqual([
      {
        type: "fail",
        error: { kind: "server", message: "model runner has unexpectedly stopped", retryable: true },
      },
    ]);
  });

  test("takes whatever arrives", () => {
    const keys = [
      "message",
      "content",
      "thinking",
      "tool_calls",
      "function",
      "name",
      "arguments",
      "done",
      "error",
      "id",
    ];
    const { json } = fc.letrec<{ json: unknown }>((tie) => ({
      json: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom(null, true, 0, "", "read"),
        fc.array(tie("json"), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...keys), tie("json"), { maxKeys: 5 }),
      ),
    }));
    fc.assert(
      fc.property(fc.array(fc.oneof(json, fc.jsonValue()), { maxLength: 4 }), (lines) => {
        for (const event of eventsOf(...lines)) expect(typeof event.type).toBe("string");
        for (const one of lines) ollamaChat.readBody(one);
      }),
      { numRuns: 300 },
    );
  });
});
