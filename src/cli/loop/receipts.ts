import { foldJournal } from "../../loop/state/fold-journal.ts";
import { journalPath, readEntries } from "../../loop/state/loop-journal.ts";
import type { Receipt } from "../../protocol/receipts.ts";
import { EXIT } from "../exit-codes.ts";
import { print } from "../output.ts";
import { inOneLine, printableJson } from "../printable.ts";
import { hasFlag, type RunContext } from "../run-context.ts";
import { exactly } from "../sessions/wording.ts";
import { findLoop } from "./find-loop.ts";
import { shownTime } from "./show/signs.ts";

/** `ralph receipts TASK`: what was proven in the newest run. */
export async function receipts(context: RunContext): Promise<number> {
  const found = await findLoop(context, context.arguments.words[0]);
  if (!found.ok) {
    context.note(found.message);
    return EXIT.usage;
  }
  const { name, folder } = found.loop;
  const read = await readEntries(journalPath(folder));
  if (!read.ok) {
    context.note(`${name} has no journal that can be read. ${read.message}`);
    return EXIT.failed;
  }
  const state = foldJournal(read.entries);
  if (hasFlag(context, "json")) for (const receipt of state.receipts) print(printableJson(receipt));
  else print(state.receipts.length === 0 ? `${name} has no receipts yet.\n` : state.receipts.map(lines).join(""));
  return EXIT.done;
}

function lines(receipt: Receipt): string {
  const { id, story, commit, time, iteration, checks } = receipt;
  const head = `${inOneLine(story)}  receipt ${id}  commit ${commit.slice(0, 9)}  iteration ${iteration}  ${exactly(Date.parse(time))}\n`;
  const rows = checks.map(
    ({ command, exit, durationMs, passesWithout }) =>
      `  exit ${exit}  ${shownTime(durationMs)}  ${inOneLine(command)}${passesWithout === true ? "  (passes without the work too: proves nothing)" : ""}\n`,
  );
  return head + rows.join("");
}
