import type { SessionEntry } from "../../protocol/session-entries.ts";
import type { EntryStore } from "./entry-store.ts";

/** The entries of a session in the order of the file: all at hand, or read when they are asked for. */
export type EntryList = readonly SessionEntry[] | EntryStore;

/** Whether they are read when they are asked for. */
export function isStore(entries: Iterable<SessionEntry>): entries is EntryStore {
  return "rowsTo" in entries;
}

/** What is found out again when lines turned out to be damaged meanwhile: then entries hang elsewhere than before. */
export function readSteadily<T>(entries: EntryList, read: () => T): T {
  if (!isStore(entries)) return read();
  for (;;) {
    const { checks } = entries;
    const result = read();
    if (checks === entries.checks) return result;
  }
}

/** The entries from the last one back to the root, each read when it is its turn. */
export function* entriesBack(entries: EntryStore): Generator<SessionEntry> {
  for (const row of entries.rowsBack()) {
    const entry = entries.read(row);
    if (entry !== undefined) yield entry;
  }
}

/** The last entry of a type, whichever branch it is on. */
export function lastOfType<Type extends SessionEntry["type"]>(
  entries: EntryList,
  type: Type,
): Extract<SessionEntry, { type: Type }> | undefined {
  const isWanted = (entry: SessionEntry): entry is Extract<SessionEntry, { type: Type }> => entry.type === type;
  if (!isStore(entries)) return entries.findLast(isWanted);
  return readSteadily(entries, () => {
    const row = [...entries.rows()].findLast((candidate) => entries.typeOf(candidate) === type);
    const entry = row === undefined ? undefined : entries.read(row);
    return entry !== undefined && isWanted(entry) ? entry : undefined;
  });
}
