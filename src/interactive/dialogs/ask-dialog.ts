import type { Ask, AskOption } from "../../protocol/asks.ts";
import { renderRule } from "../../tui/components/panel.ts";
import type { KeyEvent } from "../../tui/keys/input-event.ts";
import { type Line, line, span } from "../../tui/style/styled-line.ts";
import { wrapLine } from "../../tui/style/wrap.ts";
import { sanitise } from "../../tui/text/sanitise.ts";
import type { KeyMap } from "../keys/key-map.ts";
import type { Dialog, DialogPlace, DialogView } from "./dialog.ts";

export interface AskAnswer {
  askId: string;
  answer: AskOption;
  rules?: string[];
}

interface Choice {
  answer: AskOption;
  key: string;
  words(ask: Ask): string;
}

const CHOICES: readonly Choice[] = [
  { answer: "yes", key: "y", words: () => "yes, once" },
  { answer: "session", key: "s", words: (ask) => `yes, for this session: ${ruleWords(ask)}` },
  { answer: "always", key: "a", words: (ask) => `yes, from now on: ${ruleWords(ask)}` },
  { answer: "no", key: "n", words: () => "no" },
  { answer: "never", key: "v", words: (ask) => `never: ${ruleWords(ask)}` },
];

/**
 * What a tool wants to do and needs a yes for: the exact action, why it is asked, what each answer means. Nothing is chosen by
 * typing ahead, and Esc is a no.
 */
export function askDialog(ask: Ask, waiting: () => number, onAnswer: (answer: AskAnswer) => void): Dialog {
  return new AskDialog(ask, waiting, onAnswer);
}

class AskDialog implements Dialog {
  private selected = 0;
  private isDetailed = false;
  private readonly choices: readonly Choice[];

  constructor(
    private readonly ask: Ask,
    private readonly waiting: () => number,
    private readonly onAnswer: (answer: AskAnswer) => void,
  ) {
    this.choices = CHOICES.filter(({ answer }) => ask.options.includes(answer));
  }

  view({ width, rows, theme }: DialogPlace): DialogView {
    const { styles } = theme;
    const more = this.waiting() - 1;
    const title = `${this.ask.tool} wants to do this${more > 0 ? ` (${more} more wait)` : ""}`;
    const what = sanitise(this.ask.summary)
      .split("\n")
      .flatMap((text) => wrapLine(line(span(`  ${text}`, styles.strong)), width));
    const room = Math.max(3, rows - this.choices.length - 4);
    const shown =
      this.isDetailed || what.length <= room
        ? what
        : [
            ...what.slice(0, room - 1),
            [span(`  ${theme.glyphs.ellipsis} ${what.length - room + 1} more rows (?)`, styles.muted)],
          ];
    const why = [this.ask.warning, this.ask.reason].flatMap((text) =>
      text === undefined ? [] : wrapLine(line(span(sanitise(text), styles.warning)), width),
    );
    const details = this.isDetailed ? detailRows(this.ask, width, styles.muted) : [];
    const choices = this.choices.map((choice, index) => {
      const isSelected = index === this.selected;
      const style = isSelected ? styles.selection : styles.text;
      return line(
        span(isSelected ? `${theme.glyphs.pointer} ` : "  ", styles.accent),
        span(`${choice.key}  ${sanitise(choice.words(this.ask))}`, style),
      );
    });
    const hint: Line = line(span("?  details   Esc  no", styles.muted));
    return { lines: [renderRule(title, width, theme), ...shown, ...why, ...details, ...choices, hint] };
  }

  onKey({ chord, text }: KeyEvent, keys: KeyMap): boolean {
    const letter = text?.toLowerCase();
    const named = this.choices.find(({ key }, index) => key === letter || String(index + 1) === letter);
    if (named !== undefined) this.give(named);
    else if (letter === "?") this.isDetailed = !this.isDetailed;
    else if (keys.means(chord, "tui.select.up")) this.move(-1);
    else if (keys.means(chord, "tui.select.down")) this.move(1);
    else if (keys.means(chord, "tui.select.confirm")) this.give(this.choices[this.selected]);
    else if (keys.means(chord, "tui.select.cancel")) this.onAnswer({ askId: this.ask.id, answer: "no" });
    else return false;
    return true;
  }

  private move(step: number): void {
    this.selected = (this.selected + step + this.choices.length) % this.choices.length;
  }

  private give(choice: Choice | undefined): void {
    if (choice !== undefined) this.onAnswer({ askId: this.ask.id, answer: choice.answer });
  }
}

function ruleWords({ rules = [] }: Ask): string {
  return rules.length === 0 ? "this very action" : rules.join(", ");
}

function detailRows(
  { cwd, resources, boundTo, category }: Ask,
  width: number,
  style: Parameters<typeof span>[1],
): Line[] {
  const texts = [
    `kind: ${category}`,
    ...(cwd === undefined ? [] : [`in: ${cwd}`]),
    ...resources.map((resource) => `uses: ${resource}`),
    ...boundTo.map((part) => `the yes counts for: ${part}`),
  ];
  return texts.flatMap((text) => wrapLine(line(span(`  ${sanitise(text)}`, style)), width));
}
