import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { decideNext } from "../../../src/loop/rules/decide-next.ts";
import type { NextStep } from "../../../src/loop/rules/history.ts";
import type { IterationRecord } from "../../../src/protocol/loop-entries.ts";
import { history, records, START } from "./loop-records.ts";

const go: NextStep = { type: "go-on", runner: "one" };
const nothing: Partial<IterationRecord> = { changed: false, tree: "same" };
const failed: Partial<IterationRecord> = { ...nothing, ending: { type: "failed", message: "exit code 1" } };
const MINUTE = 60_000;

function verdict(change: Parameters<typeof history>[0]) {
  const step = decideNext(history(change));
  return step.type === "stop" ? step.verdict : step;
}

describe("a run is done", () => {
  test("when no story is open, with what is proven and what is not", () => {
    expect(verdict({ stories: { total: 3, open: [], verified: 3 } })).toEqual({
      verdict: "done",
      reason: "All 3 stories pass, each proven by its checks.",
    });
    expect(verdict({ stories: { total: 3, open: [], verified: 1 } })).toEqual({
      verdict: "done",
      reason: "All 3 stories pass, 1 proven by checks, 2 unverified.",
    });
  });

  test("on the last allowed iteration too, and even when a person asked to stop at that moment", () => {
    const list = records({}, { failing: [], open: [], receipts: ["r1"] });
    const limits = { iterations: 2, minutes: 1, waitMinutes: 1, coolDownSeconds: 1 };
    const step = verdict({ records: list, limits, request: "stop", stories: { total: 2, open: [], verified: 2 } });
    expect(step).toMatchObject({ verdict: "done" });
  });
});

describe("a run stops", () => {
  test("at a person's word", () => {
    expect(verdict({ request: "stop" })).toEqual({
      verdict: "stopped",
      reason: "A person stopped it. 2 of 2 stories are open.",
    });
    expect(verdict({ request: "checkpoint" })).toEqual({
      verdict: "checkpointed",
      reason: "A person paused it; the next run goes on from here. 2 of 2 stories are open.",
    });
  });

  test("when the agent needs an answer, with the question", () => {
    expect(verdict({ records: records({ question: "Which database?" }) })).toEqual({
      verdict: "blocked-on-human",
      reason: "US-1 needs an answer: Which database?",
    });
  });

  test("when the agent is refused the same way twice without getting anywhere", () => {
    const held = { ...nothing, denied: ["curl example.org"] };
    expect(verdict({ records: records({ ...held }) })).toEqual({ type: "go-on", runner: "one" });
    expect(verdict({ records: records(held, held) })).toEqual({
      verdict: "blocked-on-human",
      reason: "The agent may not do what it needs: curl example.org. Allow it with a rule, or do it yourself.",
    });
  });

  test("when the checks cannot run here", () => {
    expect(verdict({ records: records({ environment: "npm was not found." }) })).toEqual({
      verdict: "environment-broken",
      reason: "npm was not found.",
    });
  });

  test("when something outside of the allowed paths was changed", () => {
    expect(verdict({ records: records({ outside: ["secret.txt"] }) })).toEqual({
      verdict: "failed",
      reason: "The agent changed files outside of what it may (--allowed-paths): secret.txt.",
    });
  });

  test("when three iterations in a row change nothing that is measured", () => {
    expect(verdict({ records: records(nothing, nothing) })).toEqual({ type: "go-on", runner: "one" });
    expect(verdict({ records: records(nothing, nothing, nothing) })).toEqual({
      verdict: "stalled",
      reason: "3 iterations in a row changed nothing: npm test does not prove US-1 yet.",
    });
  });

  test("when the agent only claims", () => {
    const claim: Partial<IterationRecord> = { cheats: [{ kind: "premature-marker", detail: "" }] };
    expect(verdict({ records: records(claim, claim, claim) })).toEqual({
      verdict: "stalled",
      reason: "The agent said 3 times in a row that it was done, but npm test does not prove US-1 yet.",
    });
  });

  test("when the work goes back and forth", () => {
    const list = records({ tree: "a" }, { tree: "b" }, { tree: "a" }, { tree: "b" }, { tree: "a" });
    expect(verdict({ records: list })).toEqual({
      verdict: "flailing",
      reason: "The work goes back and forth between the same states; npm test does not prove US-1 yet.",
    });
  });

  test("when six iterations change files and the same checks still fail", () => {
    expect(verdict({ records: records({}, {}, {}, {}, {}) })).toEqual({ type: "go-on", runner: "one" });
    expect(verdict({ records: records({}, {}, {}, {}, {}, {}) })).toEqual({
      verdict: "flailing",
      reason: "6 iterations changed files and brought US-1 no further: npm test does not prove US-1 yet.",
    });
  });

  test("at each of its limits", () => {
    const usage = { inputTokens: 600, outputTokens: 500, costUsd: 2 };
    const list = records({ usage });
    const base = { iterations: 9, minutes: 90, waitMinutes: 9, coolDownSeconds: 1 };
    const reason = (limits: object) => verdict({ records: list, limits: { ...base, ...limits } });
    const open = "is reached. Open: US-1, US-2.";
    expect([{ iterations: 1 }, { minutes: 1 }, { tokens: 1100 }, { costUsd: 2 }].map(reason)).toEqual([
      { verdict: "budget", reason: `The limit of 1 iterations (--max-iterations) ${open}` },
      { verdict: "budget", reason: `The limit of 1 minutes (--max-minutes) ${open}` },
      { verdict: "budget", reason: `The limit of 1100 tokens (--max-tokens) ${open}` },
      { verdict: "budget", reason: `The limit of 2 USD (--max-cost) ${open}` },
    ]);
    expect(reason({ tokens: 1101, costUsd: 2.01 })).toEqual({ type: "go-on", runner: "one" });
  });
});

describe("progress", () => {
  test("of any kind keeps a run going: another tree, another failing check, a receipt", () => {
    expect(verdict({ records: records(nothing, nothing, { tree: "new" }) })).toEqual(go);
    expect(verdict({ records: records(nothing, nothing, { ...nothing, failing: ["npm run lint"] }) })).toEqual(go);
    expect(verdict({ records: records({}, {}, {}, {}, {}, { receipts: ["r"] }) })).toEqual(go);
  });

  test("on many stories in one run is not mistaken for going in circles", () => {
    const list = records(
      ...Array.from({ length: 12 }, (_, index) => ({ story: `US-${index}`, receipts: [`r${index}`], failing: [] })),
    );
    expect(verdict({ records: list })).toEqual({ type: "go-on", runner: "one" });
  });
});

describe("a used-up quota", () => {
  const quota = (until?: string): Partial<IterationRecord> => ({
    ...nothing,
    ending: { type: "quota", message: "5-hour limit reached", ...(until && { until }) },
  });

  test("is waited for until the time the agent named", () => {
    const until = "2026-01-01T03:00:00.000Z";
    expect(decideNext(history({ records: records(quota(until)) }))).toEqual({
      type: "wait",
      until: Date.parse(until),
      why: "quota",
      reason: "5-hour limit reached.",
    });
    const step = decideNext(history({ records: records(quota(until)), now: Date.parse(until) }));
    expect(step).toEqual({ type: "go-on", runner: "one" });
  });

  test("ends the run when the wait would be longer than allowed", () => {
    const until = "2026-01-02T03:00:00.000Z";
    expect(verdict({ records: records(quota(until)) })).toEqual({
      verdict: "quota-wait",
      reason:
        "5-hour limit reached. That is longer than the 360 minutes a run waits (--max-wait). Start it again later.",
      until,
    });
  });

  test("without a time is tried again after a growing pause, within the same bound", () => {
    const pauses = [1, 2, 3, 4, 5, 9].map((times) => {
      const list = records(...Array.from({ length: times }, () => quota()));
      const step = decideNext(history({ records: list }));
      return step.type === "wait" ? (step.until - START) / MINUTE - times : step.type;
    });
    expect(pauses).toEqual([5, 10, 20, 40, 60, 60]);
    const last = records(quota(), quota()).map((record, index) => ({
      ...record,
      endedAt: new Date(START + index * 330 * MINUTE).toISOString(),
    }));
    expect(verdict({ records: last, limits: { ...history().limits, waitMinutes: 335 } })).toMatchObject({
      verdict: "quota-wait",
    });
  });

  test("does not count as an iteration", () => {
    const limits = { ...history().limits, iterations: 2 };
    const step = decideNext(history({ records: records(quota(), quota(), {}), limits }));
    expect(step).toEqual({ type: "go-on", runner: "one" });
  });
});

describe("a failing runner", () => {
  const two = { runners: ["one", "two"] };

  test("hands over to the next after three failures in a row", () => {
    const inTurn = [1, 2, 3, 5].map((times) => {
      const list = records(...Array.from({ length: times }, () => failed));
      return decideNext(history({ records: list, ...two }));
    });
    expect(inTurn).toEqual(["one", "one", "two", "two"].map((runner) => ({ type: "go-on", runner })));
  });

  test("hands over at once when it cannot be started", () => {
    const missing: Partial<IterationRecord> = { ...nothing, ending: { type: "not-started", message: "no codex" } };
    expect(decideNext(history({ records: records(missing), ...two }))).toEqual({ type: "go-on", runner: "two" });
    expect(verdict({ records: records(missing, { ...missing, runner: "two" }), ...two })).toEqual({
      verdict: "environment-broken",
      reason: "one, two failed 2 times in a row: no codex.",
    });
  });

  test("keeps its turn after a success in between", () => {
    const list = records(failed, failed, {}, failed, failed);
    expect(decideNext(history({ records: list, ...two }))).toEqual({ type: "go-on", runner: "one" });
  });

  test("fails on in a row after an iteration that says nothing about it", () => {
    const lost: Partial<IterationRecord> = { ...nothing, ending: { type: "lost" } };
    const list = records(failed, lost, failed, lost, failed);
    expect(decideNext(history({ records: list, ...two }))).toEqual({ type: "go-on", runner: "two" });
  });

  test("opens the breaker when it is the last, is tried twice after pauses, and then ends the run", () => {
    const at = (times: number, laterSeconds = 0) => {
      const list = records(...Array.from({ length: times }, () => failed));
      return decideNext(history({ records: list, now: START + times * MINUTE + laterSeconds * 1000 }));
    };
    const wait = (times: number, seconds: number): NextStep => ({
      type: "wait",
      until: START + times * MINUTE + seconds * 1000,
      why: "breaker",
      reason: `one failed ${times} times in a row: exit code 1. One more try follows.`,
    });
    expect([at(3), at(3, 60), at(4), at(4, 120), at(5)]).toEqual([
      wait(3, 60),
      { type: "go-on", runner: "one" },
      wait(4, 120),
      { type: "go-on", runner: "one" },
      {
        type: "stop",
        verdict: {
          verdict: "failed",
          reason: "one failed 5 times in a row: exit code 1. It was tried 2 times more after a pause.",
        },
      },
    ]);
  });

  test("that was ended for its silence or time counts only where it changed nothing", () => {
    const late: Partial<IterationRecord> = { ending: { type: "timed-out", afterSeconds: 60 } };
    expect(decideNext(history({ records: records(late, late, late), ...two }))).toEqual({
      type: "go-on",
      runner: "one",
    });
    const silent: Partial<IterationRecord> = { ...nothing, ending: { type: "idle", afterSeconds: 60 } };
    expect(decideNext(history({ records: records(silent, silent, silent), ...two }))).toEqual({
      type: "go-on",
      runner: "two",
    });
  });
});

describe("whatever happens", () => {
  const anyRecord = fc.record({
    ending: fc.constantFrom<IterationRecord["ending"]>(
      { type: "finished" },
      { type: "failed", message: "m" },
      { type: "quota", message: "m" },
      { type: "idle", afterSeconds: 1 },
      { type: "timed-out", afterSeconds: 1 },
      { type: "taken-over" },
      { type: "lost" },
    ),
    tree: fc.constantFrom("a", "b", "c", "d"),
    changed: fc.boolean(),
    failing: fc.subarray(["x", "y"]),
    receipts: fc.subarray(["r"]),
    cheats: fc.constantFrom<IterationRecord["cheats"]>([], [{ kind: "premature-marker", detail: "" }]),
  });

  test("a run is over at its limit of iterations at the latest", () => {
    fc.assert(
      fc.property(fc.array(anyRecord, { minLength: 10, maxLength: 30 }), (changes) => {
        const list = records(...changes);
        const worked = list.filter(({ ending }) => ending.type !== "quota").length;
        const step = decideNext(history({ records: list, limits: { ...history().limits, iterations: worked } }));
        expect(step.type).toBe("stop");
      }),
    );
  });

  test("the rules are a function of the history: the same one gives the same step, and is not changed", () => {
    fc.assert(
      fc.property(fc.array(anyRecord, { maxLength: 20 }), (changes) => {
        const given = history({ records: records(...changes) });
        const copy = structuredClone(given);
        expect(decideNext(given)).toEqual(decideNext(copy));
        expect(given).toEqual(copy);
      }),
    );
  });

  test("nothing is done while a story is open", () => {
    fc.assert(
      fc.property(fc.array(anyRecord, { maxLength: 20 }), (changes) => {
        const step = decideNext(history({ records: records(...changes) }));
        expect(step.type === "stop" ? step.verdict.verdict : "").not.toBe("done");
      }),
    );
  });
});
