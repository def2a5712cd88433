import { renderKeyHints } from "../../tui/components/key-hints.ts";
import { renderRule } from "../../tui/components/rule.ts";
import { renderSelectList, type SelectItem } from "../../tui/components/select-list.ts";
import type { KeyEvent } from "../../tui/keys/input-event.ts";
import { line, span } from "../../tui/style/styled-line.ts";
import type { Theme } from "../../tui/style/theme.ts";
import { cellWidth } from "../../tui/text/graphemes.ts";
import type { KeyMap } from "../keys/key-map.ts";
import type { TreeRow } from "../services.ts";
import type { Dialog, DialogPlace, DialogView } from "./dialog.ts";

export interface TreeDialogOptions {
  rows: readonly TreeRow[];
  onChoose(row: TreeRow): void;
  onLabel(row: TreeRow): void;
  onCancel(): void;
}

const MOST_ROWS = 14;
const MOST_INDENT = 8;
const PAGE = 8;
const FIXED_ROWS = 4;

/** The messages of a session as a tree: branches can be folded, what is typed filters, Enter goes back there. */
export function treeDialog(options: TreeDialogOptions): Dialog {
  return new TreeDialog(options);
}

class TreeDialog implements Dialog {
  private readonly folded = new Set<string>();
  private query = "";
  private at: string | undefined;

  constructor(private readonly options: TreeDialogOptions) {
    this.at = options.rows.findLast(({ isOnBranch }) => isOnBranch)?.entryId ?? options.rows.at(-1)?.entryId;
  }

  view({ width, rows, theme }: DialogPlace): DialogView {
    const shown = this.shown();
    const list = renderSelectList(
      {
        items: shown.map((row) => this.itemOf(row, theme)),
        selected: this.place(shown),
        maximumRows: Math.max(1, Math.min(MOST_ROWS, rows - FIXED_ROWS)),
        width,
        emptyText: this.options.rows.length === 0 ? "nothing was said yet" : "nothing fits",
      },
      theme,
    );
    const hints = renderKeyHints(
      [
        { keys: "Enter", action: "go back there" },
        { keys: "Esc", action: "close" },
        { keys: "Tab", action: "name this place" },
        { keys: "Ctrl+Left", action: "fold" },
        { keys: "Ctrl+Right", action: "unfold" },
        { keys: "type", action: "to filter" },
      ],
      width,
      theme,
    );
    const filter = line(span("/", theme.styles.muted), this.query);
    const column = Math.max(0, Math.min(width - 1, 1 + cellWidth(this.query)));
    return { lines: [renderRule("Go back to", width, theme), filter, ...list, hints], cursor: { row: 1, column } };
  }

  onKey({ chord, text }: KeyEvent, keys: KeyMap): boolean {
    const shown = this.shown();
    const here = shown[this.place(shown)];
    if (keys.means(chord, "tui.select.cancel")) this.options.onCancel();
    else if (keys.means(chord, "tui.select.confirm")) {
      if (here !== undefined) this.options.onChoose(here);
    } else if (keys.means(chord, "tui.input.tab")) {
      if (here !== undefined) this.options.onLabel(here);
    } else if (keys.means(chord, "app.tree.fold")) this.fold(shown, here);
    else if (keys.means(chord, "app.tree.unfold")) this.unfold(here);
    else if (keys.means(chord, "tui.select.up")) this.move(shown, -1);
    else if (keys.means(chord, "tui.select.down")) this.move(shown, 1);
    else if (keys.means(chord, "tui.select.pageUp")) this.move(shown, -PAGE);
    else if (keys.means(chord, "tui.select.pageDown")) this.move(shown, PAGE);
    else if (keys.means(chord, "tui.editor.deleteCharBackward")) this.query = [...this.query].slice(0, -1).join("");
    else if (text !== undefined && !/\p{Cc}/u.test(text)) this.query += text;
    return true;
  }

  /** What is filtered is searched in folded branches too. */
  private shown(): readonly TreeRow[] {
    const { rows } = this.options;
    if (this.query !== "") {
      const wanted = this.query.toLowerCase();
      return rows.filter(({ text, label = "" }) => `${label} ${text}`.toLowerCase().includes(wanted));
    }
    const open: TreeRow[] = [];
    let foldedDepth = Number.POSITIVE_INFINITY;
    for (const row of rows) {
      if (row.depth > foldedDepth) continue;
      foldedDepth = this.folded.has(row.entryId) ? row.depth : Number.POSITIVE_INFINITY;
      open.push(row);
    }
    return open;
  }

  private place(shown: readonly TreeRow[]): number {
    const at = shown.findIndex(({ entryId }) => entryId === this.at);
    return at < 0 ? shown.length - 1 : at;
  }

  private move(shown: readonly TreeRow[], step: number): void {
    const next = this.place(shown) + step;
    const clamped = Math.max(0, Math.min(shown.length - 1, next));
    const isOver = Math.abs(step) === 1 && next !== clamped;
    this.at = shown[isOver ? (next < 0 ? shown.length - 1 : 0) : clamped]?.entryId;
  }

  /** A branch that is folded already, or has nothing below it: the one it hangs on. */
  private fold(shown: readonly TreeRow[], here: TreeRow | undefined): void {
    if (here === undefined) return;
    if (this.hasBelow(here) && !this.folded.has(here.entryId)) this.folded.add(here.entryId);
    else {
      const before = shown.slice(0, this.place(shown));
      this.at = before.findLast(({ depth }) => depth < here.depth)?.entryId ?? this.at;
    }
  }

  private unfold(here: TreeRow | undefined): void {
    if (here !== undefined) this.folded.delete(here.entryId);
  }

  private hasBelow(row: TreeRow): boolean {
    const { rows } = this.options;
    const next = rows[rows.indexOf(row) + 1];
    return next !== undefined && next.depth > row.depth;
  }

  private itemOf(row: TreeRow, { glyphs }: Theme): SelectItem {
    const { depth, role, text, isOnBranch, label } = row;
    const sign = this.folded.has(row.entryId) ? "+" : role === "user" ? glyphs.pointer : " ";
    const name = label === undefined ? "" : `[${label}] `;
    const start = `${"  ".repeat(Math.min(depth, MOST_INDENT))}${sign} ${name}${text}`;
    return { label: start, ...(isOnBranch ? {} : { description: "another branch" }) };
  }
}
