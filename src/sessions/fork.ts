import { unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { StoredEntry } from "../protocol/session-entries.ts";
import { fileFailure } from "../system/file-failure.ts";
import { ensureDirectory, syncDirectory, writeFileAtomic } from "../system/files.ts";
import { acquireLock } from "../system/lock.ts";
import { touchBlob } from "./blobs.ts";
import { type CreateSessionOptions, type JournalOptions, openSession } from "./journal.ts";
import { readStoredSession, type SessionFailure } from "./read-session.ts";
import { newHeader, type SessionResult } from "./session.ts";
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
  const lines = [header, ...rehung(entries)].map((line) => `${JSON.stringify(line)}\n`).join("");
  const written = await writeFileAtomic(path, lines, { mode: 0o600 });
  return written.ok ? openSession(path, options) : written;
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
): Promise<{ ok: true } | SessionFailure> {
  const opened = await openSession(path, options);
  if (!opened.ok) return opened;
  const result = await opened.session.append({ type: "name", name });
  await opened.session.close();
  return result.ok ? { ok: true } : result;
}

/** Removes the file of a session nobody has open. Its blobs stay: other sessions may share them (`removeUnusedBlobs`). */
export async function deleteSession(path: string, owner = "ralph"): Promise<{ ok: true } | SessionFailure> {
  const lock = await acquireLock(`${path}.lock`, { owner });
  if (!lock.ok) return lock;
  try {
    await unlink(path);
    await syncDirectory(dirname(path));
    return { ok: true };
  } catch (error) {
    return fileFailure(path, error, "deleted");
  } finally {
    await lock.release();
  }
}
