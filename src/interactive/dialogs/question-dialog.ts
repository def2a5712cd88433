import type { AgentEvent } from "../../protocol/agent-events.ts";
import { renderRule } from "../../tui/components/panel.ts";
import { createEditor, type EditorState } from "../../tui/editor/editor-state.ts";
import { viewEditor } from "../../tui/editor/editor-view.ts";
import { updateEditor } from "../../tui/editor/update-editor.ts";
import type { KeyEvent, PasteEvent } from "../../tui/keys/input-event.ts";
import { line, span } from "../../tui/style/styled-line.ts";
import { wrapLine } from "../../tui/style/wrap.ts";
import { sanitise } from "../../tui/text/sanitise.ts";
import { editOfKey } from "../input/edit-keys.ts";
import type { KeyMap } from "../keys/key-map.ts";
import type { Dialog, DialogPlace, DialogView } from "./dialog.ts";

export type Question = Extract<AgentEvent, { type: "question-start" }>;

/** Undefined: the person does not want to answer. */
export type OnAnswers = (answers: string[] | undefined) => void;

/** A question of the model: options to choose from (several where it says so), or words of one's own. */
export function questionDialog(question: Question, onAnswers: OnAnswers): Dialog {
  return new QuestionDialog(question, onAnswers);
}

class QuestionDialog implements Dialog {
  private selected = 0;
  private readonly chosen = new Set<string>();
  private words: EditorState = createEditor();

  constructor(
    private readonly question: Question,
    private readonly onAnswers: OnAnswers,
  ) {}

  view({ width, theme }: DialogPlace): DialogView {
    const { styles, glyphs } = theme;
    const { options, multi } = this.question;
    const asked = wrapLine(line(span(sanitise(this.question.question), styles.strong)), width);
    const rows = options.map((option, index) => {
      const mark = multi ? `${this.chosen.has(option) ? glyphs.checked : glyphs.unchecked} ` : `${index + 1}  `;
      const isSelected = index === this.selected;
      return line(
        span(isSelected ? `${glyphs.pointer} ` : "  ", styles.accent),
        span(`${mark}${sanitise(option)}`, isSelected ? styles.selection : styles.text),
      );
    });
    const head = [renderRule("The model asks", width, theme), ...asked, ...rows];
    const isWriting = this.isWriting;
    const own = viewEditor(this.words, { width: Math.max(1, width - 4), maximumRows: 5, markerStyle: styles.accent });
    const field = own.rows.map((row, index) => [
      span(index === 0 ? `${isWriting ? glyphs.pointer : " "} ` : "  ", styles.accent),
      ...row,
    ]);
    const hint = line(
      span(
        multi ? "Space  choose   Enter  answer   Esc  do not answer" : "Enter  answer   Esc  do not answer",
        styles.muted,
      ),
    );
    const lines = [...head, ...field, hint];
    return isWriting
      ? { lines, cursor: { row: head.length + own.cursor.row, column: own.cursor.column + 2 } }
      : { lines };
  }

  onPaste({ text }: PasteEvent): void {
    this.selected = this.question.options.length;
    this.words = updateEditor(this.words, { type: "paste", text });
  }

  onKey(event: KeyEvent, keys: KeyMap): boolean {
    const { chord, text } = event;
    if (keys.means(chord, "tui.select.cancel")) this.onAnswers(undefined);
    else if (keys.means(chord, "tui.select.confirm")) this.answer();
    else if (chord === "up") this.move(-1);
    else if (chord === "down") this.move(1);
    else if (!this.isWriting && text === " " && this.question.multi) this.toggle();
    else if (!this.isWriting && this.chooseByNumber(text)) this.answer();
    else this.write(event, keys);
    return true;
  }

  /** The last place is the field for one's own words. */
  private get isWriting(): boolean {
    return this.selected >= this.question.options.length;
  }

  private move(step: number): void {
    const places = this.question.options.length + 1;
    this.selected = (this.selected + step + places) % places;
  }

  private toggle(): void {
    const option = this.question.options[this.selected];
    if (option === undefined) return;
    if (!this.chosen.delete(option)) this.chosen.add(option);
  }

  private chooseByNumber(text: string | undefined): boolean {
    const index = Number(text) - 1;
    if (this.question.multi || this.question.options[index] === undefined) return false;
    this.selected = index;
    return true;
  }

  private write({ chord, text }: KeyEvent, keys: KeyMap): void {
    const edit = editOfKey(chord, keys);
    if (edit === undefined && text === undefined) return;
    this.selected = this.question.options.length;
    this.words = updateEditor(this.words, edit ?? { type: "insert", text: text ?? "" });
  }

  private answer(): void {
    const own = this.words.text.trim();
    const option = this.question.options[this.selected];
    const chosen = this.question.multi ? this.question.options.filter((one) => this.chosen.has(one)) : [];
    const answers = [
      ...chosen,
      ...(this.isWriting ? [own] : chosen.length === 0 && option !== undefined ? [option] : []),
    ];
    const filled = answers.filter((answer) => answer !== "");
    if (filled.length > 0) this.onAnswers(filled);
  }
}
