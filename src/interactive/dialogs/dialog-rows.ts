import { type Line, line, type Style, span } from "../../tui/style/styled-line.ts";
import type { Theme } from "../../tui/style/theme.ts";
import { wrapLine } from "../../tui/style/wrap.ts";
import { cellWidth } from "../../tui/text/graphemes.ts";

/** A text in rows, the later ones as far in as its first word. */
export function textRows(text: string, width: number, style: Style): Line[] {
  const indent = Math.min(/^ */.exec(text)?.[0].length ?? 0, Math.floor(width / 2));
  return wrapLine(line(span(text, style)), width, { continuation: [span(" ".repeat(indent))], indent });
}

/** Something that can be chosen, over as many rows as it needs, the later ones below its words: all of it counts. */
export function choiceRows(
  { text, isSelected, style }: { text: string; isSelected: boolean; style: Style },
  width: number,
  theme: Theme,
): Line[] {
  const { glyphs, styles } = theme;
  const blank = " ".repeat(cellWidth(glyphs.pointer) + 1);
  const pointer = isSelected ? `${glyphs.pointer} ` : blank;
  const room = Math.max(1, width - blank.length);
  const indent = Math.min(/^\S+ {2}/.exec(text)?.[0].length ?? 0, Math.floor(room / 2));
  const rows = wrapLine(line(span(text, isSelected ? styles.selection : style)), room, {
    continuation: [span(" ".repeat(indent))],
    indent,
  });
  return rows.map((row, index) => [span(index === 0 ? pointer : blank, styles.accent), ...row]);
}

export interface Window {
  lines: readonly Line[];
  /** The first row after those that are shown. */
  end: number;
}

/** A part of many rows, with a row that says which; all of them where there is room. */
export function windowRows(
  rows: readonly Line[],
  { start, room }: { start: number; room: number },
  style: Style,
): Window {
  if (rows.length <= room) return { lines: rows, end: rows.length };
  const count = Math.max(1, room - 1);
  const first = Math.max(0, Math.min(start, rows.length - count));
  const end = first + count;
  const where = line(span(`  rows ${first + 1}-${end} of ${rows.length} (PageUp, PageDown)`, style));
  return { lines: [...rows.slice(first, end), where], end };
}
