import { type Line, lineWidth, padLine, type Span, span, textOf, withStyle } from "../style/styled-line.ts";
import type { Theme } from "../style/theme.ts";
import { wrapLine } from "../style/wrap.ts";
import { cellWidth } from "../text/graphemes.ts";

// Rows and columns that fit the width: columns keep their width while there is room, the widest give way first, and where even
// that is too narrow every row becomes a small list of its own.

export type Alignment = "left" | "center" | "right";

export interface TableContent {
  header: readonly Line[];
  rows: readonly (readonly Line[])[];
  alignments?: readonly (Alignment | undefined)[];
}

const NARROWEST_COLUMN = 6;
const GAP = 3;

export function renderTable(content: TableContent, width: number, theme: Theme): Line[] {
  const count = Math.max(content.header.length, ...content.rows.map((row) => row.length), 0);
  if (count === 0) return [];
  const widths = columnWidths(content, count, width - GAP * (count - 1));
  return widths === undefined ? asRecords(content, width, theme) : asGrid(content, widths, theme);
}

/** Undefined when the columns would be too narrow to read. */
function columnWidths({ header, rows }: TableContent, count: number, room: number): number[] | undefined {
  const widths = Array.from({ length: count }, (_, column) =>
    Math.max(1, ...[header, ...rows].map((row) => lineWidth(row[column] ?? []))),
  );
  let excess = widths.reduce((sum, width) => sum + width, 0) - room;
  while (excess > 0) {
    const widest = Math.max(...widths);
    const second = Math.max(...widths.filter((width) => width < widest), NARROWEST_COLUMN);
    const sharing = widths.filter((width) => width === widest).length;
    if (widest <= NARROWEST_COLUMN) return undefined;
    const cut = Math.max(1, Math.min(widest - second, Math.ceil(excess / sharing)));
    for (const [column, width] of widths.entries()) {
      if (width === widest) widths[column] = width - cut;
    }
    excess = widths.reduce((sum, width) => sum + width, 0) - room;
  }
  return widths;
}

function asGrid({ header, rows, alignments = [] }: TableContent, widths: number[], theme: Theme): Line[] {
  const { horizontal, vertical } = theme.glyphs;
  const border = theme.styles.border;
  const fit = (row: readonly Line[]) => gridRow(row, widths, { alignments, separator: span(` ${vertical} `, border) });
  const rule = widths.map((width) => horizontal.repeat(width)).join(`${horizontal}${horizontal}${horizontal}`);
  return [
    ...fit(header.map((cell) => withStyle(cell, theme.styles.strong))),
    [span(rule, border)],
    ...rows.flatMap(fit),
  ];
}

interface GridStyle {
  alignments: readonly (Alignment | undefined)[];
  separator: Span;
}

/** A cell that is too long takes several rows, and its neighbours stand beside it. */
function gridRow(row: readonly Line[], widths: number[], { alignments, separator }: GridStyle): Line[] {
  const cells = widths.map((width, column) => wrapLine(row[column] ?? [], width));
  const height = Math.max(...cells.map((cell) => cell.length));
  return Array.from({ length: height }, (_, index) =>
    cells.flatMap((cell, column) => {
      const aligned = alignLine(cell[index] ?? [], widths[column] ?? 0, alignments[column]);
      return column === 0 ? [...aligned] : [separator, ...aligned];
    }),
  );
}

function alignLine(given: Line, width: number, alignment: Alignment | undefined): Line {
  const missing = width - lineWidth(given);
  if (missing <= 0 || alignment === undefined || alignment === "left") return padLine(given, width);
  const before = alignment === "right" ? missing : Math.floor(missing / 2);
  return padLine(before === 0 ? given : [span(" ".repeat(before)), ...given], width);
}

function asRecords({ header, rows }: TableContent, width: number, theme: Theme): Line[] {
  return rows.flatMap((row, index) => [
    ...(index === 0 ? [] : [[]]),
    ...row.flatMap((cell, column) => {
      const name = textOf(header[column] ?? []);
      const label = name === "" ? [] : [span(`${name}: `, theme.styles.strong)];
      const indent = Math.min(2, Math.max(0, width - 1), cellWidth(name));
      return wrapLine([...label, ...cell], width, { continuation: [span(" ".repeat(indent))], indent });
    }),
  ]);
}
