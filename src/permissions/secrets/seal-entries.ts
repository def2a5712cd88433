import type { EntrySeal } from "../../protocol/entry-seal.ts";
import type { SessionEntry } from "../../protocol/session-entries.ts";
import { mapItems, mapMessage, mapPart, mapTexts } from "./map-message.ts";
import { mapStrings } from "./map-strings.ts";
import type { Obfuscator } from "./obfuscate.ts";

/**
 * The key of session files. It is the same for all, so that a copy of a session can be read like the session; what is sent has a
 * key of its own.
 */
export const JOURNAL_KEY = "ralph secrets in session files";

/** Whoever works with the session sees the real texts; the file has placeholders. What an expression found is known while it is open. */
export function createEntrySeal(obfuscator: Obfuscator): EntrySeal {
  const texts = obfuscator.begin();
  return {
    close: (entry) => mapEntry(entry, texts.hide),
    open: (entry) => mapEntry(entry, (text) => texts.restore(text)),
  };
}

/** Only what people, models and tools said: what undo needs (paths, contents by their hashes) must stay exact. */
function mapEntry(entry: SessionEntry, change: (text: string) => string): SessionEntry {
  switch (entry.type) {
    case "message":
      return { ...entry, message: mapMessage(entry.message, change) };
    case "queued":
      return { ...entry, message: mapMessage(entry.message, change) };
    case "rules-injected":
      return entry.message === undefined ? entry : { ...entry, message: mapMessage(entry.message, change) };
    case "tool-started":
      return { ...entry, call: mapPart(entry.call, change) };
    case "compaction": {
      const pinned = entry.pinned === undefined ? {} : { pinned: mapTexts(entry.pinned, change) };
      const { server } = entry;
      const compacted = server === undefined ? {} : { server: { ...server, items: mapItems(server.items, change) } };
      return { ...entry, summary: change(entry.summary), ...pinned, ...compacted };
    }
    case "branch-summary":
      return { ...entry, summary: change(entry.summary) };
    case "system-prompt":
      return { ...entry, text: change(entry.text) };
    case "tasks-changed":
      return { ...entry, tasks: mapStrings(entry.tasks, change) };
    case "name":
      return { ...entry, name: change(entry.name) };
    case "custom":
      return { ...entry, data: mapStrings(entry.data, change) };
    default:
      return entry;
  }
}
