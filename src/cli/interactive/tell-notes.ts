import type { InteractiveRun } from "../../interactive/run-interactive.ts";
import { line, span } from "../../tui/style/styled-line.ts";
import { wrapLine } from "../../tui/style/wrap.ts";
import { sanitise } from "../../tui/text/sanitise.ts";

/** Notes for the person go into the conversation; those that come before there is one wait for it. */
export function createTellNotes() {
  const waiting: string[] = [];
  let run: InteractiveRun | undefined;
  const tell = (text: string) => {
    if (run === undefined) waiting.push(text);
    else {
      run
        .host()
        .sayLines(({ width, theme }) => wrapLine(line(span(`! ${sanitise(text)}`, theme.styles.warning)), width));
      run.refresh();
    }
  };
  return {
    tell,
    showIn(opened: InteractiveRun) {
      run = opened;
      for (const text of waiting.splice(0)) tell(text);
    },
  };
}
