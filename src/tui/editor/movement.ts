import { nextBoundary, previousBoundary } from "../text/graphemes.ts";
import { type EditorState, isMarker } from "./editor-state.ts";
import { columnAt, layOut, offsetAt, rowAt } from "./layout.ts";

// Places in a text as seen from the cursor.

export type Place =
  | "left"
  | "right"
  | "word-left"
  | "word-right"
  | "line-start"
  | "line-end"
  | "text-start"
  | "text-end";

export function offsetOf({ text, cursor }: EditorState, place: Place): number {
  switch (place) {
    case "left":
      return previousBoundary(text, cursor);
    case "right":
      return nextBoundary(text, cursor);
    case "word-left":
      return wordStart(text, cursor);
    case "word-right":
      return wordEnd(text, cursor);
    case "line-start":
      return text.lastIndexOf("\n", cursor - 1) + 1;
    case "line-end":
      return lineEnd(text, cursor);
    case "text-start":
      return 0;
    case "text-end":
      return text.length;
  }
}

/** One row up or down as the text is shown in so many cells. Undefined where there is no such row. */
export function verticalMove(
  state: EditorState,
  direction: "up" | "down",
  width: number,
): { cursor: number; wantedColumn: number } | undefined {
  const rows = layOut(state, width);
  const from = rowAt(rows, state.cursor);
  const here = rows[from];
  const target = rows[direction === "up" ? from - 1 : from + 1];
  if (here === undefined || target === undefined) return undefined;
  const wantedColumn = state.wantedColumn ?? columnAt(state, here, state.cursor);
  const cursor = offsetAt(state, target, wantedColumn);
  // The end of a row that is broken is shown as the start of the next one.
  const isBrokenThere = cursor === target.end && cursor > target.start && rows.some(({ start }) => start === cursor);
  return { cursor: isBrokenThere ? previousBoundary(state.text, cursor) : cursor, wantedColumn };
}

function lineEnd(text: string, cursor: number): number {
  const end = text.indexOf("\n", cursor);
  return end < 0 ? text.length : end;
}

const WORD = /[\p{L}\p{N}\p{M}_]/u;

/** A marker is a word of its own. */
function wordStart(text: string, cursor: number): number {
  let at = cursor;
  while (at > 0 && kindBefore(text, at) === "other") at = previousBoundary(text, at);
  if (kindBefore(text, at) === "marker") return previousBoundary(text, at);
  while (at > 0 && kindBefore(text, at) === "word") at = previousBoundary(text, at);
  return at;
}

function wordEnd(text: string, cursor: number): number {
  let at = cursor;
  while (at < text.length && kindAt(text, at) === "other") at = nextBoundary(text, at);
  if (kindAt(text, at) === "marker") return nextBoundary(text, at);
  while (at < text.length && kindAt(text, at) === "word") at = nextBoundary(text, at);
  return at;
}

function kindBefore(text: string, at: number): "word" | "marker" | "other" {
  return at === 0 ? "other" : kindAt(text, previousBoundary(text, at));
}

function kindAt(text: string, at: number): "word" | "marker" | "other" {
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  if (isMarker(character)) return "marker";
  return WORD.test(character) ? "word" : "other";
}
