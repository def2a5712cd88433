import { unlink } from "node:fs/promises";
import { join } from "node:path";
import type { EntrySeal } from "../protocol/entry-seal.ts";
import type { SessionHeader } from "../protocol/session-entries.ts";
import { type Clock, systemClock } from "../system/clock.ts";
import { ensureDirectory, syncDirectory } from "../system/files.ts";
import { type AppendResult, type JsonlFile, openJsonl } from "../system/jsonl.ts";
import { acquireLock } from "../system/lock.ts";
import { extractBlobs, writeBlob } from "./blobs.ts";
import { createAnswerDraft } from "./drafts/answer-draft.ts";
import { createDraftFile, draftPath, removeDraft } from "./drafts/draft-file.ts";
import { type UnstoredAnswer, unstoredAnswer } from "./drafts/unstored-answer.ts";
import { entriesBack, readSteadily } from "./entries/entry-list.ts";
import type { SessionFailure } from "./entries/session-findings.ts";
import { newEntries, openEntries } from "./entries/stored-entries.ts";
import { interruptedCalls, repairsFor } from "./repair.ts";
import {
  type HeaderOptions,
  newHeader,
  type Session,
  type SessionContent,
  type SessionParts,
  type SessionResult,
  SessionWriter,
  type Store,
} from "./session.ts";
import { type SessionPlaces, sessionDirectory, sessionFileName } from "./session-name.ts";

export interface JournalOptions {
  places: Pick<SessionPlaces, "sessions" | "blobs">;
  /** Who has the session open, for the message others see. */
  owner?: string;
  clock?: Clock;
  seal?: EntrySeal;
}

export interface CreateSessionOptions extends JournalOptions, HeaderOptions {}

export async function createSession(options: CreateSessionOptions): Promise<SessionResult> {
  const { places, cwd } = options;
  const header = newHeader(options);
  const directory = sessionDirectory(places, cwd);
  const made = await ensureDirectory(directory, 0o700);
  if (!made.ok) return made;
  await syncDirectory(places.sessions);
  const path = join(directory, sessionFileName(header.id, Date.parse(header.at)));
  const entries = newEntries(path, places.blobs);
  entries.openWith(options.seal?.open);
  const content = { ok: true as const, header, entries, interrupted: [], begunCalls: [], needsHeader: true };
  const opened = await openLocked(path, options, async () => content);
  // A header that was not stored leaves an empty file that nobody needs.
  if (!opened.ok && opened.reason !== "held") await unlink(path).catch(() => undefined);
  return opened;
}

/**
 * Opens a session for writing. Calls that were running when its last writer died get their results now, in the file, and what had
 * arrived of an answer becomes one that was stopped.
 */
export async function openSession(path: string, options: JournalOptions): Promise<SessionResult> {
  let unstored: UnstoredAnswer | undefined;
  const opened = await openLocked(path, options, async () => {
    const stored = await openEntries(path, options.places.blobs);
    if (!stored.ok) return stored;
    stored.entries.openWith(options.seal?.open);
    const { entries } = stored;
    const interrupted = interruptedCalls(entries);
    const back = () => entriesBack(entries);
    unstored = readSteadily(entries, () => unstoredAnswer({ path, seal: options.seal, back }));
    return { ...stored, interrupted, begunCalls: unstored?.calls ?? [] };
  });
  if (!opened.ok) return opened;
  const { session } = opened;
  for (const repair of repairsFor(session.interrupted)) await session.append(repair);
  const stored = await storeDraft(session, path, unstored);
  if (stored.ok) return opened;
  // Whoever went on here would leave behind what was said.
  await session.close();
  return stored;
}

/** With the answer stored the draft belongs to nothing any more, so that a kill before its removal does no harm. */
async function storeDraft(
  session: Session,
  path: string,
  unstored: UnstoredAnswer | undefined,
): Promise<{ ok: true } | SessionFailure> {
  const { message } = unstored ?? {};
  const stored = message === undefined ? undefined : await session.append({ type: "message", message });
  if (stored?.ok === false)
    return { ...stored, message: `The answer that was being written could not be stored. ${stored.message}` };
  removeDraft(draftPath(path));
  return { ok: true };
}

type Load = () => Promise<({ ok: true; needsHeader: boolean } & SessionContent) | SessionFailure>;

async function openLocked(path: string, options: JournalOptions, load: Load): Promise<SessionResult> {
  const { places, owner = "ralph", clock = systemClock } = options;
  const lock = await acquireLock(`${path}.lock`, { owner });
  if (!lock.ok) return lock.reason === "held" ? inUse(path, lock.holder) : lock;
  const loaded = await load();
  if (!loaded.ok) {
    await lock.release();
    return loaded;
  }
  const opened = await openForAppending(path, loaded);
  if (!opened.ok) {
    loaded.entries.close();
    await lock.release();
    return opened;
  }
  const release = async (isUnused: boolean) => {
    await opened.file.close();
    if (isUnused) await unlink(path).catch(() => undefined);
    await lock.release();
  };
  const plain = storeIn(opened.file, places.blobs);
  const { seal } = options;
  const store: Store = seal === undefined ? plain : (entry, when) => plain(seal.close(entry), when);
  const file = createDraftFile(draftPath(path));
  const draft: SessionParts["draft"] = (parentId, by) => createAnswerDraft({ file, parentId, by, clock, seal });
  const isAfterKill = lock.isInherited;
  return { ok: true, session: new SessionWriter({ ...loaded, path, isAfterKill, clock, store, draft, release }) };
}

async function openForAppending(
  path: string,
  { header, needsHeader }: { header: SessionHeader; needsHeader: boolean },
): Promise<{ ok: true; file: JsonlFile } | SessionFailure> {
  const opened = await openJsonl(path);
  if (!opened.ok || !needsHeader) return opened;
  const written = await opened.file.append(header);
  if (written.ok) return opened;
  await opened.file.close();
  return written;
}

function inUse(path: string, holder: { pid: number; owner: string; host: string }): SessionFailure {
  const { pid, owner, host } = holder;
  const message = `The session ${path} is open in ${owner} (process ${pid} on ${host}). Close it there, or fork the session.`;
  return { ok: false, reason: "held", message };
}

/** Stores entries in the order of the calls. One without blobs waits only for entries before it that have some. */
function storeIn(file: JsonlFile, blobDirectory: string): Store {
  let before: Promise<unknown> | undefined;
  return (entry, when) => {
    const { stored, blobs } = extractBlobs(entry);
    if (blobs.length === 0 && before === undefined) return file.append(stored, when);
    const previous = before;
    const written = Promise.all(blobs.map((blob) => writeBlob(blobDirectory, blob)));
    let appended: Promise<AppendResult> | undefined;
    // What is waited for is the moment at which the line is handed over, not the flush: flushes are shared.
    const handed = (async () => {
      const results = await written;
      await previous;
      const failed = results.find((result) => !result.ok);
      appended = failed === undefined ? file.append(stored, when) : Promise.resolve(failed);
    })();
    before = handed;
    return handed.then(() => {
      if (before === handed) before = undefined;
      return appended ?? { ok: false, reason: "failed", message: "The entry was not stored." };
    });
  };
}
