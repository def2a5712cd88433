import type { StoredEntry } from "../protocol/session-entries.ts";
import { resolveBlobs } from "./blobs.ts";
import { readStoredSession } from "./read-session.ts";
import { type ListOptions, listSessions } from "./session-list.ts";
import type { SessionSummary } from "./session-summary.ts";

export interface SearchOptions extends ListOptions {
  /** Where to search, instead of in the whole list. */
  sessions?: readonly SessionSummary[];
  /** How many sessions are given back at most. */
  limit?: number;
  signal?: AbortSignal;
}

export interface SessionMatch {
  session: SessionSummary;
  /** The first entry that holds the text. */
  entryId: string;
  /** The text with a little around it, on one line. */
  excerpt: string;
}

const DEFAULT_LIMIT = 50;
const AROUND = 60;

/**
 * Sessions in which the text was said, by anybody or a tool, newest first; capitals do not matter. Of several texts all have to
 * stand in the same part of what was said.
 */
export async function searchSessions(
  text: string | readonly string[],
  options: SearchOptions,
): Promise<SessionMatch[]> {
  const { limit = DEFAULT_LIMIT, signal, places, sessions } = options;
  const wanted = [text]
    .flat()
    .map((piece) => piece.trim().toLowerCase())
    .filter((piece) => piece !== "");
  const matches: SessionMatch[] = [];
  if (wanted.length === 0) return matches;
  for (const session of sessions ?? (await listSessions(options))) {
    if (matches.length >= limit || signal?.aborted) break;
    const found = await searchSession(session, wanted, places.blobs);
    if (found !== undefined) matches.push(found);
  }
  return matches;
}

async function searchSession(
  session: SessionSummary,
  wanted: readonly string[],
  blobs: string,
): Promise<SessionMatch | undefined> {
  const read = await readStoredSession(session.path);
  if (!read.ok) return undefined;
  for (const stored of read.entries) {
    const entry = stored.blobs === undefined ? stored : (await resolveBlobs(stored, blobs)).entry;
    const text = wordsOf(entry).find((words) => wanted.every((piece) => words.toLowerCase().includes(piece)));
    if (text !== undefined) return { session, entryId: entry.id, excerpt: excerptOf(text, wanted[0] ?? "") };
  }
  return undefined;
}

function wordsOf(entry: StoredEntry): string[] {
  if (entry.type === "name") return [entry.name];
  if (entry.type === "compaction" || entry.type === "branch-summary") return [entry.summary];
  if (entry.type !== "message") return [];
  return entry.message.content.flatMap((part) => (part.type === "text" ? [part.text] : []));
}

function excerptOf(text: string, wanted: string): string {
  const place = text.toLowerCase().indexOf(wanted);
  const part = text.slice(Math.max(0, place - AROUND), place + wanted.length + AROUND);
  return part.replaceAll(/\s+/g, " ").trim();
}
