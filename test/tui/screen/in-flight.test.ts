import { expect, test } from "bun:test";
import fc from "fast-check";
import { createScreen } from "../../../src/tui/screen/create-screen.ts";
import type { Reflow } from "../../../src/tui/screen/reflow.ts";
import { line } from "../../../src/tui/style/styled-line.ts";
import { openEmulator } from "../../support/emulated-terminal.ts";

// A terminal changes its size at once and tells later: frames for the old size reach it after that.

type Step =
  | { type: "resize"; columns: number }
  | { type: "quiet" }
  | { type: "commit"; length: number }
  | { type: "draw"; lengths: number[]; isPlain: boolean; row: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ type: fc.constant("resize" as const), columns: fc.integer({ min: 18, max: 90 }) }),
  fc.constant({ type: "quiet" as const }),
  fc.record({ type: fc.constant("commit" as const), length: fc.integer({ min: 5, max: 15 }) }),
  fc.record({
    type: fc.constant("draw" as const),
    lengths: fc.array(fc.integer({ min: 1, max: 80 }), { minLength: 1, maxLength: 4 }),
    isPlain: fc.boolean(),
    row: fc.nat(3),
  }),
);

for (const reflow of ["xterm.js", "none"] as const) {
  test(`no finished line is erased or doubled by a frame that comes after a change of size (${reflow})`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), (steps) => keepsFinished(steps, reflow)),
      { numRuns: 150 },
    );
  });
}

async function keepsFinished(steps: Step[], reflow: Reflow): Promise<void> {
  const terminal = openEmulator({ columns: 80, rows: 24, doesReflow: reflow !== "none" });
  let size = terminal.size();
  let underway = "";
  let timer: (() => void) | undefined;
  const screen = createScreen({
    setTimer: (callback) => {
      timer = callback;
      return () => {
        timer = undefined;
      };
    },
    now: () => 0,
    write: (text) => {
      underway += text;
      return true;
    },
    size: () => size,
    print: { depth: "true", hasLinks: true },
    modes: { hasBracketedPaste: true, hasExtendedKeys: true, hasFocusReports: true },
    reflow: () => reflow,
    isPlain: false,
  });
  const arrive = () => {
    terminal.write(underway);
    underway = "";
  };
  // What answers a change of size is there before the next one: nobody could count on anything otherwise.
  const answer = () => {
    const due = timer;
    timer = undefined;
    due?.();
    arrive();
  };
  screen.start();
  const committed: string[] = [];
  for (const given of steps) {
    if (given.type === "resize") {
      await terminal.cursor();
      terminal.resize(given.columns, 24);
      arrive();
      size = terminal.size();
      screen.resized();
      if (reflow === "none") arrive();
    } else if (given.type === "quiet") {
      await terminal.cursor();
      answer();
    } else if (given.type === "commit") {
      committed.push(`#${committed.length}`.padEnd(given.length, "c"));
      screen.commit([line(committed.at(-1) ?? "")]);
    } else {
      const letters = given.isPlain ? "abcd" : "─│·…";
      const rows = given.lengths.map((length, index) => line((letters[index] ?? "a").repeat(length)));
      screen.draw(rows, { row: Math.min(given.row, rows.length - 1), column: 0 });
    }
  }
  answer();
  screen.draw([]);
  arrive();
  // A terminal that cuts rows off keeps their last cells in its memory.
  expect((await terminal.lines()).flatMap((text) => /^#\d+c*/.exec(text)?.[0] ?? [])).toEqual(committed);
}
