import { renderKeyHints } from "../../tui/components/key-hints.ts";
import { renderRule } from "../../tui/components/rule.ts";
import type { KeyEvent } from "../../tui/keys/input-event.ts";
import type { KeyMap } from "../keys/key-map.ts";
import type { Dialog, DialogPlace, DialogView } from "./dialog.ts";
import { choiceRows, textRows, windowRows } from "./dialog-rows.ts";

export interface ConfirmOptions<Value> {
  title: string;
  /** What would be done, in lines. */
  text: string;
  choices: readonly { value: Value; words: string }[];
  /** What Esc and Ctrl+C mean, and what Enter means before anything was chosen. */
  safe: Value;
  onAnswer(value: Value): void;
}

/** A question of Ralph itself: arrow keys and Enter, a digit, or the first letter. */
export function confirmDialog<Value>(options: ConfirmOptions<Value>): Dialog {
  const { title, text, choices, safe, onAnswer } = options;
  let selected = Math.max(
    0,
    choices.findIndex(({ value }) => value === safe),
  );
  let start = 0;
  const move = (step: number) => {
    selected = (selected + step + choices.length) % choices.length;
  };
  return {
    view({ width, rows, theme }: DialogPlace): DialogView {
      const answers = choices.flatMap(({ words }, index) =>
        choiceRows(
          { text: `${index + 1}  ${words}`, isSelected: index === selected, style: theme.styles.text },
          width,
          theme,
        ),
      );
      const body = text === "" ? [] : text.split("\n").flatMap((row) => textRows(row, width, theme.styles.text));
      const shown = windowRows(body, { start, room: Math.max(2, rows - answers.length - 2) }, theme.styles.muted);
      start = Math.max(0, Math.min(start, body.length - 1));
      const hints = renderKeyHints(
        [
          { keys: "Enter", action: "answer" },
          { keys: "Esc", action: choices.find(({ value }) => value === safe)?.words ?? "close" },
        ],
        width,
        theme,
      );
      return { lines: [renderRule(title, width, theme), ...shown.lines, ...answers, hints] };
    },
    onKey({ chord, text: typed }: KeyEvent, keys: KeyMap): boolean {
      const letter = typed?.toLowerCase();
      const named =
        letter === undefined
          ? undefined
          : (choices[Number(letter) - 1] ?? choices.find(({ words }) => words.toLowerCase().startsWith(letter)));
      const chosen = choices[selected];
      if (keys.means(chord, "tui.select.cancel")) onAnswer(safe);
      else if (keys.means(chord, "tui.select.confirm")) onAnswer(chosen === undefined ? safe : chosen.value);
      else if (keys.means(chord, "tui.select.up") || chord === "left") move(-1);
      else if (keys.means(chord, "tui.select.down") || chord === "right") move(1);
      else if (keys.means(chord, "tui.select.pageUp")) start = Math.max(0, start - PAGE);
      else if (keys.means(chord, "tui.select.pageDown")) start += PAGE;
      else if (named !== undefined) onAnswer(named.value);
      return true;
    },
  };
}

const PAGE = 5;
