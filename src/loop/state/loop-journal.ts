import { join } from "node:path";
import { type LoopEntry, type LoopEvent, loopEntry } from "../../protocol/loop-entries.ts";
import type { Clock } from "../../system/clock.ts";
import type { FileFailure } from "../../system/file-failure.ts";
import { openJsonl } from "../../system/jsonl.ts";
import { readJsonl } from "../../system/jsonl-reader.ts";
import { applyEntry, foldJournal, type LoopState } from "./fold-journal.ts";

/** What a task's runs did, appended before anybody sees it. */
export interface LoopJournal {
  /** What is known now. */
  state(): LoopState;
  /** Dates the event, stores it, then hands it on. A journal that cannot be written ends the run: what is not kept must not go on. */
  append(event: LoopEvent): Promise<LoopEntry>;
  close(): Promise<void>;
}

export interface OpenJournalOptions {
  folder: string;
  clock: Clock;
  /** Called with every entry after it was stored. */
  onEntry(entry: LoopEntry): void;
}

/** A journal that could not be written. Thrown, because nothing after it may happen. */
export class JournalFailure extends Error {}

export async function openJournal(
  options: OpenJournalOptions,
): Promise<{ ok: true; journal: LoopJournal } | FileFailure> {
  const path = journalPath(options.folder);
  const opened = await openJsonl(path);
  if (!opened.ok) return opened;
  const read = await readEntries(path);
  if (!read.ok) return read;
  let state = foldJournal(read.entries);
  const journal: LoopJournal = {
    state: () => state,
    async append(event) {
      const entry = { ...event, time: new Date(options.clock.now()).toISOString() } as LoopEntry;
      const stored = await opened.file.append(entry);
      if (!stored.ok) throw new JournalFailure(stored.message);
      state = applyEntry(state, entry);
      options.onEntry(entry);
      return entry;
    },
    close: () => opened.file.close(),
  };
  return { ok: true, journal };
}

export function journalPath(folder: string): string {
  return join(folder, "journal.jsonl");
}

/** All entries that can be read. What cannot be (a torn line, one of a newer version) is passed over. */
export async function readEntries(path: string): Promise<{ ok: true; entries: LoopEntry[] } | FileFailure> {
  const entries: LoopEntry[] = [];
  const read = await readJsonl(path, {
    onLine: (item) => {
      const parsed = item.type === "line" ? loopEntry.safeParse(item.value) : undefined;
      if (parsed?.success) entries.push(parsed.data);
    },
  });
  return read.ok ? { ok: true, entries } : read;
}
