import { createFuzzySearch } from "../../tui/components/fuzzy.ts";
import { type KeyHint, renderKeyHints } from "../../tui/components/key-hints.ts";
import { renderRule } from "../../tui/components/rule.ts";
import { moveSelection, renderSelectList, type SelectItem } from "../../tui/components/select-list.ts";
import type { KeyEvent, PasteEvent } from "../../tui/keys/input-event.ts";
import { type Line, line, span } from "../../tui/style/styled-line.ts";
import type { Theme } from "../../tui/style/theme.ts";
import { truncateStart } from "../../tui/style/wrap.ts";
import { cellWidth } from "../../tui/text/graphemes.ts";
import { sanitiseLine } from "../../tui/text/sanitise.ts";
import type { KeyMap } from "../keys/key-map.ts";
import type { Dialog, DialogPlace, DialogView } from "./dialog.ts";

export interface ChoiceItem<Value> extends SelectItem {
  value: Value;
  /** What is searched besides the label. */
  words?: string;
}

/** A line between items that names those below it. It is never chosen, and gone while one filters. */
export interface ChoiceHeading {
  heading: string;
}

export type ChoiceRow<Value> = ChoiceItem<Value> | ChoiceHeading;

export interface ChooseOptions<Value> {
  title: string;
  items: readonly ChoiceRow<Value>[];
  emptyText: string;
  /** The place of what is chosen at the beginning. */
  selected?: number;
  /** What is filtered by at the beginning. */
  query?: string;
  /** More about the item under the cursor. */
  preview?: (value: Value, width: number, theme: Theme) => readonly Line[];
  onChoose(value: Value): void;
  /** What Tab does with the item instead. */
  other?: { action: string; onChoose(value: Value): void };
  onCancel(): void;
}

const MOST_ROWS = 10;
const MOST_PREVIEW = 6;
const PAGE = 8;
const MOST_FOUND = 500;
/** The title, the filter, the place in the list and the hints. */
const FIXED_ROWS = 4;

/** A list with a filter: what is typed narrows it, Enter chooses, Esc closes it. */
export function chooseDialog<Value>(options: ChooseOptions<Value>): Dialog {
  return new ChooseDialog(options);
}

interface Listed<Value> extends SelectItem {
  item: ChoiceItem<Value> | undefined;
}

class ChooseDialog<Value> implements Dialog {
  private query = "";
  private readonly all: readonly Listed<Value>[];
  private shown: readonly Listed<Value>[];
  private selected: number;
  private readonly search;

  constructor(private readonly options: ChooseOptions<Value>) {
    this.all = options.items.map(listed);
    this.shown = this.all;
    this.search = createFuzzySearch(this.all.map(({ label, item }) => (item ? `${label} ${item.words ?? ""}` : "")));
    this.selected = firstFree(this.all, options.selected ?? 0);
    if (options.query !== undefined && options.query !== "") this.filter(options.query);
  }

  view({ width, rows, theme }: DialogPlace): DialogView {
    const { title, emptyText } = this.options;
    const room = Math.max(1, rows - FIXED_ROWS);
    const about = this.previewRows(width, theme).slice(0, Math.max(0, Math.min(MOST_PREVIEW, room - 3)));
    const list = renderSelectList(
      {
        items: this.shown,
        selected: this.selected,
        maximumRows: Math.max(1, Math.min(MOST_ROWS, room - about.length)),
        width,
        query: this.query,
        emptyText,
      },
      theme,
    );
    const typed = truncateStart(this.query, Math.max(1, width - 2), theme.glyphs.ellipsis);
    const filter = line(span("/", theme.styles.muted), typed);
    const lines = [renderRule(title, width, theme), filter, ...list, ...about, this.hints(width, theme)];
    return { lines, cursor: { row: 1, column: Math.max(0, Math.min(width - 1, 1 + cellWidth(typed))) } };
  }

  onKey({ chord, text }: KeyEvent, keys: KeyMap): boolean {
    const { other } = this.options;
    if (keys.means(chord, "tui.select.cancel")) this.options.onCancel();
    else if (keys.means(chord, "tui.select.confirm")) this.take(this.options.onChoose);
    else if (keys.means(chord, "tui.input.tab") && other !== undefined) this.take(other.onChoose);
    else if (keys.means(chord, "tui.select.up")) this.move(-1);
    else if (keys.means(chord, "tui.select.down")) this.move(1);
    else if (keys.means(chord, "tui.select.pageUp")) this.move(-PAGE);
    else if (keys.means(chord, "tui.select.pageDown")) this.move(PAGE);
    else if (keys.means(chord, "tui.editor.deleteCharBackward")) this.filter([...this.query].slice(0, -1).join(""));
    else if (keys.means(chord, "tui.editor.deleteToLineStart")) this.filter("");
    else if (text !== undefined && !/\p{Cc}/u.test(text)) this.filter(this.query + text);
    return true;
  }

  onPaste({ text }: PasteEvent): boolean {
    this.filter(this.query + sanitiseLine(text).trim());
    return true;
  }

  private take(action: (value: Value) => void): void {
    const chosen = this.shown[this.selected];
    if (chosen?.item !== undefined && chosen.isDisabled !== true) action(chosen.item.value);
  }

  private previewRows(width: number, theme: Theme): readonly Line[] {
    const item = this.shown[this.selected]?.item;
    return item === undefined ? [] : (this.options.preview?.(item.value, width, theme) ?? []);
  }

  private hints(width: number, theme: Theme): Line {
    const { other } = this.options;
    const hints: KeyHint[] = [
      { keys: "Enter", action: "choose" },
      { keys: "Esc", action: "close" },
      ...(other === undefined ? [] : [{ keys: "Tab", action: other.action }]),
      { keys: "type", action: "to filter" },
    ];
    return renderKeyHints(hints, width, theme);
  }

  private move(step: number): void {
    this.selected = moveSelection(this.shown, this.selected, step);
  }

  private filter(query: string): void {
    this.query = query;
    const found = () => this.search.search(query, MOST_FOUND).flatMap(({ index }) => this.all[index] ?? []);
    this.shown = query === "" ? this.all : found().filter(({ item }) => item !== undefined);
    this.selected = firstFree(this.shown, 0);
  }
}

function listed<Value>(row: ChoiceRow<Value>): Listed<Value> {
  if ("heading" in row) return { label: row.heading, isDisabled: true, item: undefined };
  return { ...row, label: `${row.label}`, item: row };
}

/** The wished item, or the next one that can be chosen. */
function firstFree(items: readonly SelectItem[], wished: number): number {
  if (items.length === 0) return 0;
  return items[wished]?.isDisabled === true ? moveSelection(items, wished, 1) : wished;
}
