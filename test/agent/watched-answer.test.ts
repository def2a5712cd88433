import { describe, expect, test } from "bun:test";
import { watchedAnswer } from "../../src/agent/watched-answer.ts";
import type { AnswerWatch } from "../../src/protocol/answer-watch.ts";
import type { AssistantMessage } from "../../src/protocol/messages.ts";
import type { ModelEvent } from "../../src/protocol/model-events.ts";
import type { ModelRequest, StreamModel } from "../../src/protocol/model-request.ts";

const REQUEST: ModelRequest = { system: { base: "" }, messages: [], tools: [], effort: "off", stream: true };
const TEXT: ModelEvent = { type: "text-delta", index: 0, text: "bad" };
const MESSAGE: AssistantMessage = {
  role: "assistant",
  content: [
    { type: "text", text: "bad" },
    { type: "tool-call", id: "c", name: "shell", input: {} },
  ],
  provider: "p",
  api: "a",
  model: "m",
  stopReason: "tool-use",
  usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
};
const CUT: AssistantMessage = { ...MESSAGE, content: [{ type: "text", text: "bad" }], stopReason: "cut" };

/** Wants every answer stopped that has a text. */
function strictWatch(): AnswerWatch {
  return {
    begin: () => {},
    see: (event) => event.type === "text-delta",
    stopped: () => ({ rules: [], text: "", keepsAnswer: false }),
    ended: () => undefined,
    beforeResult: () => undefined,
  };
}

async function play(events: ModelEvent[], { watch = strictWatch(), stop = new AbortController() } = {}) {
  const emitted: ModelEvent[] = [];
  let wasAborted = false;
  const streamModel: StreamModel = async (_, { emit, signal }) => {
    for (const event of events) emit(event);
    wasAborted = signal.aborted;
    emit({ type: "done", message: MESSAGE });
    return { type: "done", message: MESSAGE };
  };
  const emit = (event: ModelEvent) => void emitted.push(event);
  const answer = await watchedAnswer(REQUEST, { streamModel, watch, signal: stop.signal, emit });
  return { answer, emitted, wasAborted };
}

describe("an answer that is watched", () => {
  test("and came whole before it could be stopped ends as one that was stopped, without its calls", async () => {
    const start: ModelEvent = { type: "tool-call-start", index: 1, id: "c", name: "shell" };
    const { answer, emitted, wasAborted } = await play([{ type: "text-start", index: 0 }, TEXT, start]);
    const error = { kind: "aborted" as const, message: "The answer was stopped for a rule.", retryable: false };
    const end = { type: "error" as const, error, partial: CUT };
    expect(answer).toEqual({ end, isStopped: true });
    expect(emitted).toEqual([{ type: "text-start", index: 0 }, TEXT, end]);
    expect(wasAborted).toBe(true);
  });

  test("and is fine passes as it is", async () => {
    const { answer, emitted, wasAborted } = await play([{ type: "text-start", index: 0 }]);
    const done = { type: "done" as const, message: MESSAGE };
    expect(answer).toEqual({ end: done, isStopped: false });
    expect(emitted).toEqual([{ type: "text-start", index: 0 }, done]);
    expect(wasAborted).toBe(false);
  });

  test("counts as interrupted where the person stopped everything meanwhile", async () => {
    const stop = new AbortController();
    const watch: AnswerWatch = {
      ...strictWatch(),
      see() {
        stop.abort();
        return true;
      },
    };
    expect((await play([TEXT], { watch, stop })).answer.isStopped).toBe(false);
  });
});
