import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { LoopEntry, LoopEvent } from "../../protocol/loop-entries.ts";
import type { Clock } from "../../system/clock.ts";
import type { FileFailure } from "../../system/file-failure.ts";
import { ensureDirectory, writeFileAtomic } from "../../system/files.ts";
import { type JsonlFile, openJsonl } from "../../system/jsonl.ts";
import { readJsonl } from "../../system/jsonl-reader.ts";
import { applyEntry, foldJournal, type LoopState } from "./fold-journal.ts";

/** What a task's runs did, appended before anybody sees it. */
export interface LoopJournal {
  /** What is known now. */
  state(): LoopState;
  /**
   * Dates the event, stores it, then hands it on. A journal that cannot be written ends the run: what is not kept must not go on.
   */
  append(event: LoopEvent): Promise<LoopEntry>;
  /** Writes the file anew where somebody else changed or removed it, and says whether that was so. */
  repair(): Promise<boolean>;
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

export type OpenedJournal = { ok: true; journal: LoopJournal } | FileFailure;

export async function openJournal(options: OpenJournalOptions): Promise<OpenedJournal> {
  const path = journalPath(options.folder);
  const opened = await openJsonl(path);
  if (!opened.ok) return opened;
  const read = await readEntries(path);
  if (!read.ok) return read;
  return { ok: true, journal: journalOf(options, opened.file, read.entries) };
}

function journalOf(
  { folder, clock, onEntry }: OpenJournalOptions,
  opened: JsonlFile,
  entries: LoopEntry[],
): LoopJournal {
  const path = journalPath(folder);
  let file = opened;
  let state = foldJournal(entries);
  let { text, inode } = fileAt(path) ?? { text: "", inode: 0 };
  return {
    state: () => state,
    async append(event) {
      const entry = { ...event, time: new Date(clock.now()).toISOString() } as LoopEntry;
      const stored = await file.append(entry);
      if (!stored.ok) throw new JournalFailure(stored.message);
      // As the file does: a line that was torn is ended first.
      text += `${text === "" || text.endsWith("\n") ? "" : "\n"}${JSON.stringify(entry)}\n`;
      state = applyEntry(state, entry);
      onEntry(entry);
      return entry;
    },
    async repair() {
      const found = fileAt(path);
      if (found?.text === text && found.inode === inode) return false;
      await file.close();
      const reopened = await writeAnew(path, text);
      if (!reopened.ok) throw new JournalFailure(reopened.message);
      file = reopened.file;
      inode = fileAt(path)?.inode ?? 0;
      return true;
    },
    close: () => file.close(),
  };
}

async function writeAnew(path: string, text: string) {
  const folder = await ensureDirectory(dirname(path), 0o700);
  if (!folder.ok) return folder;
  const written = await writeFileAtomic(path, text, { mode: 0o600 });
  return written.ok ? openJsonl(path) : written;
}

/** Undefined where there is none. The same text in another file is another file: ours is open and would not be read again. */
function fileAt(path: string): { text: string; inode: number } | undefined {
  try {
    return { text: readFileSync(path, "utf8"), inode: statSync(path).ino };
  } catch {
    return undefined;
  }
}

export function journalPath(folder: string): string {
  return join(folder, "journal.jsonl");
}

/** All entries that can be read. What cannot be (a torn line, one of a newer version) is passed over. */
export async function readEntries(path: string): Promise<{ ok: true; entries: LoopEntry[] } | FileFailure> {
  const entries: LoopEntry[] = [];
  // A first run has nothing to read, and what reads it takes some ten megabytes.
  if (isEmpty(path)) return { ok: true, entries };
  const { loopEntry } = await import("../../protocol/loop-entries.ts");
  const read = await readJsonl(path, {
    onLine: (item) => {
      const parsed = item.type === "line" ? loopEntry.safeParse(item.value) : undefined;
      if (parsed?.success) entries.push(parsed.data);
    },
  });
  return read.ok ? { ok: true, entries } : read;
}

function isEmpty(path: string): boolean {
  try {
    return statSync(path).size === 0;
  } catch {
    return false;
  }
}
