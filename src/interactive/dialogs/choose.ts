import { createFuzzySearch } from "../../tui/components/fuzzy.ts";
import { renderKeyHints } from "../../tui/components/key-hints.ts";
import { renderRule } from "../../tui/components/panel.ts";
import { moveSelection, renderSelectList, type SelectItem } from "../../tui/components/select-list.ts";
import type { KeyEvent } from "../../tui/keys/input-event.ts";
import { type Line, line, span } from "../../tui/style/styled-line.ts";
import { cellWidth } from "../../tui/text/graphemes.ts";
import type { KeyMap } from "../keys/key-map.ts";
import type { Dialog, DialogPlace, DialogView } from "./dialog.ts";

export interface ChoiceItem<Value> extends SelectItem {
  value: Value;
  /** What is searched besides the label. */
  words?: string;
}

export interface ChooseOptions<Value> {
  title: string;
  items: readonly ChoiceItem<Value>[];
  emptyText: string;
  /** Chosen at the beginning. */
  selected?: number;
  /** More about the item under the cursor. */
  preview?: (value: Value, width: number) => readonly Line[];
  onChoose(value: Value): void;
  onCancel(): void;
}

const MOST_ROWS = 10;
const PAGE = 8;
const MOST_FOUND = 500;

/** A list with a filter: what is typed narrows it, Enter chooses, Esc closes it. */
export function chooseDialog<Value>(options: ChooseOptions<Value>): Dialog {
  return new ChooseDialog(options);
}

class ChooseDialog<Value> implements Dialog {
  private query = "";
  private shown: readonly ChoiceItem<Value>[];
  private selected: number;
  private readonly search;

  constructor(private readonly options: ChooseOptions<Value>) {
    this.shown = options.items;
    this.search = createFuzzySearch(options.items.map(({ label, words = "" }) => `${label} ${words}`));
    const wished = options.selected ?? 0;
    this.selected = options.items[wished]?.isDisabled ? moveSelection(options.items, wished, 1) : wished;
  }

  view({ width, rows, theme }: DialogPlace): DialogView {
    const { title, emptyText, preview } = this.options;
    const chosen = this.shown[this.selected];
    const list = renderSelectList(
      {
        items: this.shown,
        selected: this.selected,
        maximumRows: Math.max(1, Math.min(MOST_ROWS, rows - 4)),
        width,
        query: this.query,
        emptyText,
      },
      theme,
    );
    const about = chosen === undefined || preview === undefined ? [] : preview(chosen.value, width);
    const filter = line(span("/", theme.styles.muted), this.query);
    const hints = renderKeyHints(
      [
        { keys: "Enter", action: "choose" },
        { keys: "Esc", action: "close" },
        { keys: "type", action: "to filter" },
      ],
      width,
      theme,
    );
    const lines = [renderRule(title, width, theme), filter, ...list, ...about, hints];
    return { lines, cursor: { row: 1, column: Math.min(width - 1, 1 + cellWidth(this.query)) } };
  }

  onKey({ chord, text }: KeyEvent, keys: KeyMap): boolean {
    const chosen = this.shown[this.selected];
    if (keys.means(chord, "tui.select.cancel")) this.options.onCancel();
    else if (keys.means(chord, "tui.select.confirm")) {
      if (chosen !== undefined && chosen.isDisabled !== true) this.options.onChoose(chosen.value);
    } else if (keys.means(chord, "tui.select.up")) this.move(-1);
    else if (keys.means(chord, "tui.select.down")) this.move(1);
    else if (keys.means(chord, "tui.select.pageUp")) this.move(-PAGE);
    else if (keys.means(chord, "tui.select.pageDown")) this.move(PAGE);
    else if (keys.means(chord, "tui.editor.deleteCharBackward")) this.filter([...this.query].slice(0, -1).join(""));
    else if (text !== undefined && !/\p{Cc}/u.test(text)) this.filter(this.query + text);
    return true;
  }

  private move(step: number): void {
    this.selected = moveSelection(this.shown, this.selected, step);
  }

  private filter(query: string): void {
    this.query = query;
    const { items } = this.options;
    this.shown =
      query === "" ? items : this.search.search(query, MOST_FOUND).flatMap(({ index }) => items[index] ?? []);
    this.selected = this.shown[0]?.isDisabled ? moveSelection(this.shown, 0, 1) : 0;
  }
}
