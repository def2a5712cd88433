import { type Line, type Span, type Style, span } from "../style/styled-line.ts";
import { type EditorState, isMarker } from "./editor-state.ts";
import { columnAt, type LaidRow, layOut, rowAt, TAB_WIDTH } from "./layout.ts";

// The text as rows, with the place of the cursor in them.

export interface EditorView {
  rows: Line[];
  cursor: { row: number; column: number };
  /** Rows that are not shown because there are too many. */
  hiddenAbove: number;
  hiddenBelow: number;
  /** Whether the cursor is in the first or the last row of the whole text: where up and down lead out of it. */
  isAtTop: boolean;
  isAtBottom: boolean;
}

export interface EditorViewOptions {
  width: number;
  maximumRows: number;
  markerStyle: Style;
}

export function viewEditor(state: EditorState, { width, maximumRows, markerStyle }: EditorViewOptions): EditorView {
  const rows = layOut(state, width);
  const at = rowAt(rows, state.cursor);
  const here = rows[at] ?? { start: 0, end: 0 };
  const count = Math.max(1, Math.min(maximumRows, rows.length));
  const first = Math.min(rows.length - count, Math.max(0, at - Math.floor(count / 2)));
  return {
    rows: rows.slice(first, first + count).map((row) => rowLine(state, row, markerStyle)),
    cursor: { row: at - first, column: columnAt(state, here, state.cursor) },
    hiddenAbove: first,
    hiddenBelow: rows.length - first - count,
    isAtTop: at === 0,
    isAtBottom: at === rows.length - 1,
  };
}

function rowLine({ text, markers }: EditorState, { start, end }: LaidRow, markerStyle: Style): Line {
  const parts: Span[] = [];
  for (const piece of text.slice(start, end).split(/([\u{100000}-\u{10fffd}])/u)) {
    if (piece === "") continue;
    if (isMarker(piece)) parts.push(span(markers.get(piece)?.label ?? "", markerStyle));
    else parts.push(span(piece.replaceAll("\t", " ".repeat(TAB_WIDTH))));
  }
  return parts;
}
