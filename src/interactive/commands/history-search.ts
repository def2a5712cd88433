import { type Line, line, span } from "../../tui/style/styled-line.ts";
import { truncateLine } from "../../tui/style/wrap.ts";
import { sanitise, sanitiseLine } from "../../tui/text/sanitise.ts";
import { chooseDialog } from "../dialogs/choose.ts";
import type { CommandHost } from "./command-host.ts";

/** Earlier prompts, the newest first; the chosen one goes into the input, where it can be changed before it is sent. */
export function openHistorySearch(host: CommandHost, words: string): void {
  const prompts = [...new Set(host.findPrompts(words))].filter((prompt) => !/^\/history\b/.test(prompt));
  host.open(
    chooseDialog({
      title: "Earlier prompts",
      emptyText: "nothing was sent from here yet",
      items: prompts.map((prompt) => ({ value: prompt, label: sanitiseLine(prompt).trim().slice(0, MOST_SHOWN) })),
      preview: (prompt, width, { styles, glyphs }): Line[] => {
        const rows = sanitise(prompt).trim().split("\n");
        return rows.length < 2
          ? []
          : rows.map((row) => truncateLine(line(span(`  ${row}`, styles.muted)), width, glyphs.ellipsis));
      },
      onChoose(prompt) {
        host.closeDialog();
        host.setInput(prompt);
      },
      onCancel: () => host.closeDialog(),
    }),
  );
}

const MOST_SHOWN = 300;
