import type { TerminalAnswer } from "../tui/keys/input-event.ts";
import { type Reflow, reflowOf } from "../tui/screen/reflow.ts";
import { QUESTIONS } from "../tui/screen/terminal-modes.ts";
import { isDark } from "../tui/style/colours.ts";
import type { Looks, TerminalPort } from "./terminal-port.ts";

/** How long the last answers are waited for at the end, so that none of them is typed into the shell. */
const LAST_ANSWER_MS = 150;

export interface TerminalAnswers {
  /** Asked once, behind the first frame: nothing waits for them. */
  ask(): void;
  accept(answer: TerminalAnswer): void;
  reflow(): Reflow;
  /** Resolves when no answer is to come any more. */
  settled(): Promise<void>;
}

/** What the terminal tells of itself: its name, and the colour behind the text. */
export function createTerminalAnswers(
  terminal: TerminalPort,
  looks: Looks,
  onTheme: (name: "dark" | "light") => void,
): TerminalAnswers {
  let reflow = looks.reflow;
  const last = Promise.withResolvers<void>();
  let isAsked = false;
  return {
    ask() {
      isAsked = true;
      const colour = looks.isThemeAutomatic ? QUESTIONS.backgroundColour : "";
      terminal.write(`${QUESTIONS.name}${colour}${QUESTIONS.deviceAttributes}`);
    },
    accept(answer) {
      if (answer.type === "name") reflow = reflowOf({ term: looks.term, program: answer.name });
      else if (answer.type === "background-colour" && looks.isThemeAutomatic)
        onTheme(isDark(answer.colour) ? "dark" : "light");
      else if (answer.type === "device-attributes") last.resolve();
    },
    reflow: () => reflow,
    async settled() {
      if (!isAsked) return;
      const cancel = terminal.setTimer(() => last.resolve(), LAST_ANSWER_MS);
      await last.promise;
      cancel();
    },
  };
}
