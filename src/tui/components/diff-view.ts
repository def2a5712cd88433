import { highlightLine, type OpenCode } from "../code/highlight.ts";
import { type Language, languageOf } from "../code/languages.ts";
import { type Line, overlay, PLAIN, type Style, span } from "../style/styled-line.ts";
import type { Theme } from "../style/theme.ts";
import { wrapLine } from "../style/wrap.ts";
import { expandTabs } from "../text/graphemes.ts";
import { sanitiseLine } from "../text/sanitise.ts";

// What changed in a text, compact: numbers, signs, and between hunks a sign that something is left out. The sign tells added
// from removed; colour only says it again.

export interface DiffHunk {
  /** The first line's number in the old and the new text, counted from 1. */
  oldStart: number;
  newStart: number;
  lines: readonly DiffLine[];
}

export interface DiffLine {
  type: "same" | "added" | "removed";
  text: string;
}

export interface DiffViewOptions {
  width: number;
  /** By name or file extension; unknown ones are shown without colours of their own. */
  language: string;
  /** More rows are left out, and the last one says how many lines. */
  maximumLines: number;
}

export function renderDiff(hunks: readonly DiffHunk[], options: DiffViewOptions, theme: Theme): Line[] {
  const numbered = hunks.flatMap(numberLines);
  const shown = numbered.slice(0, options.maximumLines);
  const digits = String(Math.max(0, ...shown.map(({ number }) => number))).length;
  const language = languageOf(options.language);
  const rows: Line[] = [];
  let open: OpenCode;
  for (const line of shown) {
    if (line.isFirst && rows.length > 0)
      rows.push([span(`${" ".repeat(digits)} ${theme.glyphs.ellipsis}`, theme.styles.muted)]);
    if (line.isFirst) open = undefined;
    const code = { language, open: line.type === "removed" ? undefined : open };
    const rendered = renderDiffLine(line, { code, digits, width: options.width, theme });
    if (line.type !== "removed") open = rendered.open;
    rows.push(...rendered.rows);
  }
  const left = numbered.length - shown.length;
  if (left > 0)
    rows.push([span(`${theme.glyphs.ellipsis} ${left} more ${left === 1 ? "line" : "lines"}`, theme.styles.muted)]);
  return rows;
}

interface NumberedLine extends DiffLine {
  number: number;
  isFirst: boolean;
}

/** Removed lines carry the number they had, the others the number they have. */
function numberLines({ oldStart, newStart, lines }: DiffHunk): NumberedLine[] {
  let [oldNumber, newNumber] = [oldStart, newStart];
  return lines.map((line, index) => {
    const number = line.type === "removed" ? oldNumber : newNumber;
    if (line.type !== "added") oldNumber++;
    if (line.type !== "removed") newNumber++;
    return { ...line, number, isFirst: index === 0 };
  });
}

const SIGNS = { same: " ", added: "+", removed: "-" } as const;

interface DiffPlace {
  code: { language: Language | undefined; open: OpenCode };
  digits: number;
  width: number;
  theme: Theme;
}

function renderDiffLine(
  line: NumberedLine,
  { code, digits, width, theme }: DiffPlace,
): { rows: Line[]; open: OpenCode } {
  const look: Style = line.type === "same" ? PLAIN : theme.styles[line.type];
  const text = sanitiseLine(expandTabs(line.text));
  const { tokens, open } = highlightLine(text, code.language, code.open);
  const number = span(`${String(line.number).padStart(digits)} `, theme.styles.muted);
  const body = tokens.map(({ text: part, role }) =>
    span(part, line.type === "removed" ? look : overlay(look, theme.styles[role])),
  );
  const indent = digits + 3;
  const row: Line = [number, span(`${SIGNS[line.type]} `, look), ...body];
  return { rows: wrapLine(row, width, { continuation: [span(" ".repeat(indent))], indent }), open };
}
