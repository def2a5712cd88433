import * as z from "zod";
import { foldJournal } from "../../loop/state/fold-journal.ts";
import { journalPath, readEntries } from "../../loop/state/loop-journal.ts";
import { type ServedTool, serveTool } from "../../mcp/server/served-tools.ts";
import { receipt } from "../../protocol/receipts.ts";
import receiptsText from "./descriptions/receipts.md" with { type: "text" };
import { READS, taskWord } from "./loop-tools.ts";
import { findServedLoop, loopId, type McpWorld } from "./served-loops.ts";

const MOST_RECEIPTS = 500;

export function receiptsTool(world: McpWorld): ServedTool {
  return serveTool({
    name: "ralph_receipts",
    title: "Read receipts",
    description: receiptsText.trim(),
    hints: READS,
    input: z.strictObject({ task: taskWord }),
    output: z.strictObject({ id: z.string(), receipts: z.array(receipt) }),
    async run({ task }) {
      const found = await findServedLoop(world, task);
      if (!found.ok) return found;
      const read = await readEntries(journalPath(found.value.folder));
      if (!read.ok) return read;
      const { receipts } = foldJournal(read.entries);
      return { ok: true, value: { id: loopId(found.value), receipts: receipts.slice(-MOST_RECEIPTS) } };
    },
  });
}
