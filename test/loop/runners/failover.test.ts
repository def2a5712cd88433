import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { chooseAfterFailures, type PastRun } from "../../../src/loop/runners/failover.ts";
import type { AgentEnding } from "../../../src/protocol/loop-entries.ts";

const failed: AgentEnding = { type: "failed", message: "It ended with code 1.", exit: 1 };
const COUNTING: AgentEnding[] = [
  failed,
  { type: "not-started", message: "not found" },
  { type: "refused", message: "not logged in" },
  { type: "idle", afterSeconds: 60 },
];
const NEUTRAL: AgentEnding[] = [
  { type: "quota", message: "used up" },
  { type: "timed-out", afterSeconds: 60 },
  { type: "stopped" },
  { type: "taken-over" },
  { type: "lost" },
];
const finished: AgentEnding = { type: "finished" };

const runs = (runner: string, ...endings: AgentEnding[]): PastRun[] => endings.map((ending) => ({ runner, ending }));
const choose = (history: PastRun[], runners = ["codex", "claude"]) =>
  chooseAfterFailures({ runners, history, threshold: 3 });

describe("failover", () => {
  test("begins with the first and stays while it works now and then", () => {
    expect(choose([])).toEqual({ type: "use", runner: "codex" });
    expect(choose(runs("codex", failed, failed, finished, failed, failed))).toEqual({ type: "use", runner: "codex" });
  });

  test("hands over after three failures in a row and says why, once", () => {
    const history = runs("codex", failed, failed, failed);
    expect(choose(history)).toEqual({
      type: "use",
      runner: "claude",
      takesOver: { from: "codex", reason: "codex failed 3 times in a row: It ended with code 1." },
    });
    expect(choose([...history, ...runs("claude", finished)])).toEqual({ type: "use", runner: "claude" });
  });

  test("ends when all have failed", () => {
    const silent: AgentEnding = { type: "idle", afterSeconds: 60 };
    const history = [...runs("codex", failed, failed, failed), ...runs("claude", failed, silent, silent)];
    expect(choose(history)).toEqual({
      type: "all-failed",
      reason:
        "codex failed 3 times in a row: It ended with code 1.; claude failed 3 times in a row: no output for 60 s",
    });
  });

  const ending = fc.constantFrom(...COUNTING, ...NEUTRAL, finished);
  const history = fc.array(fc.record({ runner: fc.constantFrom("a", "b", "c"), ending }), { maxLength: 30 });
  const threshold = fc.integer({ min: 1, max: 4 });
  const order = fc.shuffledSubarray(["a", "b", "c"], { minLength: 1 });

  /** The row of failures each runner is in, counted in another way: backwards. */
  const row = (past: readonly PastRun[], runner: string) => {
    const own = past.filter((run) => run.runner === runner && !NEUTRAL.some(({ type }) => type === run.ending.type));
    const worked = own.map(({ ending: { type } }) => type).lastIndexOf("finished");
    return own.length - 1 - worked;
  };

  test("the chosen is the first whose row of failures is short enough, whatever happened", () => {
    fc.assert(
      fc.property(order, history, threshold, (runners, past, most) => {
        const choice = chooseAfterFailures({ runners, history: past, threshold: most });
        const expected = runners.find((runner) => row(past, runner) < most);
        expect(choice.type === "use" ? choice.runner : undefined).toBe(expected as string);
      }),
    );
  });

  test("endings that say nothing about the agent change nothing, wherever they happen", () => {
    fc.assert(
      fc.property(order, history, threshold, (runners, past, most) => {
        const telling = past.filter((run) => !NEUTRAL.includes(run.ending));
        const one = chooseAfterFailures({ runners, history: past, threshold: most });
        const other = chooseAfterFailures({ runners, history: telling, threshold: most });
        expect([one.type, one.type === "use" && one.runner]).toEqual([
          other.type,
          other.type === "use" && other.runner,
        ]);
      }),
    );
  });

  test("a run in which every agent always fails ends after threshold times agents", () => {
    fc.assert(
      fc.property(order, threshold, fc.infiniteStream(fc.constantFrom(...COUNTING)), (runners, most, endings) => {
        const past: PastRun[] = [];
        for (;;) {
          const choice = chooseAfterFailures({ runners, history: past, threshold: most });
          if (choice.type === "all-failed") break;
          past.push({ runner: choice.runner, ending: endings.next().value ?? failed });
        }
        expect(past.map(({ runner }) => runner)).toEqual(runners.flatMap((runner) => Array(most).fill(runner)));
      }),
    );
  });
});
