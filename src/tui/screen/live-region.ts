import { isPrintableAscii } from "../text/graphemes.ts";

// The rows at the bottom that are drawn again and again, and the bytes that lead from one state of them to the next.
// All movement is relative to the cursor: where the region stands on the screen is never needed.

export interface PaintedRow {
  /** As it was sent, with styles. */
  printed: string;
  /** As it is read, without styles; this is what a terminal reflows. */
  text: string;
  width: number;
  /** It was sent with wrapping on: where the window was narrower than we knew, it went over several rows. */
  isWrapping: boolean;
}

export interface LiveRegion {
  rows: readonly PaintedRow[];
  /** Where the terminal's cursor stands, counted from the region's top left. */
  row: number;
  column: number;
  isCursorShown: boolean;
}

/** A blank row with the cursor at its start. */
export const NO_REGION: LiveRegion = { rows: [], row: 0, column: 0, isCursorShown: true };

/** Rows may not run over into the next one: a terminal that measures a character wider than we do would break the region. */
const WRAP_OFF = "\x1b[?7l";
const WRAP_ON = "\x1b[?7h";
const BEGIN = `\x1b[?2026h\x1b[?25l${WRAP_OFF}`;
const END = `${WRAP_ON}\x1b[?2026l`;
const ERASE_BELOW = "\x1b[J";
const ERASE_REST = "\x1b[K";
const SHOW_CURSOR = "\x1b[?25h";

export interface Change {
  /** Finished lines that go above the region, from now on the terminal's own. They may be longer than a row. */
  committed: readonly string[];
  next: LiveRegion;
  columns: number;
}

/** The bytes for one frame; nothing when nothing changed. */
export function paint(before: LiveRegion, change: Change): string {
  const { next, columns } = change;
  const body = isWhole(before, change) ? paintBelow(before, change) : paintChanges(before, next, columns);
  const place = `${body.bytes}${moveRows(body.row, next.row)}\r${right(next.column)}`;
  if (body.bytes === "" && isSameCursor(before, next)) return "";
  if (body.bytes === "" && before.isCursorShown === next.isCursorShown) return place;
  return `${BEGIN}${place}${END}${next.isCursorShown ? SHOW_CURSOR : ""}`;
}

/** The region as it was sent: what was drawn before and has not changed is not sent again. */
export function asSent(before: LiveRegion, change: Change): LiveRegion {
  const { next } = change;
  const isAllSent = isWhole(before, change);
  const rows = next.rows.map((row, index) => {
    if (isAllSent) return { ...row, isWrapping: isPrintableAscii(row.text) };
    const old = before.rows[index];
    return old?.printed === row.printed ? old : row;
  });
  return { ...next, rows };
}

/** Whether all rows of the region are sent. */
function isWhole(before: LiveRegion, { committed, next }: Change): boolean {
  return committed.length > 0 || (before.rows.length === 0 && next.rows.length > 0);
}

/** Takes a region off the screen whose top is so many rows above the cursor, and leaves the cursor there. */
export function erase(rowsAbove: number): string {
  return `\x1b[?2026h${up(rowsAbove)}\r${ERASE_BELOW}\x1b[?2026l`;
}

interface Body {
  bytes: string;
  /** The row of the region the cursor is left in. */
  row: number;
}

/**
 * Only here the terminal wraps by itself: a long finished line stays one line when it is copied or the window grows. Rows of the
 * region are let wrap too where their width is beyond doubt: if the window has become narrower without our knowing, they then
 * take as many rows as they would have been broken into, and no finished line is taken for one of them.
 */
function paintBelow(before: LiveRegion, { committed, next }: Change): Body {
  const rows = next.rows
    .map(({ printed, text }) => (isPrintableAscii(text) ? printed : `${WRAP_OFF}${printed}${WRAP_ON}`))
    .join("\r\n");
  const finished = committed.map((text) => `${text}\r\n`).join("");
  return {
    bytes: `${up(before.row)}\r${ERASE_BELOW}${WRAP_ON}${finished}${rows}`,
    row: Math.max(0, next.rows.length - 1),
  };
}

function paintChanges(before: LiveRegion, next: LiveRegion, columns: number): Body {
  let bytes = "";
  let row = before.row;
  const kept = Math.min(before.rows.length, next.rows.length);
  for (let index = 0; index < kept; index++) {
    const painted = next.rows[index];
    if (painted === undefined || painted.printed === before.rows[index]?.printed) continue;
    bytes += `${moveRows(row, index)}\r${printRow(painted, columns)}`;
    row = index;
  }
  if (next.rows.length < before.rows.length) {
    bytes += `${moveRows(row, next.rows.length)}\r${ERASE_BELOW}`;
    row = next.rows.length;
  }
  for (let index = before.rows.length; index < next.rows.length; index++) {
    const last = Math.max(0, index - 1);
    bytes += `${moveRows(row, last)}\r${index === 0 ? ERASE_BELOW : "\n"}${next.rows[index]?.printed ?? ""}`;
    row = index;
  }
  return { bytes, row };
}

/** Erasing after a full row would take its last cell. */
function printRow({ printed, width }: PaintedRow, columns: number): string {
  return width < columns ? `${printed}${ERASE_REST}` : printed;
}

function isSameCursor(before: LiveRegion, next: LiveRegion): boolean {
  return before.row === next.row && before.column === next.column && before.isCursorShown === next.isCursorShown;
}

function moveRows(from: number, to: number): string {
  return to < from ? up(from - to) : to > from ? `\x1b[${to - from}B` : "";
}

function up(count: number): string {
  return count > 0 ? `\x1b[${count}A` : "";
}

function right(count: number): string {
  return count > 0 ? `\x1b[${count}C` : "";
}
