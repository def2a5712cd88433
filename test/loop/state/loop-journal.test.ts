import { afterAll, describe, expect, test } from "bun:test";
import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import fc from "fast-check";
import { applyEntry, EMPTY_STATE, foldJournal } from "../../../src/loop/state/fold-journal.ts";
import { journalPath, type LoopJournal, openJournal } from "../../../src/loop/state/loop-journal.ts";
import type { LoopEntry, LoopEvent } from "../../../src/protocol/loop-entries.ts";
import type { Receipt } from "../../../src/protocol/receipts.ts";
import { systemClock } from "../../../src/system/clock.ts";
import { tempWorkspace } from "../../support/temp-workspace.ts";
import { records } from "../rules/loop-records.ts";

const workspace = tempWorkspace();
afterAll(() => workspace.stop());
let folders = 0;

const LIMITS = { iterations: 5, minutes: 5, waitMinutes: 5, coolDownSeconds: 5 };

const started: LoopEvent = {
  type: "run-started",
  version: 1,
  run: "run-1",
  task: "words",
  directory: "/code/tasks/words",
  root: "/code",
  runners: ["custom"],
  limits: LIMITS,
};

function iterationStarted(iteration: number, injected: string[] = []): LoopEvent {
  return { type: "iteration-started", iteration, story: "US-1", runner: "custom", injected, tree: "t" };
}

const receipt: Receipt = {
  version: 1,
  id: "r1",
  run: "run-1",
  iteration: 1,
  story: "US-1",
  commit: "c1",
  tree: "t1",
  command: "true",
  exit: 0,
  logDigest: "sha256:0",
  time: "2026-01-01T00:00:00.000Z",
  checks: [],
};

async function open(folder: string, seen: LoopEntry[] = []): Promise<LoopJournal> {
  const opened = await openJournal({ folder, clock: systemClock, onEntry: (entry) => seen.push(entry) });
  if (!opened.ok) throw new Error(opened.message);
  return opened.journal;
}

function newFolder(): string {
  return dirname(workspace.write(`loop-${folders++}/made`, ""));
}

describe("the journal of a loop", () => {
  test("stores an entry before it hands it on, and reads the same state again", async () => {
    const folder = newFolder();
    const stored: boolean[] = [];
    const opened = await openJournal({
      folder,
      clock: systemClock,
      onEntry: (entry) => stored.push(readFileSync(journalPath(folder), "utf8").includes(JSON.stringify(entry))),
    });
    if (!opened.ok) throw new Error(opened.message);
    const { journal } = opened;
    for (const event of [started, iterationStarted(1), { type: "receipt", receipt } as const])
      await journal.append(event);
    const state = journal.state();
    await journal.close();
    expect(stored).toEqual([true, true, true]);
    const again = await open(folder);
    expect(again.state()).toEqual(state);
    await again.close();
  });

  test("passes over a torn line and what it does not know, and goes on behind it", async () => {
    const folder = newFolder();
    const first = await open(folder);
    await first.append(started);
    await first.close();
    appendFileSync(journalPath(folder), '{"type":"from-the-future","time":"x"}\n[]\n{"type":"injected","pro');
    const second = await open(folder);
    await second.append({ type: "injected", prompt: "hello" });
    await second.close();
    const third = await open(folder);
    expect([third.state().run?.run, third.state().injected]).toEqual(["run-1", ["hello"]]);
    await third.close();
  });
});

describe("a journal somebody else laid hands on", () => {
  const injected = (prompt: string): LoopEvent => ({ type: "injected", prompt });

  test.each([
    ["removed with its folder", (folder: string) => rmSync(folder, { recursive: true })],
    ["shortened", (folder: string) => writeFileSync(journalPath(folder), "")],
    ["added to", (folder: string) => appendFileSync(journalPath(folder), '{"type":"receipt"}\n')],
    ["replaced by a copy", (folder: string) => replaceByCopy(journalPath(folder))],
  ])("is whole again after it was %s, and goes on", async (_, touch) => {
    const folder = newFolder();
    const journal = await open(folder);
    await journal.append(started);
    await journal.append(injected("one"));
    expect(await journal.repair()).toBe(false);
    touch(folder);
    await journal.repair();
    await journal.append(injected("two"));
    await journal.close();
    const again = await open(folder);
    expect([again.state().run?.run, again.state().injected]).toEqual(["run-1", ["one", "two"]]);
    await again.close();
  });
});

function replaceByCopy(path: string): void {
  const text = readFileSync(path);
  rmSync(path);
  writeFileSync(path, text);
}

describe("the state of a loop", () => {
  const dated = (events: readonly LoopEvent[]) => events.map((event) => ({ ...event, time: "t" }) as LoopEntry);
  const fold = (...events: LoopEvent[]) => foldJournal(dated(events));

  test("knows the iteration that was cut off, and its agent", () => {
    const state = fold(started, iterationStarted(1), { type: "agent-started", iteration: 1, pid: 7, mark: "m" });
    expect([state.iteration?.iteration, state.agent?.pid, state.agentEnded, state.records]).toEqual([
      1,
      7,
      undefined,
      [],
    ]);
  });

  test("gives an injected prompt to one iteration, once", () => {
    const inject = (prompt: string): LoopEvent => ({ type: "injected", prompt });
    expect(fold(started, inject("a"), inject("b")).injected).toEqual(["a", "b"]);
    expect(fold(started, inject("a"), inject("b"), iterationStarted(1, ["a", "b"]), inject("c")).injected).toEqual([
      "c",
    ]);
    expect(fold(inject("a"), started).injected).toEqual(["a"]);
  });

  test("knows a receipt whose story was not settled yet", () => {
    const passed: LoopEvent = {
      type: "story-passed",
      iteration: 1,
      story: "US-1",
      verified: true,
      receipt: "r1",
      commit: "c1",
    };
    const before = fold(started, iterationStarted(1), { type: "receipt", receipt });
    expect([before.unsettled, before.passed.size]).toEqual([{ story: "US-1", iteration: 1, commit: "c1", receipt }, 0]);
    const after = fold(started, iterationStarted(1), { type: "receipt", receipt }, passed);
    expect([after.unsettled, after.passed.get("US-1")]).toEqual([undefined, { verified: true, receipt, commit: "c1" }]);
    const reopened = fold(started, { type: "receipt", receipt }, passed, {
      type: "story-reopened",
      iteration: 2,
      story: "US-1",
      reason: "broken",
      failing: [],
    });
    expect(reopened.passed.size).toBe(0);
  });

  test("takes nothing of an older run into a new one", () => {
    const record = records({})[0];
    if (record === undefined) throw new Error("no record");
    const old = [
      started,
      iterationStarted(1),
      { type: "receipt", receipt } as const,
      { type: "iteration-ended", record } as const,
    ];
    const state = fold(...old, { ...started, run: "run-2" } as LoopEvent);
    expect(state).toEqual({ ...EMPTY_STATE, run: { ...started, run: "run-2", time: "t" } as never });
  });

  test("a resumed run forgets what a person asked of the one before", () => {
    const resumed: LoopEvent = { type: "run-resumed", run: "run-1", iteration: 0, reaped: [] };
    expect(fold(started, { type: "stop-requested", how: "checkpoint" }).request).toBe("checkpoint");
    expect(fold(started, { type: "stop-requested", how: "checkpoint" }, resumed).request).toBeUndefined();
  });

  test("is the same however the entries are cut into pieces", () => {
    const events: LoopEvent[] = [
      started,
      { type: "injected", prompt: "a" },
      iterationStarted(1, ["a"]),
      { type: "receipt", receipt },
      { type: "notice", level: "info", message: "m" },
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...events), { maxLength: 30 }), fc.nat(30), (list, at) => {
        const entries = dated(list);
        const half = entries.slice(0, at);
        expect(entries.slice(at).reduce(applyEntry, foldJournal(half))).toEqual(foldJournal(entries));
      }),
    );
  });
});
