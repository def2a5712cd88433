import { renderRule } from "../../tui/components/rule.ts";
import type { KeyEvent, PasteEvent } from "../../tui/keys/input-event.ts";
import { line, span } from "../../tui/style/styled-line.ts";
import { wrapLine } from "../../tui/style/wrap.ts";
import { sanitiseLine } from "../../tui/text/sanitise.ts";
import type { KeyMap } from "../keys/key-map.ts";
import type { Dialog, DialogPlace, DialogView } from "./dialog.ts";

export interface SecretOptions {
  title: string;
  about: string;
  onText(text: string): void;
  onCancel(): void;
}

const LONGEST = 4096;

/** One line of which only the length is shown: a key. */
export function secretDialog(options: SecretOptions): Dialog {
  let text = "";
  const add = (more: string) => {
    text = (text + sanitiseLine(more).trim()).slice(0, LONGEST);
  };
  return {
    view({ width, theme }: DialogPlace): DialogView {
      const shown = "*".repeat(Math.min(text.length, Math.max(1, width - 4)));
      const about = wrapLine(line(span(options.about, theme.styles.muted)), width);
      const field = line(span(`${theme.glyphs.pointer} `, theme.styles.accent), shown);
      const hint = line(span("Enter  take it   Esc  go back", theme.styles.muted));
      const lines = [renderRule(options.title, width, theme), ...about, field, hint];
      return { lines, cursor: { row: 1 + about.length, column: Math.min(width - 1, 2 + shown.length) } };
    },
    onKey({ chord, text: typed }: KeyEvent, keys: KeyMap): boolean {
      if (keys.means(chord, "tui.select.cancel")) options.onCancel();
      else if (keys.means(chord, "tui.select.confirm")) {
        if (text !== "") options.onText(text);
      } else if (keys.means(chord, "tui.editor.deleteCharBackward")) text = [...text].slice(0, -1).join("");
      else if (keys.means(chord, "tui.editor.deleteToLineStart")) text = "";
      else if (typed !== undefined && !/\p{Cc}/u.test(typed)) add(typed);
      return true;
    },
    onPaste({ text: pasted }: PasteEvent) {
      add(pasted);
      return true;
    },
  };
}
