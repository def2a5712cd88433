import type { Decision } from "../../protocol/asks.ts";
import type { ToolCallPart, ToolResultMessage } from "../../protocol/messages.ts";
import { type Line, line, type Style, span } from "../../tui/style/styled-line.ts";
import type { Theme } from "../../tui/style/theme.ts";
import { truncateLine, wrapLine } from "../../tui/style/wrap.ts";
import { sanitise, sanitiseLine } from "../../tui/text/sanitise.ts";
import type { Block, BlockPlace } from "./block.ts";

const COLLAPSED_LINES = 4;
const EXPANDED_LINES = 30;
/** What a running tool shows of what it prints. */
const LIVE_LINES = 4;

/** A tool call: what is wanted, how it goes, how it ended. */
export class ToolBlock implements Block {
  private output = "";
  private result: { message: ToolResultMessage; durationMs: number } | undefined;
  private denied: Decision | undefined;
  private isTaken = false;

  constructor(
    private readonly call: ToolCallPart,
    private readonly startedAt: number,
  ) {}

  update(text: string): void {
    this.output = text.slice(-OUTPUT_KEPT);
  }

  deny(decision: Decision): void {
    this.denied = decision;
  }

  end(message: ToolResultMessage, durationMs: number): void {
    this.result = { message, durationMs };
  }

  get isDone(): boolean {
    return this.isTaken;
  }

  takeFinished(place: BlockPlace): Line[] {
    if (this.result === undefined || this.isTaken) return [];
    this.isTaken = true;
    const { message, durationMs } = this.result;
    return [this.head(place, durationMs), ...resultRows(this.call, message, place)];
  }

  openRows(place: BlockPlace): Line[] {
    if (this.result !== undefined) return [];
    const last = sanitise(this.output).trimEnd().split("\n").slice(-LIVE_LINES);
    const rows = last.filter((text) => text !== "").map((text) => under(text, place, place.theme.styles.muted));
    return [this.head(place, place.now - this.startedAt), ...rows];
  }

  private head({ width, theme }: BlockPlace, durationMs: number): Line {
    const { sign, style, word } = this.standing(theme);
    const about = sanitiseLine(subjectOf(this.call));
    const time = durationMs >= 100 || this.result === undefined ? ` ${shownDuration(durationMs)}` : "";
    return truncateLine(
      line(
        span(`${sign} `, style),
        span(this.call.name, theme.styles.strong),
        ...(about === "" ? [] : [` ${about}`]),
        span(`${word === "" ? "" : ` ${word}`}${time}`, theme.styles.muted),
      ),
      width,
      theme.glyphs.ellipsis,
    );
  }

  /** A refusal is not a failure: nothing went wrong, somebody said no. */
  private standing({ styles, glyphs }: Theme): { sign: string; style: Style; word: string } {
    if (this.result === undefined) return { sign: glyphs.bullet, style: styles.accent, word: "" };
    if (this.denied !== undefined) return { sign: "⊘", style: styles.blocked, word: "not allowed" };
    if (this.result.message.isError) return { sign: "✗", style: styles.error, word: "failed" };
    return { sign: glyphs.checked, style: styles.success, word: "" };
  }
}

const OUTPUT_KEPT = 20_000;

export function shownDuration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  return `${Math.floor(milliseconds / 60_000)} min ${Math.floor((milliseconds % 60_000) / 1000)} s`;
}

/** The word that says most about a call. */
export function subjectOf({ input }: ToolCallPart): string {
  const telling = TELLING.map((name) => input[name]).find((value) => typeof value === "string" && value !== "");
  const text =
    typeof telling === "string" ? telling : (Object.values(input).find((value) => typeof value === "string") ?? "");
  return String(text).split("\n", 1)[0] ?? "";
}

const TELLING = ["command", "path", "pattern", "query", "url", "question", "mode", "name"];

function resultRows(call: ToolCallPart, { content, isError }: ToolResultMessage, place: BlockPlace): Line[] {
  const text = content.map((part) => (part.type === "text" ? part.text : `[${part.mediaType}]`)).join("\n");
  const lines = sanitise(text).trimEnd().split("\n");
  if (text.trim() === "" || (isQuiet(call.name) && !isError && !place.areToolsExpanded)) return [];
  const most = place.areToolsExpanded ? EXPANDED_LINES : COLLAPSED_LINES;
  const shown = lines.slice(0, most).map((row) => under(row, place, styleOf(row, call.name, place.theme)));
  const hidden = lines.length - shown.length;
  if (hidden <= 0) return shown;
  const note = `${place.theme.glyphs.ellipsis} ${hidden} more ${hidden === 1 ? "line" : "lines"}${place.areToolsExpanded ? "" : " (Ctrl+O)"}`;
  return [...shown, under(note, place, place.theme.styles.muted)];
}

/** What these find is for the model; a person sees that it was read. */
function isQuiet(name: string): boolean {
  return QUIET.has(name);
}

const QUIET = new Set(["read_file", "list_dir", "glob_files", "search_files", "file_info", "TodoRead", "view_image"]);

/** Lines of a difference in their colours; the sign before them says the same. */
function styleOf(row: string, tool: string, { styles }: Theme): Style {
  if (!CHANGING.has(tool)) return styles.muted;
  if (row.startsWith("+")) return styles.added;
  return row.startsWith("-") ? styles.removed : styles.muted;
}

const CHANGING = new Set(["edit_file", "write_file", "append_file", "apply_delta"]);

function under(text: string, { width, theme }: BlockPlace, style: Style): Line {
  const [row = []] = wrapLine(line(span("  "), span(text, style)), Math.max(width, 10));
  return truncateLine(row, width, theme.glyphs.ellipsis);
}
