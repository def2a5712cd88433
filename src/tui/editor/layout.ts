import { cellWidth, graphemesOf, isPrintableAscii } from "../text/graphemes.ts";
import { type EditorState, isMarker, type Marker } from "./editor-state.ts";

// The text in rows of a given width: where each row starts and ends, and where a column lies in it.

export interface LaidRow {
  start: number;
  end: number;
}

/** One cell of the width is kept for the cursor behind the last character. */
export function layOut({ text, markers }: EditorState, width: number): LaidRow[] {
  const limit = Math.max(2, width - 1);
  const rows: LaidRow[] = [];
  let start = 0;
  for (const line of text.split("\n")) {
    if (isPrintableAscii(line) && line.length <= limit) rows.push({ start, end: start + line.length });
    else
      for (const row of breakLine(line, limit, markers)) rows.push({ start: start + row.start, end: start + row.end });
    start += line.length + 1;
  }
  return rows;
}

/** The row the cursor is in. At the place where a line is broken it is at the start of the next row. */
export function rowAt(rows: readonly LaidRow[], offset: number): number {
  let low = 0;
  let high = rows.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((rows[middle]?.start ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

export function columnAt({ text, markers }: EditorState, row: LaidRow, offset: number): number {
  let column = 0;
  for (const grapheme of graphemesOf(text.slice(row.start, offset)))
    column += widthOf(grapheme.text, grapheme.width, markers);
  return column;
}

/** The offset in a row that is nearest to a column without being right of it. */
export function offsetAt({ text, markers }: EditorState, row: LaidRow, column: number): number {
  let used = 0;
  for (const grapheme of graphemesOf(text.slice(row.start, row.end))) {
    used += widthOf(grapheme.text, grapheme.width, markers);
    if (used > column) return row.start + grapheme.start;
  }
  return row.end;
}

/** After a space where there is one in the row, otherwise wherever the row is full. */
function breakLine(line: string, limit: number, markers: ReadonlyMap<string, Marker>): LaidRow[] {
  const rows: LaidRow[] = [];
  let start = 0;
  let used = 0;
  let breakAt = 0;
  let usedAtBreak = 0;
  for (const grapheme of graphemesOf(line)) {
    const width = widthOf(grapheme.text, grapheme.width, markers);
    while (used > 0 && used + width > limit) {
      const end = breakAt > start ? breakAt : grapheme.start;
      used = breakAt > start ? used - usedAtBreak : 0;
      rows.push({ start, end });
      start = end;
    }
    used += width;
    if (grapheme.text === " ") {
      breakAt = grapheme.start + 1;
      usedAtBreak = used;
    }
  }
  return [...rows, { start, end: line.length }];
}

function widthOf(grapheme: string, width: number, markers: ReadonlyMap<string, Marker>): number {
  if (grapheme === "\t") return TAB_WIDTH;
  return isMarker(grapheme) ? cellWidth(markers.get(grapheme)?.label ?? "") : width;
}

/** In an editor a tab is a few spaces wide wherever it stands. */
export const TAB_WIDTH = 4;
