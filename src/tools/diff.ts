import { anchoredLine } from "./line-anchors.ts";
import { rawLinesOf } from "./text-content.ts";

// What changed between two texts, line by line: Myers' greedy search with a bound. Beyond the bound the differing middle is
// one replacement, which is still right, only longer.

/** A run of lines of the old text replaced by a run of lines of the new one. Counted from 0; one of the runs may be empty. */
export interface Change {
  oldStart: number;
  oldEnd: number;
  newStart: number;
  newEnd: number;
}

export interface Diff {
  changes: Change[];
  /** With their line ends, so that a changed line end is a change. */
  oldLines: string[];
  newLines: string[];
}

const MAXIMUM_STEPS = 1200;
const CONTEXT_LINES = 2;

export function diffTexts(before: string, after: string): Diff {
  const oldLines = rawLinesOf(before);
  const newLines = rawLinesOf(after);
  return { changes: diffLines(oldLines, newLines), oldLines, newLines };
}

export function diffLines(oldLines: readonly string[], newLines: readonly string[]): Change[] {
  const shorter = Math.min(oldLines.length, newLines.length);
  let head = 0;
  while (head < shorter && oldLines[head] === newLines[head]) head++;
  let tail = 0;
  while (tail < shorter - head && oldLines[oldLines.length - 1 - tail] === newLines[newLines.length - 1 - tail]) tail++;
  const left = oldLines.slice(head, oldLines.length - tail);
  const right = newLines.slice(head, newLines.length - tail);
  if (left.length === 0 && right.length === 0) return [];
  const whole = [{ oldStart: 0, oldEnd: left.length, newStart: 0, newEnd: right.length }];
  const changes = left.length === 0 || right.length === 0 ? whole : (shortestChanges(left, right) ?? whole);
  return changes.map(({ oldStart, oldEnd, newStart, newEnd }) => ({
    oldStart: oldStart + head,
    oldEnd: oldEnd + head,
    newStart: newStart + head,
    newEnd: newEnd + head,
  }));
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

/** Undefined when more steps would be needed than the bound allows. `reached[d]` holds the furthest points after d steps. */
function shortestChanges(left: readonly string[], right: readonly string[]): Change[] | undefined {
  const bound = Math.min(MAXIMUM_STEPS, left.length + right.length);
  const reached: Int32Array[] = [];
  let previous = new Int32Array(3);
  for (let steps = 0; steps <= bound; steps++) {
    const row = new Int32Array(2 * steps + 3);
    for (let diagonal = -steps; diagonal <= steps; diagonal += 2) {
      let x = entryPoint(previous, steps, diagonal);
      while (x < left.length && x - diagonal < right.length && left[x] === right[x - diagonal]) x++;
      row[diagonal + steps + 1] = x;
      if (x >= left.length && x - diagonal >= right.length) return trace(reached, left.length, right.length);
    }
    reached.push(row);
    previous = row;
  }
  return undefined;
}

/** Where a diagonal is entered after one more step; rows are centred, one wider on each side than their step count. */
function entryPoint(previous: Int32Array, steps: number, diagonal: number): number {
  if (steps === 0) return 0;
  const centre = steps;
  const below = previous[diagonal + 1 + centre] ?? 0;
  const beside = (previous[diagonal - 1 + centre] ?? 0) + 1;
  return goesDown(previous, steps, diagonal) ? below : beside;
}

function goesDown(previous: Int32Array, steps: number, diagonal: number): boolean {
  if (diagonal === -steps) return true;
  if (diagonal === steps) return false;
  return (previous[diagonal - 1 + steps] ?? 0) < (previous[diagonal + 1 + steps] ?? 0);
}

/** Walks back from the end; steps that touch each other are one change. */
function trace(reached: readonly Int32Array[], oldLength: number, newLength: number): Change[] {
  const changes: Change[] = [];
  let x = oldLength;
  let y = newLength;
  for (let steps = reached.length; steps > 0; steps--) {
    const previous = reached[steps - 1] ?? new Int32Array(0);
    const diagonal = x - y;
    const isDown = goesDown(previous, steps, diagonal);
    const from = diagonal + (isDown ? 1 : -1);
    const fromX = previous[from + steps] ?? 0;
    const fromY = fromX - from;
    prepend(changes, {
      oldStart: fromX,
      oldEnd: isDown ? fromX : fromX + 1,
      newStart: fromY,
      newEnd: isDown ? fromY + 1 : fromY,
    });
    x = fromX;
    y = fromY;
  }
  return changes.reverse();
}

/** `changes` is collected from the end of the texts to their start. */
function prepend(changes: Change[], change: Change): void {
  const next = changes.at(-1);
  if (next === undefined || next.oldStart !== change.oldEnd || next.newStart !== change.newEnd) {
    changes.push(change);
    return;
  }
  next.oldStart = change.oldStart;
  next.newStart = change.newStart;
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
