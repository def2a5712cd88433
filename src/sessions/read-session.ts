import type { SessionEntry, SessionHeader, StoredEntry } from "../protocol/session-entries.ts";
import { readJsonl } from "../system/jsonl-reader.ts";
import { resolveBlobs } from "./blobs.ts";
import { meaningOf } from "./entries/line-meaning.ts";
import { type SessionFailure, SessionFindings } from "./entries/session-findings.ts";

// A whole session at once, every line looked at: for who shows, exports, searches or forks it. `stored-entries.ts` is for who
// goes on with one.

export type { SessionFailure };

/** A session file as it was found. Whatever could not be read is told in `problems`, one sentence each. */
export interface StoredSession {
  ok: true;
  header: SessionHeader;
  entries: StoredEntry[];
  problems: string[];
  /** Lines are written in the current version from the next header on: the header was lost, or is of an older version. */
  needsHeader: boolean;
}

export interface ReadSession {
  ok: true;
  header: SessionHeader;
  entries: SessionEntry[];
  problems: string[];
}

/** The whole session with its long texts in place. Needs no lock: a line that is just being written reads as torn. */
export async function readSession(path: string, blobs: string): Promise<ReadSession | SessionFailure> {
  const stored = await readStoredSession(path);
  if (!stored.ok) return stored;
  const { header, problems, entries } = stored;
  for (const [index, entry] of entries.entries()) {
    if (entry.blobs === undefined) continue;
    const resolved = resolveBlobs(entry, blobs);
    entries[index] = resolved.entry;
    problems.push(...resolved.faults);
  }
  return { ok: true, header, problems, entries };
}

/** The lines of the session as they are stored. */
export async function readStoredSession(path: string): Promise<StoredSession | SessionFailure> {
  const findings = new SessionFindings(path);
  const entries: StoredEntry[] = [];
  const read = await readJsonl(path, {
    onLine: (item) => {
      const meaning = meaningOf(item, findings.version);
      if (meaning.type === "entry") entries.push(meaning.entry);
      return findings.add(meaning, item.number);
    },
  });
  if (!read.ok) return read;
  const concluded = findings.conclude(entries.length > 0);
  return concluded.ok ? { ...concluded, entries, problems: findings.problems() } : concluded;
}
