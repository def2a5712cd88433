import { line, span } from "../../tui/style/styled-line.ts";
import { wrapLine } from "../../tui/style/wrap.ts";
import { sanitiseLine } from "../../tui/text/sanitise.ts";
import { type ChoiceItem, chooseDialog } from "../dialogs/choose.ts";
import type { SessionRow } from "../services.ts";
import { shownAge } from "../status/shown-age.ts";
import type { CommandHost } from "./command-host.ts";

/** Sessions to go on with, the newest first as they are given; below them how the chosen one began. */
export function openSessionPicker(host: CommandHost, rows: readonly SessionRow[], now: number): void {
  host.open(
    chooseDialog({
      title: "Resume a session",
      emptyText: "there is no other session here",
      items: rows.map((row) => sessionItem(row, now)),
      preview: ({ preview, id }, width, { styles }) =>
        wrapLine(line(span(`  ${sanitiseLine(preview) || id}`, styles.muted)), width),
      onChoose({ id }) {
        host.closeDialog();
        void host.switchSession({ type: "resume", id });
      },
      onCancel: () => host.closeDialog(),
    }),
  );
}

function sessionItem(row: SessionRow, now: number): ChoiceItem<SessionRow> {
  const { id, name, preview, changedAt, messages, isCurrent } = row;
  return {
    value: row,
    label: name || preview || id.slice(0, 8),
    description: `${shownAge(now - changedAt)}, ${messages} messages${isCurrent ? ", this one" : ""}`,
    isDisabled: isCurrent,
    words: `${id} ${preview}`,
  };
}
