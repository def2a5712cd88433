import { updateEditor } from "../../../tui/editor/update-editor.ts";
import { graphemesOf, nextBoundary, previousBoundary } from "../../../tui/text/graphemes.ts";
import {
  type Find,
  findTarget,
  firstWord,
  innerWord,
  isMotion,
  lineEnd,
  lineStart,
  lineUp,
  MOTION_SHAPES,
  type Motion,
  motionTarget,
  oppositeFind,
} from "./vim-motions.ts";
import {
  linesFrom,
  moveTo,
  onCharacter,
  operate,
  put,
  replace,
  type Stretch,
  type VimResult,
} from "./vim-operators.ts";
import { isPending, type Operator, settled, type VimState } from "./vim-state.ts";

export interface VimStep extends VimResult {
  /** A row up or down is for whoever knows the rows: at the edge of the text it is the history. */
  rows?: { direction: "up" | "down"; count: number };
}

/** What a key does in the editing of vi; undefined where it means nothing there and the other keys count. */
export function stepVim(now: VimResult, { chord, text }: { chord: string; text?: string }): VimStep | undefined {
  const { vim } = now;
  if (chord === "escape") return onEscape(now);
  if (vim.mode === "insert") return undefined;
  if (chord === "ctrl+r") return times(now, (state) => updateEditor(state, { type: "redo" }));
  if (text === undefined || text === "" || /\p{Cc}/u.test(text)) return undefined;
  if (vim.awaits !== undefined) return complete(now, text);
  if (/^[1-9]$/.test(text) || (text === "0" && vim.count !== ""))
    return { ...now, vim: { ...vim, count: `${vim.count}${text}`.slice(0, COUNT_DIGITS) } };
  return onSign(now, text);
}

const COUNT_DIGITS = 4;

function onEscape({ vim, editor }: VimResult): VimStep | undefined {
  if (vim.mode === "insert") {
    const { text, cursor } = editor;
    const at = cursor > lineStart(text, cursor) ? previousBoundary(text, cursor) : cursor;
    return { vim: { ...settled(vim), mode: "normal" }, editor: moveTo(editor, at) };
  }
  return isPending(vim) ? { vim: settled(vim), editor } : undefined;
}

function onSign(now: VimResult, sign: string): VimStep {
  const { vim } = now;
  if (vim.operator !== undefined) return afterOperator(now, vim.operator.sign, sign);
  if (sign === "d" || sign === "c" || sign === "y")
    return { ...now, vim: { ...vim, operator: { sign, count: countOf(vim) }, count: "" } };
  if (isAwaiting(sign) || sign === "r") return { ...now, vim: { ...vim, awaits: sign } };
  if (sign === "j" || sign === "k") return rowStep(now, sign);
  if (isMotion(sign)) return move(now, motionTarget(now.editor.text, now.editor.cursor, motionOf(sign, vim)));
  return COMMANDS[sign]?.(now) ?? { ...now, vim: settled(vim) };
}

function afterOperator(now: VimResult, operator: Operator, sign: string): VimStep {
  const { vim, editor } = now;
  const { text, cursor } = editor;
  const count = wholeCount(vim) ?? 1;
  if (sign === operator) return operate(operator, linesFrom(text, cursor, count), now);
  if (sign === "i" || sign === "a") return { ...now, vim: { ...vim, awaits: "object" } };
  if (isAwaiting(sign)) return { ...now, vim: { ...vim, awaits: sign } };
  if (sign === "j") return operate(operator, linesFrom(text, cursor, count + 1), now);
  if (sign === "k") {
    const stretch = { start: lineUp(text, cursor, count), end: lineEnd(text, cursor), isWholeLines: true };
    return operate(operator, stretch, now);
  }
  if (sign === ";" || sign === ",") return operateFind(now, operator, findAgain(vim, sign));
  return isMotion(sign) ? operateMotion(now, operator, sign) : { ...now, vim: settled(vim) };
}

/** The character that completes what was begun: `gg`, `fx`, `rx`, `diw`. */
function complete(now: VimResult, sign: string): VimStep {
  const { vim, editor } = now;
  const { awaits, operator } = vim;
  const calm = { ...now, vim: { ...vim, awaits: undefined } };
  if (awaits === "r") return replaceCharacters(now, sign);
  if (awaits === "object") {
    if (sign !== "w" || operator === undefined) return { ...now, vim: settled(vim) };
    return operate(operator.sign, { ...innerWord(editor.text, editor.cursor), isWholeLines: false }, now);
  }
  if (awaits === "g") {
    if (sign !== "g") return { ...now, vim: settled(vim) };
    if (operator !== undefined) return operateMotion(calm, operator.sign, "gg");
    return move(now, motionTarget(editor.text, editor.cursor, motionOf("gg", vim)));
  }
  if (awaits === undefined) return now;
  const find = { kind: awaits, sign, isRepeat: false };
  const kept = { ...calm, vim: { ...calm.vim, lastFind: { kind: awaits, sign } } };
  return operator === undefined ? moveByFind(kept, find) : operateFind(kept, operator.sign, find);
}

function operateMotion(now: VimResult, operator: Operator, sign: Motion): VimStep {
  const { text, cursor } = now.editor;
  const isWordChange = operator === "c" && sign === "w" && /\S/.test(text.charAt(cursor));
  const motion = isWordChange ? "e" : sign;
  const target = motionTarget(text, cursor, motionOf(motion, now.vim));
  const { isInclusive, isWholeLines } = MOTION_SHAPES[motion];
  const [start, last] = [Math.min(cursor, target), Math.max(cursor, target)];
  let end = isInclusive ? nextBoundary(text, last) : last;
  // The last word of a line does not pull the next line up.
  if (
    sign === "w" &&
    !isWordChange &&
    end > lineEnd(text, start) &&
    /^\s*$/.test(text.slice(lineEnd(text, start), end))
  )
    end = Math.max(start, lineEnd(text, start));
  return operate(operator, { start, end, isWholeLines }, now);
}

/** A find as it was typed, or again. */
type FindWish = Find & { isRepeat: boolean };

function operateFind(now: VimResult, operator: Operator, find: FindWish | undefined): VimStep {
  const { text, cursor } = now.editor;
  const target = find && findTarget(text, cursor, { ...find, count: wholeCount(now.vim) ?? 1 });
  if (target === undefined) return { ...now, vim: settled(now.vim) };
  const stretch: Stretch =
    target >= cursor
      ? { start: cursor, end: nextBoundary(text, target), isWholeLines: false }
      : { start: target, end: cursor, isWholeLines: false };
  return operate(operator, stretch, now);
}

function moveByFind(now: VimResult, find: FindWish | undefined): VimStep {
  const { editor, vim } = now;
  const target = find && findTarget(editor.text, editor.cursor, { ...find, count: countOf(vim) ?? 1 });
  return target === undefined ? { ...now, vim: settled(vim) } : move(now, target);
}

function findAgain({ lastFind }: VimState, sign: ";" | ","): FindWish | undefined {
  return lastFind && { ...(sign === "," ? oppositeFind(lastFind) : lastFind), isRepeat: true };
}

function move({ vim, editor }: VimResult, offset: number): VimStep {
  return { vim: settled(vim), editor: onCharacter(moveTo(editor, offset)) };
}

function rowStep({ vim, editor }: VimResult, sign: "j" | "k"): VimStep {
  const rows = { direction: sign === "j" ? ("down" as const) : ("up" as const), count: countOf(vim) ?? 1 };
  return { vim: settled(vim), editor, rows };
}

/** Keys that need nothing after them. */
const COMMANDS: Readonly<Record<string, (now: VimResult) => VimStep>> = {
  " ": (now) => move(now, motionTarget(now.editor.text, now.editor.cursor, motionOf("l", now.vim))),
  x: (now) => cut(now, "l"),
  X: (now) => cut(now, "h"),
  D: (now) => operateMotion(now, "d", "$"),
  C: (now) => operateMotion(now, "c", "$"),
  Y: (now) => operate("y", linesFrom(now.editor.text, now.editor.cursor, countOf(now.vim) ?? 1), now),
  s: (now) => operateMotion(now, "c", "l"),
  p: (now) => put("after", countOf(now.vim) ?? 1, now),
  P: (now) => put("before", countOf(now.vim) ?? 1, now),
  u: (now) => times(now, (state) => updateEditor(state, { type: "undo" })),
  "~": turnCase,
  i: (now) => insertAt(now, now.editor.cursor),
  a: (now) => insertAt(now, Math.min(lineEndHere(now), nextBoundary(now.editor.text, now.editor.cursor))),
  I: (now) => insertAt(now, firstWord(now.editor.text, now.editor.cursor)),
  A: (now) => insertAt(now, lineEndHere(now)),
  o: (now) => openLine(now, lineEndHere(now), 1),
  O: (now) => openLine(now, lineStart(now.editor.text, now.editor.cursor), 0),
  ";": (now) => moveByFind(now, findAgain(now.vim, ";")),
  ",": (now) => moveByFind(now, findAgain(now.vim, ",")),
};

function cut(now: VimResult, motion: "l" | "h"): VimStep {
  const { text, cursor } = now.editor;
  const isNothing = motionTarget(text, cursor, { motion }) === cursor;
  return isNothing ? { ...now, vim: settled(now.vim) } : operateMotion(now, "d", motion);
}

function insertAt({ vim, editor }: VimResult, offset: number): VimStep {
  return { vim: { ...settled(vim), mode: "insert" }, editor: moveTo(editor, offset) };
}

function openLine({ vim, editor }: VimResult, at: number, step: 0 | 1): VimStep {
  return {
    vim: { ...settled(vim), mode: "insert" },
    editor: replace(editor, { start: at, end: at, text: "\n", cursor: at + step }),
  };
}

/** As many characters as were counted, within the line. */
function counted({ vim, editor }: VimResult): { start: number; end: number; characters: string[] } {
  const { text, cursor } = editor;
  const rest = [...graphemesOf(text.slice(cursor, lineEnd(text, cursor)))].slice(0, countOf(vim) ?? 1);
  const characters = rest.map((grapheme) => grapheme.text);
  return { start: cursor, end: cursor + characters.join("").length, characters };
}

function replaceCharacters(now: VimResult, sign: string): VimStep {
  const { start, end, characters } = counted(now);
  const vim = settled(now.vim);
  if (characters.length < (countOf(now.vim) ?? 1)) return { ...now, vim };
  const text = sign.repeat(characters.length);
  return { vim, editor: replace(now.editor, { start, end, text, cursor: start + text.length - sign.length }) };
}

function turnCase(now: VimResult): VimStep {
  const { start, end, characters } = counted(now);
  const vim = settled(now.vim);
  if (characters.length === 0) return { ...now, vim };
  const text = characters.map(otherCase).join("");
  return { vim, editor: onCharacter(replace(now.editor, { start, end, text, cursor: start + text.length })) };
}

function otherCase(character: string): string {
  const small = character.toLowerCase();
  return small === character ? character.toUpperCase() : small;
}

function times({ vim, editor }: VimResult, change: (editor: VimResult["editor"]) => VimResult["editor"]): VimStep {
  let next = editor;
  for (let left = countOf(vim) ?? 1; left > 0; left--) next = change(next);
  return { vim: settled(vim), editor: onCharacter(next) };
}

function isAwaiting(sign: string): sign is "g" | "f" | "F" | "t" | "T" {
  return /^[gfFtT]$/.test(sign);
}

function countOf({ count }: VimState): number | undefined {
  return count === "" ? undefined : Number(count);
}

/** `2d3w` is six words. */
function wholeCount(vim: VimState): number | undefined {
  const count = countOf(vim);
  const before = vim.operator?.count;
  return count === undefined && before === undefined ? undefined : (count ?? 1) * (before ?? 1);
}

function motionOf(motion: Motion, vim: VimState): { motion: Motion; count?: number } {
  const count = wholeCount(vim);
  return count === undefined ? { motion } : { motion, count };
}

function lineEndHere({ editor }: VimResult): number {
  return lineEnd(editor.text, editor.cursor);
}
