import { type Line, line } from "../tui/style/styled-line.ts";
import type { Theme } from "../tui/style/theme.ts";
import type { App } from "./app.ts";
import type { Dialog } from "./dialogs/dialog.ts";
import { QUIET_MS } from "./dialogs/waiting-questions.ts";
import type { KeyMap } from "./keys/key-map.ts";

export interface PlainOptions {
  app: App;
  keys: KeyMap;
  theme: Theme;
  width(): number;
  print(lines: readonly Line[]): void;
  now(): number;
}

const ROWS = 1000;

/**
 * The conversation as lines, for people who have the screen read to them: the terminal's own line editing writes, what is asked is
 * printed once, and the next line answers it.
 */
export class PlainLines {
  private rest = "";
  private readonly decoder = new TextDecoder();
  private asked: Dialog | undefined;
  private topic: string | undefined;
  private askedAt = 0;
  private hint: string | undefined;

  constructor(private readonly options: PlainOptions) {}

  /** Prints what is new of what has no place among the finished lines. */
  show(): void {
    const { dialog, hint } = this.options.app.asked;
    if (hint !== this.hint && hint !== undefined) this.options.print([line(hint)]);
    this.hint = hint;
    if (dialog === this.asked && dialog?.topic === this.topic) return;
    this.asked = dialog;
    this.topic = dialog?.topic;
    this.askedAt = this.options.now();
    if (dialog !== undefined) this.printDialog(dialog);
  }

  feed(bytes: Uint8Array): void {
    const lines = (this.rest + this.decoder.decode(bytes, { stream: true })).split(/\r\n|\r|\n/);
    this.rest = lines.pop() ?? "";
    for (const text of lines) this.onLine(text);
  }

  private onLine(text: string): void {
    const { app, now } = this.options;
    if (this.asked === undefined) {
      app.onInput({ type: "paste", text, isCut: false });
      this.press("enter");
    } else if (text.trim() === "" || now() - this.askedAt < QUIET_MS) this.printDialog(this.asked);
    else this.answer(this.asked, text);
    this.show();
  }

  /** What is left of the line when the question is answered does not answer the next one. */
  private answer(dialog: Dialog, text: string): void {
    const { app } = this.options;
    app.focusQuestion();
    for (const character of text) {
      if (app.asked.dialog !== dialog) return;
      this.press(character, character);
    }
    if (app.asked.dialog === dialog) this.press("enter");
    if (app.asked.dialog === dialog) this.printDialog(dialog);
  }

  private press(chord: string, text?: string): void {
    this.options.app.onInput({ type: "key", chord, phase: "press", ...(text !== undefined && { text }) });
  }

  private printDialog(dialog: Dialog): void {
    const { theme, keys, width, print } = this.options;
    print(dialog.view({ width: width(), rows: ROWS, theme, keys }).lines);
  }
}
