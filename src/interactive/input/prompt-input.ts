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
  type Trigger,
  triggerAt,
} from "./suggestions.ts";
import { NEW_VIM, type VimState, vimWords } from "./vim/vim-state.ts";
import { stepVim } from "./vim/vim-step.ts";

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
  /** What may stand behind a command; undefined while it is being listed, or where nothing is known. */
  argumentsOf(command: string): SuggestionSource | undefined;
}

/** Where a person writes: an editor, its history, and what could be meant. */
export class PromptInput {
  private editor: EditorState;
  private suggestions: Suggestions | undefined;
  /** What a person sent away with Esc stays away for this command or file. */
  private dismissed: Pick<Trigger, "kind" | "start"> | undefined;
  private width = 80;
  private vim: VimState | undefined;

  constructor(
    history: readonly string[],
    private readonly sources: InputSources,
    { isVim }: { isVim: boolean } = { isVim: false },
  ) {
    this.editor = createEditor({ history });
    this.vim = isVim ? NEW_VIM : undefined;
  }

  /** The mode of vi, where one edits that way. */
  get modeWords(): string | undefined {
    return this.vim && vimWords(this.vim);
  }

  /** A key of vi comes before what it means elsewhere: Esc leaves the writing, Ctrl+R is redo. */
  onVimKey(event: KeyEvent): boolean {
    if (this.vim === undefined || this.hasSuggestions) return false;
    const step = stepVim({ vim: this.vim, editor: this.editor }, event);
    if (step === undefined) return false;
    const isSame = step.editor.text === this.editor.text;
    this.vim = step.vim;
    this.editor = step.editor;
    for (let left = step.rows?.count ?? 0; left > 0; left--) this.moveRow(step.rows?.direction ?? "up");
    if (!isSame) this.suggestNow();
    return true;
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
    if (this.vim !== undefined) this.vim = { ...this.vim, mode: "insert" };
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

  /** Enter means what the list points to; nothing behind a command where nobody wrote or chose any of it. */
  takeOnSend(): void {
    const { suggestions } = this;
    if (suggestions === undefined || suggestions.trigger.kind === "file") return;
    const { kind, query } = suggestions.trigger;
    if (kind === "command" || query !== "" || suggestions.isChosen) this.takeSuggestion("");
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
    this.dismissed = this.suggestions?.trigger;
    this.suggestions = undefined;
  }

  private takeSuggestion(after: string): void {
    const { suggestions, editor } = this;
    const label = suggestions?.items[suggestions.selected]?.label;
    if (suggestions === undefined || label === undefined) return;
    const rest = editor.text.slice(editor.cursor);
    const head = editor.text.slice(0, suggestions.trigger.start);
    const taken = `${head}${SIGNS[suggestions.trigger.kind]}${label}${after}`;
    this.apply({
      type: "replace-span",
      start: 0,
      end: editor.text.length,
      text: `${taken}${rest}`,
      cursor: taken.length,
    });
    if (suggestions.trigger.kind !== "command" || after === "") this.suggestions = undefined;
  }

  private moveRow(direction: "up" | "down"): boolean {
    const shown = viewEditor(this.editor, { width: this.width, maximumRows: 1, markerStyle: {} });
    const leavesText = direction === "up" ? shown.isAtTop : shown.isAtBottom;
    if (!leavesText) this.apply({ type: "move-row", direction, width: this.width });
    else this.apply({ type: direction === "up" ? "history-older" : "history-newer" });
    return true;
  }

  private apply(action: EditorAction): void {
    this.editor = updateEditor(this.editor, action);
    this.suggestNow();
  }

  private suggestNow(): void {
    const trigger = triggerAt(this.editor.text, this.editor.cursor);
    if (trigger?.kind !== this.dismissed?.kind || trigger?.start !== this.dismissed?.start) this.dismissed = undefined;
    const source = trigger === undefined || this.dismissed !== undefined ? undefined : this.sourceOf(trigger);
    this.suggestions = trigger === undefined || source === undefined ? undefined : suggest(trigger, source);
  }

  private sourceOf({ kind, command }: Trigger): SuggestionSource | undefined {
    if (kind === "command") return this.sources.commands();
    if (kind === "argument") return this.sources.argumentsOf(command);
    this.sources.wantFiles();
    return this.sources.files();
  }
}

const SIGNS = { command: "/", file: "@", argument: "" } as const;
