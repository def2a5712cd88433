import type { SessionEntry } from "../../protocol/session-entries.ts";
import { currentBranch } from "../tree.ts";
import { type EntryList, isStore, readSteadily } from "./entry-list.ts";
import type { EntryStore } from "./entry-store.ts";

// A branch of which only the part that is sent is read. In a long session that is its end, behind the last compaction.

/** `branch` in which messages are empty → the id of the first entry whose message is needed. */
export type FirstNeeded = (branch: readonly SessionEntry[]) => string | undefined;

/**
 * The branch to this entry. Messages, calls and commands before the first that is needed are empty, except the newest answer;
 * every other entry is whole.
 */
export function neededBranch(
  entries: EntryList,
  leafId: string | null | undefined,
  firstNeeded: FirstNeeded,
): SessionEntry[] {
  if (!isStore(entries)) return currentBranch(entries, leafId);
  return readSteadily(entries, () => {
    const rows = entries.rowsTo(leafId);
    const outline = rows.map((row) => sketchOf(entries, row));
    const first = firstNeeded(outline);
    const from = first === undefined ? outline.length : outline.findIndex(({ id }) => id === first);
    const answer = rows.findLastIndex((row) => entries.mayBeBy(row, "assistant"));
    return rows.map((row, place) => {
      const isNeeded = place >= from || place === answer;
      return (isNeeded ? entries.read(row) : outline[place]) ?? sketchOf(entries, row);
    });
  });
}

function sketchOf(entries: EntryStore, row: number): SessionEntry {
  const type = entries.typeOf(row);
  const place = { ...entries.placeOf(row), at: "" };
  if (type === "message") return { ...place, type, message: { role: "user", content: [] } };
  if (type === "tool-started") return { ...place, type, call: { type: "tool-call", id: "", name: "", input: {} } };
  if (type === "command") return { ...place, type, command: "", output: "", ending: "" };
  // A line that is damaged is found at once, and the branch is then looked for again.
  return entries.read(row) ?? { ...place, type: "custom", kind: "unreadable", data: null };
}
