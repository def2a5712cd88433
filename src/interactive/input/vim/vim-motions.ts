import { nextBoundary, previousBoundary } from "../../../tui/text/graphemes.ts";

// Places in a text as the keys of vi name them. Pure: a text and an offset in, an offset out.

export type Motion = "h" | "l" | "w" | "b" | "e" | "0" | "^" | "$" | "gg" | "G";

/** Whether the character at the end belongs to what an operator takes, and whether whole lines do. */
export interface MotionShape {
  isInclusive: boolean;
  isWholeLines: boolean;
}

export const MOTION_SHAPES: Record<Motion, MotionShape> = {
  h: { isInclusive: false, isWholeLines: false },
  l: { isInclusive: false, isWholeLines: false },
  w: { isInclusive: false, isWholeLines: false },
  b: { isInclusive: false, isWholeLines: false },
  e: { isInclusive: true, isWholeLines: false },
  "0": { isInclusive: false, isWholeLines: false },
  "^": { isInclusive: false, isWholeLines: false },
  $: { isInclusive: false, isWholeLines: false },
  gg: { isInclusive: false, isWholeLines: true },
  G: { isInclusive: false, isWholeLines: true },
};

export function isMotion(sign: string): sign is Motion {
  return Object.hasOwn(MOTION_SHAPES, sign);
}

/** `count` is undefined where none was typed: for `G` that means the last line. */
export function motionTarget(
  text: string,
  from: number,
  { motion, count }: { motion: Motion; count?: number },
): number {
  if (motion === "0") return lineStart(text, from);
  if (motion === "^") return firstWord(text, from);
  if (motion === "$") return lineEnd(text, lineDown(text, from, (count ?? 1) - 1));
  if (motion === "gg") return firstWord(text, lineDown(text, 0, (count ?? 1) - 1));
  if (motion === "G")
    return firstWord(text, count === undefined ? lineStart(text, text.length) : lineDown(text, 0, count - 1));
  const step = STEPS[motion];
  let at = from;
  for (let left = Math.min(count ?? 1, text.length + 1); left > 0; left--) at = step(text, at);
  return at;
}

const STEPS: Record<"h" | "l" | "w" | "b" | "e", (text: string, at: number) => number> = {
  h: (text, at) => Math.max(lineStart(text, at), previousBoundary(text, at)),
  l: (text, at) => Math.min(lineEnd(text, at), nextBoundary(text, at)),
  w: nextWord,
  b: wordBefore,
  e: wordEnd,
};

export type FindKind = "f" | "F" | "t" | "T";

export interface Find {
  kind: FindKind;
  sign: string;
}

/** The sign in the same line; undefined where it is not there. A repeated `t` stands right before its sign already. */
export function findTarget(
  text: string,
  from: number,
  { kind, sign, count, isRepeat }: Find & { count: number; isRepeat: boolean },
): number | undefined {
  const isForward = kind === "f" || kind === "t";
  const isNear = kind === "t" || kind === "T";
  const [start, end] = [lineStart(text, from), lineEnd(text, from)];
  const step = isForward ? nextBoundary : previousBoundary;
  let at = isRepeat && isNear ? step(text, from) : from;
  for (let left = count; left > 0; left--) {
    at = isForward ? text.indexOf(sign, nextBoundary(text, at)) : lastBefore(text, sign, at);
    if (at < start || at >= end) return undefined;
  }
  if (!isNear) return at;
  return isForward ? previousBoundary(text, at) : nextBoundary(text, at);
}

function lastBefore(text: string, sign: string, at: number): number {
  return at <= 0 ? -1 : text.lastIndexOf(sign, at - 1);
}

export function oppositeFind({ kind, sign }: Find): Find {
  const opposite = { f: "F", F: "f", t: "T", T: "t" } as const;
  return { kind: opposite[kind], sign };
}

/** The word, the blanks or the signs the cursor is in. */
export function innerWord(text: string, at: number): { start: number; end: number } {
  const kind = kindAt(text, at);
  let [start, end] = [at, at];
  while (start > lineStart(text, at) && kindAt(text, previousBoundary(text, start)) === kind)
    start = previousBoundary(text, start);
  while (end < lineEnd(text, at) && kindAt(text, end) === kind) end = nextBoundary(text, end);
  return { start, end };
}

export function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
}

export function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

/** The first character of a line that is no blank. */
export function firstWord(text: string, at: number): number {
  const end = lineEnd(text, at);
  let start = lineStart(text, at);
  while (start < end && /[ \t]/.test(text.charAt(start))) start++;
  return start;
}

/** The start of the line so many below, or of the last one. */
export function lineDown(text: string, at: number, count: number): number {
  let here = lineStart(text, at);
  for (let left = count; left > 0; left--) {
    const end = lineEnd(text, here);
    if (end >= text.length) break;
    here = end + 1;
  }
  return here;
}

export function lineUp(text: string, at: number, count: number): number {
  let here = lineStart(text, at);
  for (let left = count; left > 0 && here > 0; left--) here = lineStart(text, here - 1);
  return here;
}

type CharacterKind = "blank" | "word" | "sign";

function kindAt(text: string, at: number): CharacterKind {
  const character = String.fromCodePoint(text.codePointAt(at) ?? 32);
  if (/\s/.test(character)) return "blank";
  return /[\p{L}\p{N}\p{M}_]/u.test(character) ? "word" : "sign";
}

function nextWord(text: string, from: number): number {
  const kind = kindAt(text, from);
  let at = from;
  if (kind !== "blank") while (at < text.length && kindAt(text, at) === kind) at = nextBoundary(text, at);
  while (at < text.length && kindAt(text, at) === "blank") at = nextBoundary(text, at);
  return at;
}

function wordBefore(text: string, from: number): number {
  let at = previousBoundary(text, from);
  while (at > 0 && kindAt(text, at) === "blank") at = previousBoundary(text, at);
  const kind = kindAt(text, at);
  while (at > 0 && kindAt(text, previousBoundary(text, at)) === kind) at = previousBoundary(text, at);
  return at;
}

/** The last character of the word after the cursor, or of the one it is in. */
function wordEnd(text: string, from: number): number {
  let at = nextBoundary(text, from);
  while (at < text.length && kindAt(text, at) === "blank") at = nextBoundary(text, at);
  if (at >= text.length) return Math.max(from, previousBoundary(text, text.length));
  const kind = kindAt(text, at);
  for (;;) {
    const next = nextBoundary(text, at);
    if (next >= text.length || kindAt(text, next) !== kind) return at;
    at = next;
  }
}
