import { renderKeyHints } from "../../tui/components/key-hints.ts";
import { renderRule } from "../../tui/components/rule.ts";
import type { KeyEvent, PasteEvent } from "../../tui/keys/input-event.ts";
import type { KeyMap } from "../keys/key-map.ts";
import type { Dialog, DialogPlace, DialogView } from "./dialog.ts";
import { OneLine } from "./one-line.ts";

export interface TextDialogOptions {
  title: string;
  label: string;
  /** What stands there at the beginning. */
  text: string;
  /** An empty line is taken as well. */
  mayBeEmpty?: true;
  onDone(text: string): void;
  onCancel(): void;
}

/** One line to be written. */
export function textDialog({ title, label, text, mayBeEmpty, onDone, onCancel }: TextDialogOptions): Dialog {
  const field = new OneLine(label, text);
  return {
    view({ width, theme }: DialogPlace): DialogView {
      const { lines, column } = field.view(width, theme);
      const hints = renderKeyHints(
        [
          { keys: "Enter", action: "take it" },
          { keys: "Esc", action: "close" },
        ],
        width,
        theme,
      );
      return { lines: [renderRule(title, width, theme), ...lines, hints], cursor: { row: 1, column } };
    },
    onKey(event: KeyEvent, keys: KeyMap): boolean {
      if (keys.means(event.chord, "tui.select.cancel")) onCancel();
      else if (keys.means(event.chord, "tui.select.confirm")) {
        if (mayBeEmpty || field.text.trim() !== "") onDone(field.text.trim());
      } else field.onKey(event, keys);
      return true;
    },
    onPaste(event: PasteEvent): boolean {
      field.paste(event.text);
      return true;
    },
  };
}
