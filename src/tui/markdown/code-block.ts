import { highlightLine, type OpenCode } from "../code/highlight.ts";
import { type Language, languageOf } from "../code/languages.ts";
import { type Line, span } from "../style/styled-line.ts";
import type { Theme } from "../style/theme.ts";
import { wrapLine } from "../style/wrap.ts";
import { expandTabs } from "../text/graphemes.ts";
import { sanitiseLine } from "../text/sanitise.ts";

// Code in a fence, line by line: a line that is complete looks the same for ever.

export interface CodeState {
  language: Language | undefined;
  open: OpenCode;
}

export interface CodeRows {
  rows: Line[];
  state: CodeState;
}

const INDENT = 2;

export function startCode(language: string): CodeState {
  return { language: languageOf(language), open: undefined };
}

export function renderCodeLine(
  text: string,
  state: CodeState,
  { width, theme }: { width: number; theme: Theme },
): CodeRows {
  const shown = sanitiseLine(expandTabs(text));
  const { tokens, open } = highlightLine(shown, state.language, state.open);
  const indent = span(" ".repeat(INDENT));
  const line = [indent, ...tokens.map((token) => span(token.text, theme.styles[token.role]))];
  const rows = shown === "" ? [[]] : wrapLine(line, width, { continuation: [indent], indent: INDENT });
  return { rows, state: { ...state, open } };
}
