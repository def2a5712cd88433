import { type Change, diffLines, rawLinesOf } from "../system/line-diff.ts";
import { anchoredLine } from "./line-anchors.ts";

// What changed between two texts, line by line, as models and people read it.

export interface Diff {
  changes: Change[];
  /** With their line ends, so that a changed line end is a change. */
  oldLines: string[];
  newLines: string[];
}

const CONTEXT_LINES = 2;

export function diffTexts(before: string, after: string): Diff {
  const oldLines = rawLinesOf(before);
  const newLines = rawLinesOf(after);
  return { changes: diffLines(oldLines, newLines), oldLines, newLines };
}

export interface DiffFormat {
  /** Lines of the new text carry their anchors, lines of the old one their numbers. */
  hasAnchors: boolean;
  maximumCharacters: number;
}

/** Unified hunks. Too many of them are cut in the middle, and a line says so. */
export function formatDiff(diff: Diff, { hasAnchors, maximumCharacters }: DiffFormat): string {
  const lines = hunksOf(diff).flatMap((hunk) => formatHunk(diff, hunk, hasAnchors));
  return cutMiddle(lines, maximumCharacters).join("\n");
}

/** Changes whose context would touch share a hunk. */
function hunksOf({ changes }: Diff): Change[][] {
  const hunks: Change[][] = [];
  for (const change of changes) {
    const last = hunks.at(-1)?.at(-1);
    if (last !== undefined && change.oldStart - last.oldEnd <= 2 * CONTEXT_LINES) hunks.at(-1)?.push(change);
    else hunks.push([change]);
  }
  return hunks;
}

function formatHunk({ oldLines, newLines }: Diff, changes: Change[], hasAnchors: boolean): string[] {
  const first = changes[0] ?? { oldStart: 0, oldEnd: 0, newStart: 0, newEnd: 0 };
  const last = changes.at(-1) ?? first;
  const before = Math.min(CONTEXT_LINES, first.oldStart);
  const after = Math.min(CONTEXT_LINES, oldLines.length - last.oldEnd);
  const lines: string[] = [];
  const show = (sign: string, source: string[], index: number) => {
    const line = source[index] ?? "";
    lines.push(formatLine({ sign, line, number: index + 1, hasAnchors }));
    if (!line.endsWith("\n")) lines.push("\\ No newline at end of file");
  };
  let at = first.newStart - before;
  const context = (until: number) => {
    for (; at < until; at++) show(" ", newLines, at);
  };
  for (const change of changes) {
    context(change.newStart);
    for (let index = change.oldStart; index < change.oldEnd; index++) show("-", oldLines, index);
    for (; at < change.newEnd; at++) show("+", newLines, at);
  }
  context(last.newEnd + after);
  const oldRange = rangeText(first.oldStart - before, last.oldEnd + after);
  return [`@@ -${oldRange} +${rangeText(first.newStart - before, last.newEnd + after)} @@`, ...lines];
}

/** An empty run is named by the line before it. */
function rangeText(start: number, end: number): string {
  return `${end > start ? start + 1 : start},${end - start}`;
}

function formatLine({
  sign,
  line,
  number,
  hasAnchors,
}: {
  sign: string;
  line: string;
  number: number;
  hasAnchors: boolean;
}): string {
  const text = line.endsWith("\n") ? line.slice(0, -1) : line;
  if (!hasAnchors) return sign + text;
  const bare = line.endsWith("\r\n") ? text.slice(0, -1) : text;
  return sign === "-" ? `-${number}|${bare}` : sign + anchoredLine(number, bare);
}

function cutMiddle(lines: string[], maximumCharacters: number): string[] {
  const total = lines.reduce((sum, line) => sum + line.length + 1, 0);
  if (total <= maximumCharacters) return lines;
  const head = countWithin(lines, maximumCharacters / 2);
  const tail = countWithin(lines.slice(head).reverse(), maximumCharacters / 2);
  const dropped = lines.length - head - tail;
  return [...lines.slice(0, head), `[… ${dropped} diff lines left out …]`, ...lines.slice(lines.length - tail)];
}

function countWithin(lines: readonly string[], characters: number): number {
  let room = characters;
  const end = lines.findIndex((line) => {
    room -= line.length + 1;
    return room < 0;
  });
  return end < 0 ? lines.length : end;
}
