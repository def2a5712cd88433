import type { ToolCallPart, ToolResultMessage } from "../../protocol/messages.ts";
import { renderDiff } from "../../tui/components/diff-view.ts";
import { type Line, line, type Style, span } from "../../tui/style/styled-line.ts";
import { truncateLine } from "../../tui/style/wrap.ts";
import { expandTabs } from "../../tui/text/graphemes.ts";
import { sanitise } from "../../tui/text/sanitise.ts";
import type { BlockPlace } from "./block.ts";
import { pictureWords } from "./picture-words.ts";
import { readShownDiff, type ShownDiff } from "./read-diff.ts";

// What a tool gave back, below its head: a few rows, or more where the person wants them.

export type OutputRoom = "collapsed" | "expanded" | "whole";

const OUTPUT_LINES: Record<OutputRoom, number> = { collapsed: 4, expanded: 30, whole: 500 };
const DIFF_LINES: Record<OutputRoom, number> = { collapsed: 16, expanded: 100, whole: 500 };

export interface AnsweredCall {
  call: ToolCallPart;
  message: ToolResultMessage;
}

export function resultRows({ call, message }: AnsweredCall, room: OutputRoom, place: BlockPlace): Line[] {
  const { name, input } = call;
  const diff = CHANGING.has(name) && !message.isError ? readShownDiff(textOfResult(message)) : undefined;
  if (diff !== undefined) return diffRows(diff, { path: String(input.path ?? ""), room }, place);
  if (isQuiet(name) && !message.isError && room === "collapsed") return [];
  const lines = withoutPlainEnd(linesOfResult(message));
  const most = OUTPUT_LINES[room];
  const { muted } = place.theme.styles;
  const hidden = lines.length - most;
  if (hidden <= 0) return lines.map((text) => underRow(text, place, muted));
  const wayToMore = room === "collapsed" ? " (Ctrl+O)" : "";
  const count = `${hidden} ${hidden === 1 ? "line" : "lines"}${wayToMore}`;
  const { ellipsis } = place.theme.glyphs;
  if (ENDS_TELL.has(name))
    return [
      underRow(`${ellipsis} ${count} before this`, place, muted),
      ...lines.slice(hidden).map((text) => underRow(text, place, muted)),
    ];
  return [
    ...lines.slice(0, most).map((text) => underRow(text, place, muted)),
    underRow(`${ellipsis} ${count} more`, place, muted),
  ];
}

/** What these find is for the model; a person sees that it was read. */
export function isQuiet(name: string): boolean {
  return QUIET.has(name);
}

export function linesOfResult(message: ToolResultMessage): string[] {
  const text = sanitise(textOfResult(message)).trimEnd();
  return text === "" ? [] : text.split("\n");
}

export function underRow(text: string, { width, theme }: BlockPlace, style: Style): Line {
  return truncateLine(line(span("  "), span(expandTabs(text), style)), width, theme.glyphs.ellipsis);
}

function textOfResult({ content }: ToolResultMessage): string {
  return content.map((part) => (part.type === "text" ? part.text : pictureWords(part))).join("\n");
}

/** That all went well is said by the sign already. */
function withoutPlainEnd(lines: readonly string[]): readonly string[] {
  return lines.at(-1) === "Exit code 0." ? lines.slice(0, -1) : lines;
}

function diffRows(
  { hunks, remarks }: ShownDiff,
  { path, room }: { path: string; room: OutputRoom },
  place: BlockPlace,
): Line[] {
  const { width, theme } = place;
  const language = /\.([^./]+)$/.exec(path)?.[1] ?? "";
  const options = { width: Math.max(1, width - 2), language, maximumLines: DIFF_LINES[room] };
  const shown = renderDiff(hunks, options, theme).map((row): Line => [span("  "), ...row]);
  return [...shown, ...remarks.map((text) => underRow(sanitise(text), place, theme.styles.muted))];
}

const QUIET = new Set([
  "read_file",
  "list_dir",
  "glob_files",
  "search_files",
  "file_info",
  "TodoRead",
  "view_image",
  "web_fetch",
]);
const CHANGING = new Set(["edit_file", "write_file", "append_file", "apply_delta"]);
/** The end of what a command prints says how it went. */
const ENDS_TELL = new Set(["shell", "job_output"]);
