import type {
  AssistantMessage,
  Message,
  ToolCallPart,
  ToolResultMessage,
  UserMessage,
} from "../../protocol/messages.ts";
import { type Line, line, span } from "../../tui/style/styled-line.ts";
import type { Theme } from "../../tui/style/theme.ts";
import { wrapLine } from "../../tui/style/wrap.ts";
import { sanitise } from "../../tui/text/sanitise.ts";
import type { BlockPlace } from "./block.ts";
import { pictureWords } from "./picture-words.ts";

// Messages as they stand on the screen when they are whole: what a person said, and what was said before in a session.

export function userRows({ content }: UserMessage, { width, theme }: BlockPlace): Line[] {
  const text = content.map((part) => (part.type === "text" ? shownText(part.text) : pictureWords(part))).join("\n");
  const rows = sanitise(text)
    .trimEnd()
    .split("\n")
    .flatMap((row) => wrapLine(line(span(row, theme.styles.strong)), Math.max(1, width - 2)));
  return shortened(rows, theme).map((row, index) => [
    span(index === 0 ? `${theme.glyphs.pointer} ` : "  ", theme.styles.accent),
    ...row,
  ]);
}

/** What was pasted is known to whoever pasted it; the session has all of it. */
const MOST_ROWS = 40;
const LAST_ROWS = 8;

function shortened(rows: readonly Line[], { glyphs, styles }: Theme): readonly Line[] {
  const left = rows.length - MOST_ROWS;
  if (left <= 1) return rows;
  const gap = line(span(`${glyphs.ellipsis} ${left} rows are not shown here`, styles.muted));
  return [...rows.slice(0, MOST_ROWS - LAST_ROWS), gap, ...rows.slice(-LAST_ROWS)];
}

/** A file that was attached is named, not shown, and so is what Ralph tells the model: a command the person ran, a rule it broke. */
function shownText(text: string): string {
  const command = /^<command_of_person>\n[^\n]*\n\$ ([^\n]*)/.exec(text)?.[1];
  if (command !== undefined) return `[you ran ${command}]`;
  if (text.startsWith("<rule_reminder>\n")) return `[the model was told of ${ruleNames(text)}]`;
  const path = /^<file path="([^"\n]*)">\n/.exec(text)?.[1];
  return path === undefined ? text : `[file ${path}]`;
}

function ruleNames(reminder: string): string {
  const names = [...reminder.matchAll(/^<rule name="([^"\n]*)">$/gm)].map(([, name]) => name);
  return `the ${names.length === 1 ? "rule" : "rules"} ${names.join(", ")}`;
}

export function textOfAnswer({ content }: AssistantMessage): string {
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

export function callsOf({ content }: AssistantMessage): ToolCallPart[] {
  return content.filter((part) => part.type === "tool-call");
}

export function resultsById(messages: readonly Message[]): ReadonlyMap<string, ToolResultMessage> {
  return new Map(
    messages.flatMap((message) => (message.role === "tool-result" ? [[message.toolCallId, message]] : [])),
  );
}
