import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { budgetShares, foldRich, type RichState, startRichState } from "../../../src/cli/loop/show/rich-state.ts";
import { richView } from "../../../src/cli/loop/show/rich-view.ts";
import { ASCII_SIGNS, SIGNS } from "../../../src/cli/loop/show/signs.ts";
import type { LoopEntry, LoopEvent } from "../../../src/protocol/loop-entries.ts";
import type { Story } from "../../../src/protocol/loop-tasks.ts";
import { lineWidth, textOf } from "../../../src/tui/style/styled-line.ts";
import { createTheme } from "../../../src/tui/style/theme.ts";
import { records } from "../../loop/rules/loop-records.ts";

const START = Date.parse("2026-01-01T00:00:00.000Z");
const LIMITS = { iterations: 10, minutes: 60, tokens: 1000, waitMinutes: 1, coolDownSeconds: 1 };

function story(id: string, title: string): Story {
  const empty = { description: "", acceptanceCriteria: [], notes: "", dependsOn: [], checks: [], sealed: [] };
  return { ...empty, id, title, priority: 1, passes: false };
}

const STORIES = [story("US-1", "Pay by card"), story("US-2", "Refund"), story("US-3", "Report")];
const RUN: LoopEvent = {
  type: "run-started",
  version: 1,
  run: "r",
  task: "shop",
  directory: "/code/tasks/shop",
  root: "/code",
  runners: ["codex"],
  limits: LIMITS,
};

function after(...events: LoopEvent[]): RichState {
  return events.reduce(
    (state, event) =>
      foldRich(state, { type: "entry", entry: { ...event, time: new Date(START).toISOString() } as LoopEntry }),
    startRichState("shop", STORIES),
  );
}

function shown(state: RichState, { columns = 70, rows = 24, now = START, ascii = false } = {}): string[] {
  const theme = createTheme(ascii ? "ascii" : "dark");
  return richView(state, { size: { columns, rows }, theme, signs: ascii ? ASCII_SIGNS : SIGNS, now }).map(textOf);
}

const began: LoopEvent = {
  type: "iteration-started",
  iteration: 2,
  story: "US-2",
  runner: "codex",
  injected: [],
  tree: "t",
};
const passed: LoopEvent = { type: "story-passed", iteration: 1, story: "US-1", verified: true, commit: "0123456789ab" };

describe("the live view of a run", () => {
  test("shows each story with its proof, what is being done and what is used up", () => {
    const [record] = records({ usage: { inputTokens: 200, outputTokens: 50 } });
    if (record === undefined) throw new Error("no record");
    const state = after(RUN, passed, { type: "iteration-ended", record }, began);
    expect(shown(state, { now: START + 65_000 })).toEqual([
      "── shop · iteration 2 ────────────────────────────────────────────────",
      "✓ US-1 Pay by card  proven 012345678",
      "▸ US-2 Refund",
      "○ US-3 Report",
      expect.stringMatching(/^. codex · starting · 1 min 5 s {3}Ctrl\+C stops$/),
      expect.stringContaining("iterations "),
    ]);
    expect(budgetShares(state, START + 60_000)).toEqual([
      { name: "iterations", share: 0.1, words: "1/10" },
      { name: "minutes", share: 2 / 60, words: "2.0/60" },
      { name: "tokens", share: 0.25, words: "250/1,000" },
    ]);
  });

  test("tells a story that fails its checks, one without proof and one that is open again", () => {
    const result = { command: "x", exit: 1, logDigest: "", durationMs: 1, tail: "" };
    const failed: LoopEvent = {
      type: "checks-ended",
      iteration: 2,
      story: "US-2",
      commit: "c",
      tree: "t",
      results: [result],
    };
    const loose: LoopEvent = { type: "story-passed", iteration: 1, story: "US-3", verified: false };
    const open: LoopEvent = { type: "story-reopened", iteration: 2, story: "US-1", reason: "", failing: [] };
    expect(shown(after(RUN, passed, loose, began, failed, open)).slice(1, 4)).toEqual([
      "○ US-1 Pay by card  open again",
      "▸ US-2 Refund  1 of 1 checks fail, try 1",
      "✓ US-3 Report  unverified",
    ]);
  });

  test("counts down while it waits", () => {
    const until = new Date(START + 90_000).toISOString();
    const state = after(RUN, { type: "waiting", until, reason: "5-hour limit reached." });
    expect(shown(state, { now: START + 30_000 }).at(-2)).toBe("waiting 1 min 0 s · 5-hour limit reached.");
  });

  test("has nothing left when the run is over, and signs of ASCII where only those are wanted", () => {
    const over: LoopEvent = {
      type: "verdict",
      verdict: "done",
      reason: "",
      stories: [],
      iterations: 1,
      usage: { inputTokens: 0, outputTokens: 0 },
    };
    expect(shown(after(RUN, over))).toEqual([]);
    expect(shown(after(RUN, passed, began), { ascii: true }).join("\n")).toMatch(/^[\x20-\x7e\n]*$/);
  });

  test("is never wider or taller than the window", () => {
    const many = startRichState(
      "shop",
      Array.from({ length: 40 }, (_, index) => story(`US-${index}`, "界".repeat(40))),
    );
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 200 }), fc.integer({ min: 4, max: 60 }), (columns, rows) => {
        const theme = createTheme("dark");
        const lines = richView(many, { size: { columns, rows }, theme, signs: SIGNS, now: START });
        expect(lines.length).toBeLessThanOrEqual(rows);
        for (const line of lines) expect(lineWidth(line)).toBeLessThanOrEqual(columns);
      }),
    );
  });
});
