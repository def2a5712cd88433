import type { ToolCallPart } from "../../protocol/messages.ts";
import { makeVisible } from "../../tui/text/make-visible.ts";
import type { AskLine } from "./ask-words.ts";

// What a tool call would write, read from its input alone: what stood there before is known only where the call says it. Pure.

/** Rows beside the question, and after `?`. */
const MOST_LINES = { short: 10, whole: 2000 } as const;

/** The lines that would be taken away and put in; nothing for a call that writes no text. */
export function changeLines({ input }: Pick<ToolCallPart, "input">, room: keyof typeof MOST_LINES): AskLine[] {
  const lines = READERS.flatMap((read) => read(input));
  const shown = lines.slice(0, MOST_LINES[room]);
  const left = lines.length - shown.length;
  if (left === 0) return shown;
  const way = room === "short" ? " (? shows them)" : "";
  return [...shown, { text: `  ${left} more ${left === 1 ? "line" : "lines"}${way}`, tone: "muted" }];
}

type Input = ToolCallPart["input"];

const READERS: readonly ((input: Input) => AskLine[])[] = [
  ({ content }) => signed("+", content),
  ({ old_string, old_text }) => signed("-", old_string ?? old_text),
  ({ new_string, new_text }) => signed("+", new_string ?? new_text),
  ({ edits }) => objectsOf(edits).flatMap(anchoredEdit),
  ({ operations }) => objectsOf(operations).flatMap(lineOperation),
];

function anchoredEdit({ action, anchor, end_anchor, content }: Input): AskLine[] {
  return [place([action, anchor, end_anchor]), ...signed("+", content)];
}

function lineOperation({ type, start_line, end_line, expected, content }: Input): AskLine[] {
  return [place([type, start_line, end_line]), ...signed("-", joined(expected)), ...signed("+", joined(content))];
}

function place([what, from, to]: readonly unknown[]): AskLine {
  const where = to === undefined || to === from ? `${from}` : `${from} to ${to}`;
  return { text: `  ${makeVisible(`${what} ${where}`)}:`, tone: "muted" };
}

const TONES = { "+": "added", "-": "removed" } as const;

function signed(sign: keyof typeof TONES, text: unknown): AskLine[] {
  if (typeof text !== "string" || text === "") return [];
  const lines = text.replace(/\r?\n$/, "").split(/\r?\n/);
  return lines.map((line) => ({ text: `  ${sign} ${visibleCode(line)}`, tone: TONES[sign] }));
}

/** The indent of code is no hiding place; blanks within it are counted as everywhere. */
function visibleCode(line: string): string {
  const indent = /^[ \t]{0,40}/.exec(line)?.[0] ?? "";
  return `${indent.replaceAll("\t", "    ")}${makeVisible(line.slice(indent.length))}`;
}

function joined(lines: unknown): string | undefined {
  return Array.isArray(lines) ? lines.map(String).join("\n") : undefined;
}

function objectsOf(list: unknown): Input[] {
  return Array.isArray(list) ? list.filter((one): one is Input => typeof one === "object" && one !== null) : [];
}
