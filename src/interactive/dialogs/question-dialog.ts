import type { AgentEvent } from "../../protocol/agent-events.ts";
import { renderKeyHints } from "../../tui/components/key-hints.ts";
import { renderRule } from "../../tui/components/rule.ts";
import { contentOf, createEditor, type EditorState } from "../../tui/editor/editor-state.ts";
import { viewEditor } from "../../tui/editor/editor-view.ts";
import { updateEditor } from "../../tui/editor/update-editor.ts";
import type { KeyEvent, PasteEvent } from "../../tui/keys/input-event.ts";
import { type Line, span } from "../../tui/style/styled-line.ts";
import type { Theme } from "../../tui/style/theme.ts";
import { sanitise } from "../../tui/text/sanitise.ts";
import { editOfKey } from "../input/edit-keys.ts";
import type { KeyMap } from "../keys/key-map.ts";
import type { Dialog, DialogPlace, DialogView } from "./dialog.ts";
import { choiceRows, textRows } from "./dialog-rows.ts";

export type Question = Extract<AgentEvent, { type: "question-start" }>;

/** Undefined: the person does not want to answer. */
export type OnAnswers = (answers: string[] | undefined) => void;

const MOST_OWN_ROWS = 5;

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

  view({ width, rows, theme }: DialogPlace): DialogView {
    const { styles } = theme;
    const asked = sanitise(this.question.question)
      .split("\n")
      .flatMap((text) => textRows(text, width, styles.strong));
    const own = this.ownWords(width, theme);
    const room = Math.max(2, rows - own.lines.length - 2);
    const askedRoom = Math.max(1, Math.min(asked.length, Math.floor(room / 2)));
    const options = this.optionRows(width, theme, Math.max(1, room - askedRoom));
    const head = [renderRule("The model asks", width, theme), ...asked.slice(0, room - options.length), ...options];
    const hints = renderKeyHints(
      [
        { keys: "Enter", action: "answer" },
        ...(this.question.multi ? [{ keys: "Space", action: "choose" }] : []),
        { keys: "Esc", action: "do not answer" },
      ],
      width,
      theme,
    );
    const lines = [...head, ...own.lines, hints];
    if (!this.isWriting) return { lines };
    const column = Math.min(Math.max(0, width - 1), own.cursor.column + 2);
    return { lines, cursor: { row: head.length + own.cursor.row, column } };
  }

  onPaste({ text }: PasteEvent): boolean {
    this.selected = this.question.options.length;
    this.words = updateEditor(this.words, { type: "paste", text });
    return true;
  }

  onKey(event: KeyEvent, keys: KeyMap): boolean {
    const { chord, text } = event;
    if (keys.means(chord, "tui.select.cancel")) this.onAnswers(undefined);
    else if (keys.means(chord, "tui.select.confirm")) this.answer();
    else if (keys.means(chord, "tui.select.up")) this.move(-1);
    else if (keys.means(chord, "tui.select.down")) this.move(1);
    else if (!this.isWriting && text === " " && this.question.multi) this.toggle(this.selected);
    else if (!this.isWriting && this.chooseByNumber(text)) return true;
    else this.write(event, keys);
    return true;
  }

  /** The last place is the field for one's own words. */
  private get isWriting(): boolean {
    return this.selected >= this.question.options.length;
  }

  /** As many options as fit, around the one the cursor is on. */
  private optionRows(width: number, theme: Theme, room: number): Line[] {
    const { options, multi } = this.question;
    const { glyphs, styles } = theme;
    const rows = options.map((option, index) => {
      const mark = multi ? `${this.chosen.has(option) ? glyphs.checked : glyphs.unchecked} ` : `${index + 1}  `;
      const text = `${mark}${sanitise(option).replace(/\s+/g, " ")}`;
      return choiceRows({ text, isSelected: index === this.selected, style: styles.text }, width, theme);
    });
    let first = Math.min(this.selected, options.length - 1);
    let count = rows[first]?.length ?? 0;
    while (first > 0 && count + (rows[first - 1]?.length ?? 0) <= Math.ceil(room / 2)) {
      first--;
      count += rows[first]?.length ?? 0;
    }
    const below = rows.slice(Math.max(0, first)).flat();
    const missing = room - below.length;
    const above = missing > 0 ? rows.slice(0, Math.max(0, first)).flat().slice(-missing) : [];
    return [...above, ...below].slice(0, room);
  }

  private ownWords(width: number, theme: Theme): { lines: Line[]; cursor: { row: number; column: number } } {
    const { styles, glyphs } = theme;
    const { rows, cursor } = viewEditor(this.words, {
      width: Math.max(2, width - 2),
      maximumRows: MOST_OWN_ROWS,
      markerStyle: styles.accent,
    });
    const isEmpty = this.words.text === "";
    const lines = rows.map((row, index): Line => {
      const sign = index === 0 && this.isWriting ? glyphs.pointer : " ";
      const hint = isEmpty && this.question.options.length > 0 ? [span("or in your own words", styles.muted)] : [];
      return [span(`${sign} `, styles.accent), ...row, ...hint];
    });
    return { lines, cursor };
  }

  private move(step: number): void {
    const places = this.question.options.length + 1;
    this.selected = (this.selected + step + places) % places;
  }

  private toggle(index: number): void {
    const option = this.question.options[index];
    if (option === undefined) return;
    if (!this.chosen.delete(option)) this.chosen.add(option);
  }

  private chooseByNumber(text: string | undefined): boolean {
    const index = text === undefined || !/^[1-9]$/.test(text) ? -1 : Number(text) - 1;
    if (this.question.options[index] === undefined) return false;
    this.selected = index;
    if (this.question.multi) this.toggle(index);
    else this.answer();
    return true;
  }

  private write({ chord, text }: KeyEvent, keys: KeyMap): void {
    const edit = editOfKey(chord, keys);
    const isText = text !== undefined && !/\p{Cc}/u.test(text);
    if (edit === undefined && !isText) return;
    this.selected = this.question.options.length;
    this.words = updateEditor(this.words, edit ?? { type: "insert", text: text ?? "" });
  }

  private answer(): void {
    const { options, multi } = this.question;
    const own = contentOf(this.words).trim();
    const chosen = multi ? options.filter((one) => this.chosen.has(one)) : [];
    const here = this.isWriting ? own : chosen.length === 0 ? (options[this.selected] ?? "") : "";
    const answers = [...chosen, here].filter((answer) => answer !== "");
    if (answers.length > 0) this.onAnswers(answers);
  }
}
