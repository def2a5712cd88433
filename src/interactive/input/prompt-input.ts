import { contentOf, createEditor, type EditorState, markersIn } from "../../tui/editor/editor-state.ts";
import { viewEditor } from "../../tui/editor/editor-view.ts";
import { searchHistory } from "../../tui/editor/history.ts";
import { type EditorAction, updateEditor } from "../../tui/editor/update-editor.ts";
import type { KeyEvent, PasteEvent } from "../../tui/keys/input-event.ts";
import { type Line, span } from "../../tui/style/styled-line.ts";
import type { Theme } from "../../tui/style/theme.ts";
import type { KeyMap } from "../keys/key-map.ts";
import { editOfKey } from "./edit-keys.ts";
import {
  moveSuggestion,
  type SuggestionSource,
  type Suggestions,
  suggest,
  suggestionRows,
  triggerAt,
} from "./suggestions.ts";

export interface InputPlace {
  width: number;
  maximumRows: number;
  theme: Theme;
  /** Only tools that look: the sign before the text says so. */
  isSafe: boolean;
}

export interface InputView {
  rows: Line[];
  cursor: { row: number; column: number };
}

export interface InputSources {
  commands(): SuggestionSource;
  /** Undefined while they are being listed. */
  files(): SuggestionSource | undefined;
  /** Somebody wrote `@`: the files are wanted. */
  wantFiles(): void;
}

/** Where a person writes: an editor, its history, and what could be meant. */
export class PromptInput {
  private editor: EditorState;
  private suggestions: Suggestions | undefined;
  /** What a person sent away with Esc stays away until something else is written. */
  private dismissed: string | undefined;
  private width = 80;

  constructor(
    history: readonly string[],
    private readonly sources: InputSources,
  ) {
    this.editor = createEditor({ history });
  }

  get text(): string {
    return contentOf(this.editor);
  }

  get isEmpty(): boolean {
    return this.editor.text === "";
  }

  get message(): string | undefined {
    return this.editor.message;
  }

  get pictures(): readonly string[] {
    return markersIn(this.editor).map(({ label }) => label);
  }

  set(text: string): void {
    this.apply({ type: "replace", text });
  }

  insertMarker(label: string, text: string): void {
    this.apply({ type: "insert-marker", marker: { label, text } });
  }

  /** The text is sent: it goes into the history, and the next one begins. */
  submit(): string {
    const text = this.text;
    this.apply({ type: "submit" });
    return text;
  }

  clear(): void {
    this.apply({ type: "replace", text: "" });
  }

  /** Earlier prompts that contain the words, newest first. */
  find(words: string): string[] {
    return searchHistory(this.editor, words).flatMap((index) => this.editor.history.entries[index] ?? []);
  }

  onPaste({ text }: PasteEvent): void {
    this.apply({ type: "paste", text });
  }

  /** True where the key was for the input. */
  onKey({ chord, text }: KeyEvent, keys: KeyMap): boolean {
    if (this.suggestions !== undefined && this.onSuggestionKey(chord, keys)) return true;
    if (keys.means(chord, "tui.editor.cursorUp")) return this.moveRow("up");
    if (keys.means(chord, "tui.editor.cursorDown")) return this.moveRow("down");
    const edit = editOfKey(chord, keys);
    if (edit !== undefined) this.apply(edit);
    else if (text === undefined || /\p{Cc}/u.test(text)) return false;
    else this.apply({ type: "insert", text });
    return true;
  }

  /** The files were listed meanwhile. */
  refresh(): void {
    this.suggestNow();
  }

  get hasSuggestions(): boolean {
    return (this.suggestions?.items.length ?? 0) > 0;
  }

  /** The command that Enter means while its name is being written. */
  takeCommand(): void {
    if (this.suggestions?.trigger.kind === "command") this.takeSuggestion("");
  }

  view({ width, maximumRows, theme, isSafe }: InputPlace): InputView {
    this.width = Math.max(1, width - 2);
    const shown = viewEditor(this.editor, { width: this.width, maximumRows, markerStyle: theme.styles.accent });
    const sign = isSafe ? ":" : theme.glyphs.pointer;
    const rows = shown.rows.map((row, index) => [
      span(index === 0 && shown.hiddenAbove === 0 ? `${sign} ` : "  ", theme.styles.accent),
      ...row,
    ]);
    const hidden = shown.hiddenAbove + shown.hiddenBelow;
    const more = hidden === 0 ? [] : [[span(`  ${theme.glyphs.ellipsis} +${hidden} more`, theme.styles.muted)]];
    const list = this.suggestions === undefined ? [] : suggestionRows(this.suggestions, width, theme);
    return { rows: [...rows, ...more, ...list], cursor: { row: shown.cursor.row, column: shown.cursor.column + 2 } };
  }

  private onSuggestionKey(chord: string, keys: KeyMap): boolean {
    const { suggestions } = this;
    if (suggestions === undefined || suggestions.items.length === 0) return false;
    if (keys.means(chord, "tui.select.up")) this.suggestions = moveSuggestion(suggestions, -1);
    else if (keys.means(chord, "tui.select.down")) this.suggestions = moveSuggestion(suggestions, 1);
    else if (keys.means(chord, "tui.input.tab")) this.takeSuggestion(" ");
    else if (keys.means(chord, "app.interrupt")) this.dismiss();
    else if (keys.means(chord, "app.message.send") && suggestions.trigger.kind === "file") this.takeSuggestion(" ");
    else return false;
    return true;
  }

  private dismiss(): void {
    this.dismissed = this.editor.text;
    this.suggestions = undefined;
  }

  private takeSuggestion(after: string): void {
    const { suggestions, editor } = this;
    const label = suggestions?.items[suggestions.selected]?.label;
    if (suggestions === undefined || label === undefined) return;
    const rest = editor.text.slice(editor.cursor);
    const head = editor.text.slice(0, suggestions.trigger.start);
    const sign = suggestions.trigger.kind === "file" ? "@" : "/";
    const taken = `${head}${sign}${label}${after}`;
    this.apply({ type: "replace", text: `${taken}${rest}` });
    this.suggestions = undefined;
  }

  private moveRow(direction: "up" | "down"): boolean {
    const shown = viewEditor(this.editor, { width: this.width, maximumRows: 1, markerStyle: {} });
    const leavesText = direction === "up" ? shown.isAtTop : shown.isAtBottom;
    if (!leavesText) this.apply({ type: "move-row", direction, width: this.width });
    else this.apply({ type: direction === "up" ? "history-older" : "history-newer" });
    return true;
  }

  private apply(action: EditorAction): void {
    const before = this.editor.text;
    this.editor = updateEditor(this.editor, action);
    if (this.editor.text !== before) this.dismissed = undefined;
    this.suggestNow();
  }

  private suggestNow(): void {
    const trigger = triggerAt(this.editor.text, this.editor.cursor);
    if (trigger?.kind === "file") this.sources.wantFiles();
    const source = trigger?.kind === "file" ? this.sources.files() : this.sources.commands();
    const isAway = trigger === undefined || source === undefined || this.dismissed === this.editor.text;
    this.suggestions = isAway ? undefined : suggest(trigger, source);
  }
}
