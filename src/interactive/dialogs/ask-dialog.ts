import type { Ask, AskOption } from "../../protocol/asks.ts";
import type { ToolCallPart } from "../../protocol/messages.ts";
import type { MethodError } from "../../protocol/methods.ts";
import { renderKeyHints } from "../../tui/components/key-hints.ts";
import { renderRule } from "../../tui/components/rule.ts";
import type { KeyEvent, PasteEvent } from "../../tui/keys/input-event.ts";
import { type Line, line, span } from "../../tui/style/styled-line.ts";
import type { Theme } from "../../tui/style/theme.ts";
import { truncateLine } from "../../tui/style/wrap.ts";
import type { KeyMap } from "../keys/key-map.ts";
import {
  type AskChoice,
  type AskLine,
  askInOneLine,
  askLines,
  canKeep,
  choicesOf,
  detailLines,
  typedRules,
  untilWords,
} from "./ask-words.ts";
import type { Dialog, DialogPlace, DialogView } from "./dialog.ts";
import { choiceRows, textRows, windowRows } from "./dialog-rows.ts";
import { OneLine } from "./one-line.ts";
import { changeLines } from "./proposed-change.ts";

export interface AskAnswer {
  askId: string;
  answer: AskOption;
  rules?: string[];
}

export interface AskDialogOptions {
  /** Those that wait, the oldest first. */
  asks(): readonly Ask[];
  /** The call it is asked for, where it is on the screen. */
  callOf(ask: Ask): ToolCallPart | undefined;
  /** Why it does not count; undefined where it does. */
  answer(answer: AskAnswer): Promise<MethodError | undefined>;
  /** Milliseconds from an unknown start. */
  now(): number;
  /** Milliseconds since 1970. */
  wallNow(): number;
}

/** An ask that took another's place must be looked at before it can be answered. */
export const LOOK_MS = 700;
/** From here on a person is told when it becomes a no. */
const NEAR_END_MS = 5 * 60_000;
const LISTED = 5;
const PAGE = 5;

/**
 * What tools want to do and need a yes for: the exact action, why it is asked, what each answer means. Several stand in a
 * numbered list. Nothing is chosen by typing ahead, and Esc is a no.
 */
export class AskDialog implements Dialog {
  private shownId = "";
  private shownSince = Number.NEGATIVE_INFINITY;
  private selected: AskOption = "no";
  private isDetailed = false;
  private isSending = false;
  private problem: string | undefined;
  private rules: readonly string[] | undefined;
  private editing: OneLine | undefined;
  private start = 0;
  private rowCount = 0;
  /** A long command is wrapped once, not with every frame. */
  private wrapped: { key: string; rows: Line[] } | undefined;
  /** How far the person has seen what is asked. */
  private seenRows = 0;

  constructor(private readonly options: AskDialogOptions) {}

  get topic(): string {
    return this.current()?.id ?? "";
  }

  view(place: DialogPlace): DialogView {
    const ask = this.current();
    if (ask === undefined) return { lines: [] };
    const { width, rows, theme } = place;
    const head = [this.title(ask, place), ...this.listRows(place)];
    const editing = this.editing?.view(width, theme);
    const foot = [
      ...(this.problem === undefined ? [] : textRows(this.problem, width, theme.styles.error)),
      ...(editing === undefined ? this.choiceRows(ask, place) : editing.lines),
      this.hints(ask, width, theme),
    ];
    const body = this.bodyRows(ask, width, theme);
    const room = Math.max(2, rows - head.length - foot.length);
    const shown = windowRows(body, { start: this.start, room }, theme.styles.muted);
    this.rowCount = body.length;
    this.seenRows = Math.max(this.seenRows, shown.end);
    const lines = [...head, ...shown.lines, ...foot];
    if (editing === undefined) return { lines };
    const row = lines.length - 1 - editing.lines.length;
    return { lines, cursor: { row, column: editing.column } };
  }

  onKey(event: KeyEvent, keys: KeyMap): boolean {
    const ask = this.current();
    if (ask === undefined) return false;
    if (this.isSending) return true;
    this.problem = undefined;
    if (this.editing !== undefined) this.onEditKey(this.editing, event, keys);
    else return this.onAnswerKey(ask, event, keys);
    return true;
  }

  onPaste({ text }: PasteEvent): boolean {
    this.editing?.paste(text);
    return this.editing !== undefined;
  }

  /** The ask that is shown, or the oldest where it is gone. */
  private current(): Ask | undefined {
    const asks = this.options.asks();
    const shown = asks.find(({ id }) => id === this.shownId);
    if (shown !== undefined) return shown;
    const [oldest] = asks;
    if (oldest !== undefined) this.turnTo(oldest);
    return oldest;
  }

  private turnTo({ id }: Ask): void {
    if (this.shownId !== "") this.shownSince = this.options.now();
    this.shownId = id;
    this.selected = "no";
    this.isDetailed = false;
    this.rules = undefined;
    this.editing = undefined;
    this.start = 0;
    this.seenRows = 0;
  }

  private onAnswerKey(ask: Ask, { chord, text }: KeyEvent, keys: KeyMap): boolean {
    const asks = this.options.asks();
    const letter = text?.toLowerCase();
    const choices = choicesOf(ask);
    const named = choices.find(({ key }) => key === letter);
    const other = asks.length > 1 ? asks[Number(text) - 1] : undefined;
    if (text === "N" && asks.length > 1) void this.denyAll(asks);
    else if (named !== undefined) this.give(ask, named.answer);
    else if (other !== undefined) this.turnTo(other);
    else if (letter === "?") this.isDetailed = !this.isDetailed;
    else if (letter === "e" && canKeep(ask)) this.editing = new OneLine("rule", this.rulesOf(ask).join(" "));
    else if (keys.means(chord, "tui.select.up")) this.move(choices, -1);
    else if (keys.means(chord, "tui.select.down")) this.move(choices, 1);
    else if (keys.means(chord, "tui.select.pageUp")) this.scroll(-PAGE);
    else if (keys.means(chord, "tui.select.pageDown")) this.scroll(PAGE);
    else if (keys.means(chord, "tui.select.confirm")) this.give(ask, this.selected);
    else if (keys.means(chord, "tui.select.cancel")) this.give(ask, "no");
    else return false;
    return true;
  }

  private onEditKey(editing: OneLine, event: KeyEvent, keys: KeyMap): void {
    if (keys.means(event.chord, "tui.select.cancel")) this.editing = undefined;
    else if (keys.means(event.chord, "tui.select.confirm")) {
      this.rules = typedRules(editing.text);
      this.editing = undefined;
      this.start = 0;
      this.seenRows = 0;
    } else editing.onKey(event, keys);
  }

  private move(choices: readonly AskChoice[], step: number): void {
    const at = choices.findIndex(({ answer }) => answer === this.selected);
    this.selected = choices[(at + step + choices.length) % choices.length]?.answer ?? "no";
  }

  private scroll(step: number): void {
    this.start = Math.max(0, Math.min(this.rowCount - 1, this.start + step));
  }

  private give(ask: Ask, answer: AskOption): void {
    if (this.options.now() - this.shownSince < LOOK_MS) {
      this.problem = "This is another one: look at it first.";
    } else if (answer !== "no" && answer !== "never" && this.seenRows < this.rowCount) {
      this.problem = "There is more of it: PageDown shows the rest.";
      this.scroll(PAGE);
    } else void this.send(ask, answer);
  }

  private async send(ask: Ask, answer: AskOption): Promise<void> {
    const isKept = answer !== "yes" && answer !== "no";
    this.isSending = true;
    const error = await this.options.answer({
      askId: ask.id,
      answer,
      ...(isKept && this.rules !== undefined && { rules: [...this.rules] }),
    });
    this.isSending = false;
    this.problem = error?.message;
  }

  private async denyAll(asks: readonly Ask[]): Promise<void> {
    this.isSending = true;
    for (const { id } of [...asks]) await this.options.answer({ askId: id, answer: "no" });
    this.isSending = false;
  }

  private rulesOf(ask: Ask): readonly string[] {
    return this.rules ?? ask.rules ?? [];
  }

  private title({ tool }: Ask, { width, theme }: DialogPlace): Line {
    const count = this.options.asks().length;
    return renderRule(count > 1 ? `${count} calls wait for an answer` : `${tool} needs your answer`, width, theme);
  }

  private listRows({ width, theme }: DialogPlace): Line[] {
    const asks = this.options.asks();
    if (asks.length < 2) return [];
    const at = asks.findIndex(({ id }) => id === this.shownId);
    const first = Math.max(0, Math.min(at - Math.floor(LISTED / 2), asks.length - LISTED));
    const rows = asks.slice(first, first + LISTED).map((ask, index) => {
      const isShown = ask.id === this.shownId;
      const text = `${isShown ? theme.glyphs.pointer : " "} ${first + index + 1}  ${askInOneLine(ask)}`;
      const row = line(span(text, isShown ? theme.styles.selection : theme.styles.muted));
      return truncateLine(row, width, theme.glyphs.ellipsis);
    });
    return [...rows, []];
  }

  /** The ask may be here before the message with its call is. */
  private bodyRows(ask: Ask, width: number, theme: Theme): Line[] {
    const rules = this.rulesOf(ask);
    const kept: AskLine[] = canKeep(ask)
      ? [
          {
            text: `The rule: ${rules.length === 0 ? "none, it has to be written (e)" : rules.join(" ")}`,
            tone: "plain",
          },
        ]
      : [];
    const isNearEnd = ask.expiresAt - this.options.wallNow() < NEAR_END_MS && !this.isDetailed;
    const end: AskLine[] = isNearEnd ? [{ text: `Until ${untilWords(ask.expiresAt)}`, tone: "warning" }] : [];
    const call = ask.category === "file_write" ? this.options.callOf(ask) : undefined;
    const key = JSON.stringify([ask.id, call?.id, width, theme.name, rules, isNearEnd, this.isDetailed]);
    if (this.wrapped?.key === key) return this.wrapped.rows;
    const change = call === undefined ? [] : changeLines(call, this.isDetailed ? "whole" : "short");
    const all = [...askLines(ask), ...change, ...kept, ...end, ...(this.isDetailed ? detailLines(ask) : [])];
    const styles = { ...theme.styles, plain: theme.styles.text };
    const rows = all.flatMap(({ text, tone }) => textRows(text, width, styles[tone]));
    this.wrapped = { key, rows };
    return rows;
  }

  private choiceRows(ask: Ask, { width, theme }: DialogPlace): Line[] {
    return choicesOf(ask).flatMap(({ answer, key, words }) => {
      const isSelected = answer === this.selected;
      return choiceRows({ text: `${key}  ${words}`, isSelected, style: theme.styles.text }, width, theme);
    });
  }

  private hints(ask: Ask, width: number, theme: Theme): Line {
    if (this.isSending) return line(span("answering", theme.styles.muted));
    if (this.editing !== undefined)
      return renderKeyHints(
        [
          { keys: "Enter", action: "take it" },
          { keys: "Esc", action: "leave it" },
        ],
        width,
        theme,
      );
    const isOneOfMany = this.options.asks().length > 1;
    return renderKeyHints(
      [
        { keys: "Esc", action: "no" },
        ...(isOneOfMany ? [{ keys: "N", action: "no to all" }] : []),
        ...(canKeep(ask) ? [{ keys: "e", action: "edit the rule" }] : []),
        { keys: "?", action: "details" },
        ...(isOneOfMany ? [{ keys: "1-9", action: "another" }] : []),
      ],
      width,
      theme,
    );
  }
}
