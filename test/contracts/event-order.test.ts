import { expect, test } from "bun:test";
import type { AssistantMessage } from "../../src/protocol/messages.ts";
import type { ModelEvent } from "../../src/protocol/model-events.ts";
import { checkEventOrder, eventOrderProblems } from "./event-order.ts";

const MESSAGE: AssistantMessage = {
  role: "assistant",
  content: [
    { type: "text", text: "hello", signature: "token" },
    { type: "tool-call", id: "1", name: "read", input: { path: "a" } },
  ],
  provider: "p",
  api: "a",
  model: "m",
  stopReason: "tool-use",
  usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
};

const GOOD: ModelEvent[] = [
  { type: "text-start", index: 0 },
  { type: "text-delta", index: 0, text: "hel" },
  { type: "text-delta", index: 0, text: "lo" },
  { type: "text-end", index: 0 },
  { type: "tool-call-start", index: 1, id: "1", name: "read" },
  { type: "tool-call-delta", index: 1, text: '{"path":"a"}' },
  { type: "tool-call-end", index: 1, id: "1", name: "read", input: { path: "a" } },
  { type: "usage", usage: MESSAGE.usage },
  { type: "done", message: MESSAGE },
];

const ERROR = { kind: "stream-cut" as const, message: "cut", retryable: true };
const TEXT_ONLY = { ...MESSAGE, content: MESSAGE.content.slice(0, 1) };

test("events in order have no problems", () => {
  expect(eventOrderProblems(GOOD)).toEqual([]);
  expect(eventOrderProblems([...GOOD.slice(0, 6), { type: "error", error: ERROR, partial: TEXT_ONLY }])).toEqual([]);
  expect(eventOrderProblems([{ type: "error", error: ERROR }])).toEqual([]);
});

test("what came before a retry is void", () => {
  const retry: ModelEvent = { type: "attempt-retry", attempt: 1, delayMs: 1, error: ERROR };
  expect(eventOrderProblems([...GOOD.slice(0, 2), retry, ...GOOD])).toEqual([]);
});

const BAD: [string, ModelEvent[]][] = [
  ["no end", GOOD.slice(0, -1)],
  ["two ends", [...GOOD, ...GOOD.slice(-1)]],
  ["something after the end", [...GOOD, ...GOOD.slice(-2, -1)]],
  ["a delta without a start", GOOD.slice(1)],
  ["a part that never ends", GOOD.toSpliced(3, 1)],
  ["a delta after the end of its part", GOOD.toSpliced(4, 0, ...GOOD.slice(1, 2))],
  ["a delta of another kind", GOOD.toSpliced(1, 1, { type: "thinking-delta", index: 0, text: "hel" })],
  ["an empty delta", GOOD.toSpliced(1, 0, { type: "text-delta", index: 0, text: "" })],
  ["a missing delta", GOOD.toSpliced(2, 1)],
  ["a number left out", GOOD.map((event) => ("index" in event && event.index === 1 ? { ...event, index: 2 } : event))],
  ["a call that changes its name", GOOD.toSpliced(4, 1, { type: "tool-call-start", index: 1, id: "1", name: "list" })],
  ["a call in a partial message", [...GOOD.slice(0, 7), { type: "error", error: ERROR, partial: MESSAGE }]],
  ["text that the partial message lost", [...GOOD.slice(0, 4), { type: "error", error: ERROR }]],
  [
    "a call in a truncated message",
    [...GOOD.slice(0, -1), { type: "done", message: { ...MESSAGE, stopReason: "length" } }],
  ],
];

test.each(BAD)("%s is noticed", (_, events) => {
  expect(() => checkEventOrder(events)).toThrow("the events break their rules");
});
