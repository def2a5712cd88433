import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { AgentEvent } from "../../src/protocol/agent-events.ts";
import type { AssistantMessage, ToolCallPart, ToolResultMessage } from "../../src/protocol/messages.ts";
import type { ModelError } from "../../src/protocol/model-errors.ts";
import { SESSION_EVENTS, type SessionEvent } from "../../src/rpc/session-event-shapes.ts";
import { MAX_END_CHARACTERS, startOfSessionEvents, stepSessionEvents } from "../../src/rpc/session-events.ts";

const USAGE = { input: 3, output: 2, cacheRead: 5, cacheWrite: 0 };
const WIRE_USAGE = { ...USAGE, totalTokens: 10 };
const TOTALS = { turns: 1, usage: USAGE };
const START: AgentEvent = { type: "agent-start", version: 1, sessionId: "s", model: "scripted/demo", effort: "off" };
const END: AgentEvent = { type: "agent-end", outcome: { type: "done" }, totals: TOTALS };
const GROWING = { role: "assistant" as const, content: [] as [] };
const OVERLOADED: ModelError = { kind: "server", message: "overloaded", retryable: true };

function answer(
  content: AssistantMessage["content"],
  stopReason: AssistantMessage["stopReason"] = "stop",
): AssistantMessage {
  return { role: "assistant", content, provider: "scripted", api: "scripted", model: "demo", stopReason, usage: USAGE };
}

function wireAnswer(content: unknown[], more: object = { stopReason: "stop" }) {
  return {
    role: "assistant",
    content,
    api: "scripted",
    provider: "scripted",
    model: "demo",
    usage: WIRE_USAGE,
    ...more,
  };
}

function failedAnswer(more: object) {
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 };
  return { role: "assistant", content: [], api: "", provider: "scripted", model: "demo", usage, ...more };
}

function told(...events: AgentEvent[]): SessionEvent[] {
  let state = startOfSessionEvents();
  return events.flatMap((event) => {
    const step = stepSessionEvents(state, event);
    state = step.state;
    return step.events;
  });
}

/** As a reader of the JSON gets them. */
function onTheWire(events: readonly SessionEvent[]): unknown[] {
  return JSON.parse(JSON.stringify(events));
}

const update = (event: Extract<AgentEvent, { type: "message-update" }>["event"]): AgentEvent => ({
  type: "message-update",
  event,
});

describe("the events of a session", () => {
  test("tell a prompt, a growing answer and the end with everything that was said", () => {
    const said = answer([
      { type: "thinking", text: "hm", signature: "opaque" },
      { type: "text", text: "Hello" },
    ]);
    const events = told(
      START,
      { type: "message-start", role: "user" },
      { type: "message-end", message: { role: "user", content: [{ type: "text", text: "hi" }] } },
      { type: "turn-start", turn: 1 },
      { type: "message-start", role: "assistant" },
      update({ type: "thinking-start", index: 0 }),
      update({ type: "thinking-delta", index: 0, text: "hm" }),
      update({ type: "thinking-end", index: 0 }),
      update({ type: "text-start", index: 1 }),
      update({ type: "text-delta", index: 1, text: "Hel" }),
      update({ type: "text-delta", index: 1, text: "lo" }),
      update({ type: "text-end", index: 1 }),
      update({ type: "usage", usage: USAGE }),
      update({ type: "done", message: said }),
      { type: "message-end", message: said },
      { type: "turn-end", turn: 1, message: said },
      END,
    );
    const user = { role: "user", content: [{ type: "text", text: "hi" }] };
    const wire = wireAnswer([
      { type: "thinking", thinking: "hm" },
      { type: "text", text: "Hello" },
    ]);
    const grown = (assistantMessageEvent: object) => ({
      type: "message_update",
      message: GROWING,
      assistantMessageEvent,
    });
    expect(onTheWire(events)).toEqual([
      { type: "agent_start" },
      { type: "message_start", message: user },
      { type: "message_end", message: user },
      { type: "turn_start" },
      { type: "message_start", message: GROWING },
      grown({ type: "thinking_start", contentIndex: 0 }),
      grown({ type: "thinking_delta", contentIndex: 0, delta: "hm" }),
      grown({ type: "thinking_end", contentIndex: 0, content: "hm" }),
      grown({ type: "text_start", contentIndex: 1 }),
      grown({ type: "text_delta", contentIndex: 1, delta: "Hel" }),
      grown({ type: "text_delta", contentIndex: 1, delta: "lo" }),
      grown({ type: "text_end", contentIndex: 1, content: "Hello" }),
      { type: "message_end", message: wire },
      { type: "turn_end", message: wire, toolResults: [] },
      { type: "agent_end", messages: [user, wire], outcome: { type: "done" }, totals: TOTALS },
    ]);
  });

  test("tell a tool call with its output and its result, and one that was refused as begun and ended", () => {
    const calls = [call("c1", { command: "ls" }), call("c2", { command: "rm" })];
    const said = answer(calls, "tool-use");
    const events = told(
      START,
      { type: "turn-start", turn: 1 },
      { type: "message-start", role: "assistant" },
      { type: "message-end", message: said },
      { type: "tool-start", call: call("c1", { command: "ls" }) },
      { type: "tool-update", toolCallId: "c1", text: "a.txt\n" },
      { type: "tool-end", toolCallId: "c1", result: result("c1", "a.txt", false), durationMs: 7 },
      { type: "tool-end", toolCallId: "c2", result: result("c2", "Not run: no.", true), durationMs: 0 },
      { type: "turn-end", turn: 1, message: said },
    );
    const wire = wireAnswer(
      [
        { type: "toolCall", id: "c1", name: "shell", arguments: { command: "ls" } },
        { type: "toolCall", id: "c2", name: "shell", arguments: { command: "rm" } },
      ],
      { stopReason: "toolUse" },
    );
    const [first, second] = [wireResult("c1", "a.txt", false), wireResult("c2", "Not run: no.", true)];
    const of = (toolCallId: string) => ({ toolCallId, toolName: "shell" });
    expect(onTheWire(events).slice(3)).toEqual([
      { type: "message_end", message: wire },
      { type: "tool_execution_start", ...of("c1"), args: { command: "ls" } },
      {
        type: "tool_execution_update",
        ...of("c1"),
        args: { command: "ls" },
        partialResult: { content: [{ type: "text", text: "a.txt\n" }] },
      },
      { type: "tool_execution_end", ...of("c1"), result: { content: first.content }, isError: false, durationMs: 7 },
      { type: "message_start", message: first },
      { type: "message_end", message: first },
      { type: "tool_execution_start", ...of("c2"), args: { command: "rm" } },
      { type: "tool_execution_end", ...of("c2"), result: { content: second.content }, isError: true, durationMs: 0 },
      { type: "message_start", message: second },
      { type: "message_end", message: second },
      { type: "turn_end", message: wire, toolResults: [first, second] },
    ]);
  });

  test("void what a failed attempt had said, and say how the retries ended", () => {
    const said = answer([{ type: "text", text: "yes" }]);
    const events = told(
      START,
      { type: "message-start", role: "assistant" },
      update({ type: "text-start", index: 0 }),
      update({ type: "attempt-retry", attempt: 1, delayMs: 20, error: OVERLOADED }),
      update({ type: "text-start", index: 0 }),
      update({ type: "done", message: said }),
      { type: "message-end", message: said },
    );
    const grown = {
      type: "message_update",
      message: GROWING,
      assistantMessageEvent: { type: "text_start", contentIndex: 0 },
    };
    expect(onTheWire(events)).toEqual([
      { type: "agent_start" },
      { type: "message_start", message: GROWING },
      grown,
      { type: "message_end", message: failedAnswer({ stopReason: "error", errorMessage: "overloaded" }) },
      { type: "auto_retry_start", attempt: 1, delayMs: 20, errorMessage: "overloaded" },
      { type: "message_start", message: GROWING },
      grown,
      { type: "auto_retry_end", success: true, attempt: 1 },
      { type: "message_end", message: wireAnswer([{ type: "text", text: "yes" }]) },
    ]);
  });

  test("end an answer that failed without a word, and a turn that has none", () => {
    const failed = failedAnswer({ stopReason: "error", errorMessage: "overloaded" });
    const events = told(
      START,
      { type: "turn-start", turn: 1 },
      { type: "message-start", role: "assistant" },
      update({ type: "attempt-retry", attempt: 1, delayMs: 20, error: OVERLOADED }),
      update({ type: "error", error: OVERLOADED }),
      { type: "turn-end", turn: 1 },
      { type: "agent-end", outcome: { type: "failed", error: OVERLOADED }, totals: TOTALS },
    );
    expect(onTheWire(events).slice(6)).toEqual([
      { type: "auto_retry_end", success: false, attempt: 1, finalError: "overloaded" },
      { type: "message_end", message: failed },
      { type: "turn_end", message: failed, toolResults: [] },
      { type: "agent_end", messages: [], outcome: { type: "failed", error: OVERLOADED }, totals: TOTALS },
    ]);
  });

  test("tell an answer that was stopped from one that broke off", () => {
    const partial = answer([{ type: "text", text: "Hal" }], "cut");
    const ended = (kind: ModelError["kind"]) =>
      onTheWire(
        told(
          START,
          { type: "message-start", role: "assistant" },
          update({ type: "error", error: { kind, message: "why", retryable: false }, partial }),
          { type: "message-end", message: partial },
        ),
      ).at(-1);
    const text = [{ type: "text", text: "Hal" }];
    const end = (more: object) => ({
      type: "message_end",
      message: wireAnswer(text, { ...more, errorMessage: "why" }),
    });
    expect([ended("aborted"), ended("stream-cut")]).toEqual([
      end({ stopReason: "aborted" }),
      end({ stopReason: "error" }),
    ]);
  });

  test("tell compactions that happen by themselves, and none that somebody asked for", () => {
    const compacted = (trigger: "automatic" | "overflow" | "person"): AgentEvent[] => [
      { type: "compaction-start", trigger, reason: "90 of 100", tokens: 90 },
      { type: "compaction-end", result: { type: "summarised", messages: 4, tokensBefore: 90, tokensAfter: 20 } },
    ];
    const failure: AgentEvent[] = [
      { type: "compaction-start", trigger: "automatic", reason: "90 of 100", tokens: 90 },
      { type: "compaction-end", result: { type: "failed", problem: "no model" } },
    ];
    const result = { type: "summarised", messages: 4, tokensBefore: 90, tokensAfter: 20 };
    const start = { type: "auto_compaction_start", message: "90 of 100", tokens: 90 };
    const end = { type: "auto_compaction_end", aborted: false };
    expect(
      onTheWire(told(...compacted("automatic"), ...compacted("overflow"), ...compacted("person"), ...failure)),
    ).toEqual([
      { ...start, reason: "threshold" },
      { ...end, result, willRetry: false },
      { ...start, reason: "overflow" },
      { ...end, result, willRetry: true },
      { ...start, reason: "threshold" },
      { ...end, willRetry: false, errorMessage: "no model" },
    ]);
  });

  test("leave out the oldest messages at the end where all together are too long", () => {
    const long = "x".repeat(MAX_END_CHARACTERS / 2);
    const user = (text: string): AgentEvent => ({
      type: "message-end",
      message: { role: "user", content: [{ type: "text", text }] },
    });
    const events = told(START, user(`${long}1`), user(`${long}2`), user("3"), END);
    const end = events.at(-1);
    const kept = end?.type === "agent_end" ? end.messages.map(({ content }) => content[0]) : [];
    expect({ omitted: end?.type === "agent_end" && end.omitted, kept }).toEqual({
      omitted: 1,
      kept: [
        { type: "text", text: `${long}2` },
        { type: "text", text: "3" },
      ],
    });
  });

  test("fit their shapes, and every start has its end, whatever the agent reports", () => {
    fc.assert(
      fc.property(fc.array(anyEvent(), { maxLength: 40 }), (reported) => {
        const events = told(START, ...reported, END);
        for (const event of events) {
          const shape = SESSION_EVENTS[event.type].shape;
          expect(shape.safeParse(JSON.parse(JSON.stringify(event))).error).toBeUndefined();
        }
        const count = (type: SessionEvent["type"]) => events.filter((event) => event.type === type).length;
        expect(count("message_start")).toBe(count("message_end"));
        expect(count("agent_end")).toBe(1);
        expect(events.at(-1)?.type).toBe("agent_end");
        expect(count("auto_retry_end")).toBeLessThanOrEqual(count("auto_retry_start"));
      }),
    );
  });
});

function call(id: string, input: Record<string, unknown>): ToolCallPart {
  return { type: "tool-call", id, name: "shell", input };
}

function result(toolCallId: string, text: string, isError: boolean): ToolResultMessage {
  return { role: "tool-result", toolCallId, toolName: "shell", content: [{ type: "text", text }], isError };
}

function wireResult(toolCallId: string, text: string, isError: boolean) {
  return { role: "toolResult", toolCallId, toolName: "shell", content: [{ type: "text", text }], isError };
}

function anyEvent(): fc.Arbitrary<AgentEvent> {
  const index = fc.nat({ max: 2 });
  const text = fc.string();
  const id = fc.constantFrom("c1", "c2");
  const event = <Event extends AgentEvent>(value: fc.Arbitrary<Event>): fc.Arbitrary<AgentEvent> => value;
  return fc.oneof(
    event(fc.record({ type: fc.constant("turn-start" as const), turn: fc.nat() })),
    event(fc.record({ type: fc.constant("turn-end" as const), turn: fc.nat() })),
    event(fc.constant({ type: "message-start" as const, role: "assistant" as const })),
    fc
      .record({ index, text })
      .map(({ index: at, text: piece }) => update({ type: "text-delta", index: at, text: piece })),
    index.map((at) => update({ type: "thinking-end", index: at })),
    index.map((at) => update({ type: "tool-call-end", index: at, id: "c1", name: "shell", input: { a: 1 } })),
    fc.constant(update({ type: "attempt-retry", attempt: 1, delayMs: 5, error: OVERLOADED })),
    fc.constant(update({ type: "error", error: OVERLOADED })),
    text.map((said): AgentEvent => ({ type: "message-end", message: answer([{ type: "text", text: said }]) })),
    id.map((each): AgentEvent => ({ type: "tool-start", call: call(each, { command: "ls" }) })),
    id.map((each): AgentEvent => ({ type: "tool-update", toolCallId: each, text: "x" })),
    id.map(
      (each): AgentEvent => ({ type: "tool-end", toolCallId: each, result: result(each, "ok", false), durationMs: 1 }),
    ),
    fc.constantFrom<AgentEvent>(
      { type: "compaction-start", trigger: "automatic", reason: "r", tokens: 1 },
      { type: "compaction-end", result: { type: "interrupted" } },
      { type: "notice", level: "info", text: "n" },
    ),
  );
}
