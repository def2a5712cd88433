import { expect, test } from "bun:test";
import type { AgentEvent, AgentOutcome } from "../../src/protocol/agent-events.ts";
import type { UserMessage } from "../../src/protocol/messages.ts";
import { watchWork } from "../../src/sdk/prompt-work.ts";

// Which end of work is the end of which prompt. The agent is played here, because what counts is the order of its words.

const TOTALS = { turns: 1, usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } };

function stage() {
  const listeners = new Set<(event: AgentEvent) => void>();
  const tell = (event: AgentEvent) => {
    for (const listener of [...listeners]) listener(event);
  };
  return {
    listeners,
    coder: {
      subscribe(listener: (event: AgentEvent) => void) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
    hears: (message: UserMessage) => tell({ type: "message-end", message }),
    ends: (outcome: AgentOutcome) => tell({ type: "agent-end", outcome, totals: TOTALS }),
  };
}

function said(text: string): UserMessage {
  return { role: "user", content: [{ type: "text", text }] };
}

const DONE: AgentOutcome = { type: "done" };

test("a message that waits is answered by the work that takes it up, not by the one that ends before", async () => {
  const { coder, hears, ends, listeners } = stage();
  const [first, second] = [said("same words"), said("same words")];
  const watched = [first, second].map((message) => watchWork({ coder, message, yielded: () => undefined }));
  hears(first);
  ends(DONE);
  expect(listeners.size).toBe(1);
  hears({ ...second });
  ends({ type: "truncated" });
  expect(await Promise.all(watched.map(({ ended }) => ended))).toEqual([
    { outcome: DONE, totals: TOTALS, text: "" },
    { outcome: { type: "truncated" }, totals: TOTALS, text: "" },
  ]);
  expect(listeners.size).toBe(0);
});

test("a message that still waits when work is stopped hears that, and what was never handed over hears nothing", async () => {
  const { coder, hears, ends, listeners } = stage();
  const waiting = watchWork({ coder, message: said("waits"), yielded: () => ({ value: 1 }) });
  watchWork({ coder, message: said("refused"), yielded: () => undefined }).forget();
  hears(said("another"));
  ends({ type: "interrupted" });
  expect(await waiting.ended).toEqual({
    outcome: { type: "interrupted" },
    totals: TOTALS,
    text: "",
    yielded: { value: 1 },
  });
  expect(listeners.size).toBe(0);
});
