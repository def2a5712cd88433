import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createScreen } from "../../../src/tui/screen/create-screen.ts";
import type { Reflow } from "../../../src/tui/screen/reflow.ts";
import { line } from "../../../src/tui/style/styled-line.ts";
import { openEmulator } from "../../support/emulated-terminal.ts";

const MODES = { hasBracketedPaste: true, hasExtendedKeys: true, hasFocusReports: true };

describe("after any resizes finished lines are there once and whole, and nothing of an old live region is left", () => {
  test("in a terminal that reflows", async () => {
    for (const bounds of [NARROW, WIDE]) {
      await fc.assert(
        fc.asyncProperty(fc.array(step(150, bounds), { maxLength: 25 }), (steps) => survives(steps, "xterm.js")),
        { numRuns: 40 },
      );
    }
  });

  test("in a terminal that reflows, wherever the cursor is in rows that no longer fit", async () => {
    for (const row of [0, 1, 2]) {
      for (const column of [0, 30, 60]) {
        const steps: Step[] = [
          ...[10, 20, 30].map((length) => ({ type: "commit" as const, length })),
          { type: "draw", lengths: [70, 75, 60], row, column },
          { type: "resize", columns: 33, rows: 24 },
        ];
        await survives(steps, "xterm.js");
      }
    }
  });

  test("in a terminal that cuts rows off", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step(8, WIDE), { maxLength: 25 }), (steps) => survives(steps, "none")),
      { numRuns: 60 },
    );
  });
});

type Step =
  | { type: "resize"; columns: number; rows: number }
  | { type: "quiet" }
  | { type: "commit"; length: number }
  | { type: "draw"; lengths: number[]; row: number; column: number };

/** Four rows of a region, broken by a narrow window, still fit into its 24 rows: what does not, the terminal itself keeps. */
const NARROW = { columns: 8, live: 40 };
const WIDE = { columns: 18, live: 90 };

function step(longest: number, { columns, live }: typeof NARROW): fc.Arbitrary<Step> {
  return fc.oneof(
    fc.record({
      type: fc.constant("resize" as const),
      columns: fc.integer({ min: columns, max: 90 }),
      rows: fc.constant(24),
    }),
    fc.constant({ type: "quiet" as const }),
    fc.record({ type: fc.constant("commit" as const), length: fc.integer({ min: 0, max: longest }) }),
    fc.record({
      type: fc.constant("draw" as const),
      lengths: fc.array(fc.integer({ min: 0, max: live }), { maxLength: 4 }),
      row: fc.nat(3),
      column: fc.nat(100),
    }),
  );
}

async function survives(steps: Step[], reflow: Reflow): Promise<void> {
  const terminal = openEmulator({ columns: 80, rows: 24, doesReflow: reflow !== "none" });
  const timers = new Set<() => void>();
  const screen = createScreen({
    setTimer: (callback) => {
      timers.add(callback);
      return () => timers.delete(callback);
    },
    now: longAgo(),
    write: terminal.write,
    size: terminal.size,
    print: { depth: "true", hasLinks: true },
    modes: MODES,
    reflow: () => reflow,
    isPlain: false,
  });
  screen.start();
  const committed: string[] = [];
  let live: string[] = [];
  for (const given of steps) {
    if (given.type === "resize") {
      await terminal.cursor();
      terminal.resize(given.columns, given.rows);
      screen.resized();
    } else if (given.type === "quiet") {
      await terminal.cursor();
      settle(timers);
    } else if (given.type === "commit") {
      committed.push(`${committed.length}:`.padEnd(given.length, "c"));
      screen.commit([line(committed.at(-1) ?? "")]);
    } else {
      live = given.lengths.map((length, index) => `${"abcd"[index]}`.padEnd(length, "l"));
      const row = Math.min(given.row, Math.max(0, live.length - 1));
      screen.draw(
        live.map((text) => line(text)),
        { row, column: Math.min(given.column, live[row]?.length ?? 0) },
      );
    }
  }
  await terminal.cursor();
  settle(timers);
  screen.draw([]);
  if (reflow === "none") terminal.resize(8, 24); // cells cut off on the right stay in its memory
  expect(await terminal.lines()).toEqual(committed);
}

/** A clock by which everything happened long before the next thing. */
function longAgo(): () => number {
  let now = 0;
  return () => {
    now += 10_000;
    return now;
  };
}

function settle(timers: Set<() => void>): void {
  const due = [...timers];
  timers.clear();
  for (const callback of due) callback();
}
