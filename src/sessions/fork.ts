import { unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { StoredEntry } from "../protocol/session-entries.ts";
import { fileFailure } from "../system/file-failure.ts";
import { ensureDirectory, syncDirectory, writeFileAtomic } from "../system/files.ts";
import { acquireLock } from "../system/lock.ts";
import { isAbandoned, readLock } from "../system/lock-record.ts";
import { touchBlob } from "./blobs.ts";
import { draftPath, removeDraft } from "./drafts/draft-file.ts";
import { type UnstoredAnswer, unstoredAnswer } from "./drafts/unstored-answer.ts";
import { type CreateSessionOptions, type JournalOptions, openSession } from "./journal.ts";
import { readStoredSession, type SessionFailure } from "./read-session.ts";
import { newHeader, type Session, type SessionResult } from "./session.ts";
import { sessionDirectory, sessionFileName } from "./session-name.ts";
import { buildTree } from "./tree.ts";

export interface ForkOptions extends Omit<CreateSessionOptions, "parentSession"> {
  /** The last entry the new session has; by default the one appended last. */
  entryId?: string;
}

/**
 * A new session, open for writing, that begins with the branch up to an entry of another. The other may be in use. It
 * appears complete or not at all.
 */
export async function forkSession(sourcePath: string, options: ForkOptions): Promise<SessionResult> {
  const source = await readStoredSession(sourcePath);
  if (!source.ok) return source;
  const tree = buildTree(source.entries);
  const entries: StoredEntry[] = tree.pathTo(options.entryId ?? tree.lastId);
  if (options.entryId !== undefined && entries.length === 0) {
    const message = `The session ${source.header.id} has no entry ${options.entryId}.`;
    return { ok: false, reason: "unknown-entry", message };
  }
  const header = newHeader({ ...options, parentSession: source.header.id });
  const directory = sessionDirectory(options.places, options.cwd);
  const path = join(directory, sessionFileName(header.id, Date.parse(header.at)));
  const made = await ensureDirectory(directory, 0o700);
  if (!made.ok) return made;
  for (const { blob } of entries.flatMap(({ blobs = [] }) => blobs)) await touchBlob(options.places.blobs, blob);
  const unstored = options.entryId === undefined ? await brokenAnswer(sourcePath, entries, options) : undefined;
  const lines = [header, ...rehung(entries)].map((line) => `${JSON.stringify(line)}\n`).join("");
  const written = await writeFileAtomic(path, lines, { mode: 0o600 });
  if (!written.ok) return written;
  const opened = await openSession(path, options);
  if (opened.ok && unstored?.message !== undefined)
    await opened.session.append({ type: "message", message: unstored.message });
  return opened;
}

/** What a killed process left of an answer belongs to the copy, too. One that is just being written does not. */
async function brokenAnswer(
  path: string,
  branch: readonly StoredEntry[],
  { seal }: ForkOptions,
): Promise<UnstoredAnswer | undefined> {
  const lock = await readLock(`${path}.lock`).catch(() => undefined);
  const isOpen = lock !== undefined && !isAbandoned(lock);
  return isOpen ? undefined : unstoredAnswer({ path, seal, back: () => branch.toReversed() });
}

/** Each hangs on the one before it, also where a parent had been lost. */
function rehung(entries: readonly StoredEntry[]): StoredEntry[] {
  return entries.map((entry, index) => ({ ...entry, parentId: entries[index - 1]?.id ?? null }));
}

/** Names a session that nobody has open. Whoever has it open appends a `name` entry. */
export async function nameSession(
  path: string,
  name: string,
  options: JournalOptions,
): Promise<{ ok: true; session: Pick<Session, "header" | "isAfterKill"> } | SessionFailure> {
  const opened = await openSession(path, options);
  if (!opened.ok) return opened;
  const { session } = opened;
  const result = await session.append({ type: "name", name });
  await session.close();
  return result.ok ? { ok: true, session } : result;
}

/** Removes the file of a session nobody has open. Its blobs stay: other sessions may share them (`removeUnusedBlobs`). */
export async function deleteSession(path: string, owner = "ralph"): Promise<{ ok: true } | SessionFailure> {
  const lock = await acquireLock(`${path}.lock`, { owner });
  if (!lock.ok) return lock;
  try {
    await unlink(path);
    removeDraft(draftPath(path));
    await syncDirectory(dirname(path));
    return { ok: true };
  } catch (error) {
    return fileFailure(path, error, "deleted");
  } finally {
    await lock.release();
  }
}
