import { expect, test } from "bun:test";
import { giveMemoryBack } from "../../../src/cli/agents/give-memory-back.ts";
import type { AgentEvent } from "../../../src/protocol/agent-events.ts";
import { manualClock } from "../../support/manual-clock.ts";

const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const START: AgentEvent = { type: "agent-start", version: 1, model: "m", effort: "off" };
const END: AgentEvent = { type: "agent-end", outcome: { type: "done" }, totals: { turns: 1, usage } };

test("memory is given back once after fifteen seconds of rest, and never during work or after the end", async () => {
  const clock = manualClock();
  const listeners = new Set<(event: AgentEvent) => void>();
  const tell = (event: AgentEvent) => {
    for (const listener of listeners) listener(event);
  };
  let given = 0;
  const subscribe = (listener: (event: AgentEvent) => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  const stop = giveMemoryBack({ subscribe }, { clock, giveBack: () => given++ });
  tell(END);
  await clock.advance(14_999);
  tell(START);
  await clock.advance(60_000);
  expect([given, clock.pending()]).toEqual([0, 0]);
  tell(END);
  await clock.advance(15_000);
  await clock.advance(60_000);
  expect([given, clock.pending()]).toEqual([1, 0]);
  tell(END);
  stop();
  expect([clock.pending(), listeners.size]).toEqual([0, 0]);
});
