import type { EditorState } from "../../../tui/editor/editor-state.ts";
import { updateEditor } from "../../../tui/editor/update-editor.ts";
import { nextBoundary, previousBoundary } from "../../../tui/text/graphemes.ts";
import { firstWord, lineDown, lineEnd, lineStart } from "./vim-motions.ts";
import { type Operator, settled, type VimState } from "./vim-state.ts";

export interface Stretch {
  start: number;
  end: number;
  isWholeLines: boolean;
}

export interface VimResult {
  vim: VimState;
  editor: EditorState;
}

/** Deletes, changes or copies a stretch; what it held can be put back. */
export function operate(operator: Operator, stretch: Stretch, { vim, editor }: VimResult): VimResult {
  const { start, end } = stretch.isWholeLines ? wholeLines(editor.text, stretch) : stretch;
  const register = { text: editor.text.slice(start, end), isWholeLines: stretch.isWholeLines };
  const next = { ...settled(vim), register };
  if (operator === "y") return { vim: next, editor: moveTo(editor, stretch.isWholeLines ? editor.cursor : start) };
  if (operator === "c")
    return { vim: { ...next, mode: "insert" }, editor: replace(editor, { start, end, text: "", cursor: start }) };
  if (!stretch.isWholeLines) {
    const cut = replace(editor, { start, end, text: "", cursor: start });
    return { vim: next, editor: onCharacter(cut) };
  }
  const without = replace(editor, { ...withLineBreak(editor.text, start, end), text: "" });
  return { vim: next, editor: moveTo(without, firstWord(without.text, Math.min(start, without.text.length))) };
}

/** Puts back what was deleted or copied, after the cursor or before it. */
export function put(where: "after" | "before", count: number, { vim, editor }: VimResult): VimResult {
  const { text: kept, isWholeLines } = vim.register;
  const next = settled(vim);
  if (kept === "") return { vim: next, editor };
  const { text, cursor } = editor;
  if (isWholeLines) {
    const lines = Array.from({ length: count }, () => kept).join("\n");
    const at = where === "after" ? lineEnd(text, cursor) : lineStart(text, cursor);
    const inserted = where === "after" ? `\n${lines}` : `${lines}\n`;
    const first = where === "after" ? at + 1 : at;
    return { vim: next, editor: replace(editor, { start: at, end: at, text: inserted, cursor: first }) };
  }
  const isLineEnd = lineEnd(text, cursor) === cursor;
  const at = where === "after" && !isLineEnd ? nextBoundary(text, cursor) : cursor;
  const inserted = kept.repeat(count);
  const after = `${text.slice(0, at)}${inserted}${text.slice(at)}`;
  const last = previousBoundary(after, at + inserted.length);
  return { vim: next, editor: replace(editor, { start: at, end: at, text: inserted, cursor: last }) };
}

/** In this mode the cursor stands on a character, never behind the last one of a line. */
export function onCharacter(editor: EditorState): EditorState {
  const { text, cursor } = editor;
  const isBehind = cursor === lineEnd(text, cursor) && cursor > lineStart(text, cursor);
  return isBehind ? { ...editor, cursor: previousBoundary(text, cursor) } : editor;
}

export function moveTo(editor: EditorState, offset: number): EditorState {
  return updateEditor(editor, { type: "move-to", offset });
}

export function replace(
  editor: EditorState,
  change: { start: number; end: number; text: string; cursor?: number },
): EditorState {
  return updateEditor(editor, { type: "replace-span", ...change });
}

function wholeLines(text: string, { start, end }: Stretch): { start: number; end: number } {
  return { start: lineStart(text, start), end: lineEnd(text, end) };
}

/** A line that goes takes its line break with it; the last one takes the break before it. */
function withLineBreak(text: string, start: number, end: number): { start: number; end: number } {
  if (end < text.length) return { start, end: end + 1 };
  return { start: Math.max(0, start - 1), end };
}

/** So many lines from the cursor on. */
export function linesFrom(text: string, cursor: number, count: number): Stretch {
  return { start: lineStart(text, cursor), end: lineEnd(text, lineDown(text, cursor, count - 1)), isWholeLines: true };
}
