import type { DiffHunk, DiffLine } from "../../tui/components/diff-view.ts";

// The difference an editing tool reports, read back for the screen. Lines of the new text come as `+12:ab|text` or ` 12:ab|text`,
// lines of the old one as `-12|text`; the numbers in the lines count, so that what was left out in the middle shifts nothing.

export interface ShownDiff {
  /** What stands before and after the difference: remarks, the name of a copy. */
  remarks: readonly string[];
  hunks: readonly DiffHunk[];
}

export function readShownDiff(text: string): ShownDiff | undefined {
  const remarks: string[] = [];
  const pieces: NumberedLine[][] = [];
  let piece: NumberedLine[] | undefined;
  for (const row of text.split("\n")) {
    const read = piece === undefined ? undefined : readLine(row);
    if (HEAD.test(row) || LEFT_OUT.test(row)) {
      piece = [];
      pieces.push(piece);
    } else if (read !== undefined) piece?.push(read);
    else if (!NO_NEWLINE.test(row) && !CHANGED.test(row) && row !== "") remarks.push(row);
  }
  const hunks = pieces.flatMap((lines) => (lines.length === 0 ? [] : [hunkOf(lines)]));
  return hunks.length === 0 ? undefined : { remarks, hunks };
}

const HEAD = /^@@ -\d+,\d+ \+\d+,\d+ @@$/;
const LEFT_OUT = /^\[… \d+ diff lines left out …\]$/;
const NO_NEWLINE = /^\\ No newline at end of file$/;
const CHANGED = /^Changed .*:$/;
const OLD_LINE = /^-(\d{1,9})\|(.*)$/;
const NEW_LINE = /^([ +])(\d{1,9}):[0-9a-z]{2}\|(.*)$/;

interface NumberedLine extends DiffLine {
  /** In the old text for what was removed, in the new one for the rest. */
  number: number;
}

function readLine(row: string): NumberedLine | undefined {
  const removed = OLD_LINE.exec(row);
  if (removed !== null) return { type: "removed", number: Number(removed[1]), text: removed[2] ?? "" };
  const kept = NEW_LINE.exec(row);
  if (kept === null) return undefined;
  return { type: kept[1] === "+" ? "added" : "same", number: Number(kept[2]), text: kept[3] ?? "" };
}

/** A text whose lines are all missing here is counted from 1: its numbers are never shown. */
function hunkOf(lines: readonly NumberedLine[]): DiffHunk {
  const firstOld = lines.findIndex(({ type }) => type === "removed");
  const firstNew = lines.findIndex(({ type }) => type !== "removed");
  const sameBefore = lines.slice(0, Math.max(0, firstOld)).filter(({ type }) => type === "same").length;
  return {
    oldStart: (lines[firstOld]?.number ?? 1) - sameBefore,
    newStart: lines[firstNew]?.number ?? 1,
    lines: lines.map(({ type, text }) => ({ type, text })),
  };
}
