import type { ToolCallPart, ToolResultMessage } from "../../protocol/messages.ts";
import { type Line, line, type Style, span } from "../../tui/style/styled-line.ts";
import type { Theme } from "../../tui/style/theme.ts";
import { truncateLine } from "../../tui/style/wrap.ts";
import { sanitise, sanitiseLine } from "../../tui/text/sanitise.ts";
import type { Block, BlockPlace } from "./block.ts";
import { isQuiet, linesOfResult, type OutputRoom, resultRows, underRow } from "./tool-output.ts";

/** What a running tool shows of what it prints. */
const LIVE_LINES = 4;
const OUTPUT_KEPT = 20_000;

/** `not-run`: it never began. `blocked`: because somebody or a rule said no. */
export type ToolEnding = "done" | "failed" | "not-run" | "blocked";

interface Ended {
  message: ToolResultMessage;
  durationMs: number;
  how: ToolEnding;
}

/** A tool call: what is wanted, how it goes, how it ended. */
export class ToolBlock implements Block {
  readonly kind = "tool";
  private startedAt: number | undefined;
  private output = "";
  private ended: Ended | undefined;
  private isTaken = false;
  /** Rows of what has ended, while an earlier call still runs: they are drawn with every frame. */
  private drawn: { key: string; rows: Line[] } | undefined;

  constructor(readonly call: ToolCallPart) {}

  begin(now: number): void {
    this.startedAt = now;
  }

  /** A piece of what it prints, after those before. */
  update(text: string): void {
    this.output = (this.output + text).slice(-OUTPUT_KEPT);
  }

  end(message: ToolResultMessage, durationMs: number, how: ToolEnding): void {
    this.ended = { message, durationMs, how };
    this.output = "";
  }

  /** The work ended before the call was answered. */
  abandon(): void {
    if (this.ended !== undefined) return;
    const { id, name } = this.call;
    const message: ToolResultMessage = {
      role: "tool-result",
      toolCallId: id,
      toolName: name,
      content: [],
      isError: true,
    };
    this.end(message, 0, this.startedAt === undefined ? "not-run" : "failed");
  }

  get isDone(): boolean {
    return this.isTaken;
  }

  takeFinished(place: BlockPlace): Line[] {
    if (this.ended === undefined || this.isTaken) return [];
    this.isTaken = true;
    return this.endedRows(this.ended, place);
  }

  openRows(place: BlockPlace): Line[] {
    if (this.isTaken) return [];
    if (this.ended !== undefined) return this.endedRows(this.ended, place);
    const last = sanitise(this.output).trimEnd().split("\n").slice(-LIVE_LINES);
    const rows = last.filter((text) => text !== "").map((text) => underRow(text, place, place.theme.styles.muted));
    return [this.head(place), ...rows];
  }

  /** What it printed, in more rows than were shown at first; nothing where all of it was shown. */
  allOutput(place: BlockPlace, room: OutputRoom): Line[] {
    if (this.ended === undefined) return [];
    const answered = { call: this.call, message: this.ended.message };
    const short = resultRows(answered, "collapsed", place);
    const long = resultRows(answered, room, place);
    return long.length <= short.length ? [] : [this.head(place), ...long];
  }

  private endedRows({ message }: Ended, place: BlockPlace): Line[] {
    const room: OutputRoom = place.areToolsExpanded ? "expanded" : "collapsed";
    const key = `${room} ${place.width} ${place.theme.name}`;
    if (this.drawn?.key === key) return this.drawn.rows;
    const rows = [this.head(place), ...resultRows({ call: this.call, message }, room, place)];
    this.drawn = { key, rows };
    return rows;
  }

  private head({ width, theme, now }: BlockPlace): Line {
    const { sign, style, word } = this.standing(theme);
    const about = sanitiseLine(subjectOf(this.call));
    const time = this.shownTime(now);
    const tail = [word, time].filter((text) => text !== "").join(" ");
    const start = line(
      span(`${sign} `, style),
      span(sanitiseLine(this.call.name), theme.styles.strong),
      ...(about === "" ? [] : [` ${about}`]),
    );
    if (tail === "") return truncateLine(start, width, theme.glyphs.ellipsis);
    const room = Math.max(0, width - tail.length - 1);
    return truncateLine(
      [...truncateLine(start, room, theme.glyphs.ellipsis), span(` ${tail}`, word === "" ? theme.styles.muted : style)],
      width,
      theme.glyphs.ellipsis,
    );
  }

  private shownTime(now: number): string {
    if (this.ended !== undefined) return this.ended.durationMs >= 100 ? shownDuration(this.ended.durationMs) : "";
    return this.startedAt === undefined ? "" : shownDuration(now - this.startedAt);
  }

  /** A refusal is not a failure: nothing went wrong, somebody said no. */
  private standing({ styles, glyphs }: Theme): { sign: string; style: Style; word: string } {
    switch (this.ended?.how) {
      case undefined:
        return { sign: glyphs.bullet, style: styles.accent, word: this.startedAt === undefined ? "waits" : "" };
      case "done":
        return { sign: glyphs.success, style: styles.success, word: this.quietCount() };
      case "failed":
        return { sign: glyphs.failure, style: styles.error, word: "failed" };
      case "not-run":
        return { sign: glyphs.blocked, style: styles.warning, word: "not run" };
      case "blocked":
        return { sign: glyphs.blocked, style: styles.blocked, word: "not allowed" };
    }
  }

  private quietCount(): string {
    if (this.ended === undefined || !isQuiet(this.call.name)) return "";
    const count = linesOfResult(this.ended.message).length;
    return count === 0 ? "" : `${count} ${count === 1 ? "line" : "lines"}`;
  }
}

export function shownDuration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  return `${Math.floor(milliseconds / 60_000)} min ${Math.floor((milliseconds % 60_000) / 1000)} s`;
}

/** The word that says most about a call. */
export function subjectOf({ input }: Pick<ToolCallPart, "input">): string {
  const telling = TELLING.map((name) => input[name]).find((value) => typeof value === "string" && value !== "");
  const text =
    typeof telling === "string" ? telling : (Object.values(input).find((value) => typeof value === "string") ?? "");
  return String(text).trim().split("\n", 1)[0] ?? "";
}

const TELLING = ["command", "path", "pattern", "query", "url", "question", "mode", "name"];
