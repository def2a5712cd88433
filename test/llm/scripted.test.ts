import { afterAll, describe, expect, test } from "bun:test";
import { createStreamModel } from "../../src/llm/stream.ts";
import type { AssistantMessage, Message } from "../../src/protocol/messages.ts";
import type { ModelEnd, ModelEvent } from "../../src/protocol/model-events.ts";
import type { Script, ScriptStep } from "../../src/protocol/script.ts";
import { systemClock } from "../../src/system/clock.ts";
import { type ManualClock, manualClock } from "../support/manual-clock.ts";
import { modelNamed } from "../support/model-fixtures.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

const workspace = tempWorkspace();
afterAll(() => workspace.stop());
let scripts = 0;

const USAGE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

interface Asking {
  messages?: Message[];
  clock?: ManualClock;
  signal?: AbortSignal;
  mayRestart?: boolean;
}

function user(text: string): Message {
  return { role: "user", content: [{ type: "text", text }] };
}

function model(baseUrl: string) {
  return modelNamed("scripted/test", { api: "scripted", baseUrl, auth: "none" });
}

/** Plays a script and returns the events before the end, and the end. */
function play(turns: Script["turns"], asking: Asking = {}) {
  return playScript({ turns }, asking);
}

async function playScript(script: object, asking: Asking): Promise<{ events: ModelEvent[]; end: ModelEnd }> {
  const path = workspace.write(`${scripts++}.yml`, JSON.stringify({ version: 1, ...script }));
  const stream = createStreamModel({
    model: model(path),
    credential: { type: "none" },
    clock: asking.clock ?? systemClock,
    random: () => 0.5,
    userAgent: "test",
    retries: { baseDelayMs: 1 },
  });
  const events: ModelEvent[] = [];
  const end = await stream(
    { system: { base: "" }, messages: asking.messages ?? [user("hi")], tools: [], effort: "off", stream: true },
    {
      signal: asking.signal ?? new AbortController().signal,
      emit: (event) => events.push(event),
      mayRestart: () => asking.mayRestart ?? true,
    },
  );
  expect(events.at(-1)).toEqual(end);
  return { events: events.slice(0, -1), end };
}

function answer(content: AssistantMessage["content"], over: Partial<AssistantMessage> = {}): ModelEnd {
  const message: AssistantMessage = {
    role: "assistant",
    content,
    provider: "scripted",
    api: "scripted",
    model: "test",
    stopReason: "stop",
    usage: USAGE,
    ...over,
  };
  return { type: "done", message };
}

const only = (...steps: ScriptStep[]): Script["turns"] => [{ steps }];
const textOf = (end: ModelEnd) => (end.type === "done" ? end.message.content[0] : end.error.message);

describe("a step", () => {
  test("of text and thinking is a delta, or one each of a list, or many of the same", async () => {
    const { events, end } = await play(only({ thinking: ["a", "b"] }, { text: "c" }, { text: ["d", "e"], repeat: 2 }));
    const deltas = events.flatMap((event) => ("text" in event ? [`${event.type} ${event.text}`] : []));
    expect(deltas).toEqual([
      "thinking-delta a",
      "thinking-delta b",
      ...["c", "d", "e", "d", "e"].map((text) => `text-delta ${text}`),
    ]);
    expect(end).toEqual(
      answer([
        { type: "thinking", text: "ab" },
        { type: "text", text: "cdede" },
      ]),
    );
  });

  test("of a tool calls it, with ids of its own where none is given", async () => {
    const { end } = await play(
      only(
        { tool: { name: "read", input: { path: "a" } } },
        { tool: { name: "list" } },
        { tool: { name: "read", id: "mine", raw: ['{"pa', 'th":'] } },
      ),
    );
    expect(end).toEqual(
      answer(
        [
          { type: "tool-call", id: "call_1_1", name: "read", input: { path: "a" } },
          { type: "tool-call", id: "call_1_2", name: "list", input: {} },
          { type: "tool-call", id: "mine", name: "read", input: {}, invalidInput: '{"path":' },
        ],
        { stopReason: "tool-use" },
      ),
    );
  });

  test("of usage and stop says how it ended", async () => {
    const { end } = await play(only({ text: "a" }, { usage: { input: 3, output: 4 } }, { stop: "length" }));
    const usage = { ...USAGE, input: 3, output: 4 };
    expect(end).toEqual(answer([{ type: "text", text: "a" }], { stopReason: "length", usage }));
  });

  test("of waiting lets the time pass, and an abort ends it at once with what had come", async () => {
    const clock = manualClock();
    const steps = only({ text: "a" }, { wait: 5000 }, { text: "b" });
    const playing = play(steps, { clock });
    while (clock.pending() === 0) await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(5000);
    expect(textOf((await playing).end)).toEqual({ type: "text", text: "ab" });
    const controller = new AbortController();
    const aborting = play(steps, { clock, signal: controller.signal });
    while (clock.pending() === 0) await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    const { end } = await aborting;
    expect(end).toMatchObject({ type: "error", error: { kind: "aborted" }, partial: { content: [{ text: "a" }] } });
  });

  test("of an error ends with it", async () => {
    const { end } = await play(only({ error: { kind: "quota", message: "no money", status: 402 } }));
    expect(end.type === "error" && end.error).toEqual({
      kind: "quota",
      message: "no money",
      status: 402,
      retryable: false,
    });
  });

  test("of a cut is an answer that ended in the middle", async () => {
    const { end } = await play(only({ text: "half" }, { cut: true }), { mayRestart: false });
    expect(end).toMatchObject({
      type: "error",
      error: { kind: "stream-cut", retryable: true },
      partial: { content: [{ type: "text", text: "half" }] },
    });
  });
});

describe("a turn", () => {
  const said = (text: string): Message[] => [
    user("q"),
    { ...(answer([{ type: "text", text }]) as Extract<ModelEnd, { type: "done" }>).message },
  ];

  test("fails by attempt before it is played", async () => {
    const failures: ScriptStep[][] = [[{ error: { kind: "server" } }], [{ text: "half" }, { cut: true }]];
    const { events, end } = await play([{ failures, steps: [{ text: "whole" }] }]);
    const retries = events.flatMap((event) => (event.type === "attempt-retry" ? [event.error.kind] : []));
    expect(retries).toEqual(["server", "stream-cut"]);
    expect(textOf(end)).toEqual({ type: "text", text: "whole" });
  });

  test("is chosen by the answers the conversation has, a repeated one counting as many", async () => {
    const turns: Script["turns"] = [
      { steps: [{ text: "one" }] },
      { repeat: 2, steps: [{ text: "two" }] },
      { steps: [{ text: "four" }] },
    ];
    const played: unknown[] = [];
    for (const answers of [0, 1, 2, 3, 4]) {
      const messages = [...Array.from({ length: answers }, () => said("x")).flat(), user("q")];
      played.push(textOf((await play(turns, { messages })).end));
    }
    expect(played.slice(0, 4)).toEqual(["one", "two", "two", "four"].map((text) => ({ type: "text", text })));
    expect(played[4]).toEndWith(".yml has no turn for answer 5");
  });

  test("with `when` is played where the newest question contains it, and is not counted", async () => {
    const turns: Script["turns"] = [
      { when: "summarise", steps: [{ text: "a summary" }] },
      { steps: [{ text: "first" }] },
    ];
    const ask = async (...texts: string[]) => textOf((await play(turns, { messages: texts.map(user) })).end);
    expect(await ask("please summarise this")).toEqual({ type: "text", text: "a summary" });
    expect(await ask("summarise", "no, go on")).toEqual({ type: "text", text: "first" });
  });

  test("is one of its conversation, chosen by what the first message says; the common turns play wherenothing fits", async () => {
    const turn = (text: string) => ({ steps: [{ text }] });
    const script = {
      conversations: [
        { opens: ["US-2", "failed"], turns: [turn("again")] },
        { opens: "US-2", turns: [turn("begin"), turn("go on")] },
      ],
      turns: [turn("anything")],
    };
    const reply = async (...messages: Message[]) => {
      const { end } = await playScript(script, { messages });
      return end.type === "done" ? end.message.content : end;
    };
    const text = (words: string) => [{ type: "text" as const, text: words }];
    expect([
      await reply(user("US-1")),
      await reply(user("do US-2")),
      await reply(user("do US-2"), ...said("begin").slice(-1), user("US-2 failed")),
      await reply(user("US-2, which failed")),
    ]).toEqual([text("anything"), text("begin"), text("go on"), text("again")]);
  });
});

test("the demonstration has an answer, with thinking and counts", async () => {
  const stream = createStreamModel({
    model: model("demo:"),
    credential: { type: "none" },
    clock: systemClock,
    random: Math.random,
    userAgent: "test",
  });
  const request = { system: { base: "" }, messages: [user("hi")], tools: [], effort: "off" as const, stream: true };
  const end = await stream(request, { signal: new AbortController().signal, emit: () => {} });
  expect(end).toMatchObject({ type: "done", message: { stopReason: "stop", usage: { input: 12, output: 40 } } });
});
