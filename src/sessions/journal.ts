import { unlink } from "node:fs/promises";
import { join } from "node:path";
import type { ToolCallPart } from "../protocol/messages.ts";
import type { SessionEntry, SessionHeader } from "../protocol/session-entries.ts";
import { type Clock, systemClock } from "../system/clock.ts";
import { ensureDirectory, syncDirectory } from "../system/files.ts";
import { type AppendResult, type JsonlFile, openJsonl } from "../system/jsonl.ts";
import { acquireLock } from "../system/lock.ts";
import { extractBlobs, writeBlob } from "./blobs.ts";
import { CURRENT_VERSION } from "./migrations.ts";
import { readStoredSession, type SessionFailure, withBlobs } from "./read-session.ts";
import { callsInFlight, repairsFor } from "./repair.ts";
import { newId, type SessionPlaces, sessionDirectory, sessionFileName } from "./session-name.ts";
import { currentBranch } from "./tree.ts";

export interface JournalOptions {
  places: Pick<SessionPlaces, "sessions" | "blobs">;
  /** Who has the session open, for the message others see. */
  owner?: string;
  clock?: Clock;
}

export interface CreateSessionOptions extends JournalOptions {
  cwd: string;
  /** The id of the session this one was forked from. */
  parentSession?: string;
}

type Distribute<T> = T extends unknown ? Omit<T, "id" | "parentId" | "at"> : never;
/** An entry before it has its place. */
export type EntryDraft = Distribute<SessionEntry>;

export type AppendEntryResult = { ok: true; entry: SessionEntry } | SessionFailure;
export type SessionResult = { ok: true; session: Session } | SessionFailure;

/** One session with one writer. */
export interface Session {
  readonly header: SessionHeader;
  /** Undefined for a session that is kept in memory only. */
  readonly path: string | undefined;
  /** What is stored, in the order of the file. */
  readonly entries: readonly SessionEntry[];
  /** The entry the next one hangs on; null before the first. */
  readonly leafId: string | null;
  /** What of the file could not be read, one sentence each. */
  readonly problems: readonly string[];
  /** Calls that were running when Ralph was stopped; each was given its result when the session was opened. */
  readonly interrupted: readonly ToolCallPart[];
  /**
   * Resolves when the entry would survive a power cut. Its place is fixed at the moment of the call, so entries appended
   * without waiting form a chain. When one fails, those that hang on it fail too, and the leaf goes back to before it.
   */
  append(draft: EntryDraft): Promise<AppendEntryResult>;
  /** The next entry hangs on this one; null begins anew. False when there is no such entry. */
  branchFrom(entryId: string | null): boolean;
  /** Waits for what was appended and lets others in. A session in which nothing was ever said leaves no file. */
  close(): Promise<void>;
}

const SESSION_ID_LENGTH = 12;
const ENTRY_ID_LENGTH = 8;

export async function createSession(options: CreateSessionOptions): Promise<SessionResult> {
  const { places, cwd } = options;
  const header = newHeader(options);
  const directory = sessionDirectory(places, cwd);
  const made = await ensureDirectory(directory, 0o700);
  if (!made.ok) return made;
  await syncDirectory(places.sessions);
  const path = join(directory, sessionFileName(header.id, Date.parse(header.at)));
  const content = { ok: true as const, header, entries: [], problems: [], interrupted: [], needsHeader: true };
  const opened = await openLocked(path, options, async () => content);
  // A header that was not stored leaves an empty file that nobody needs.
  if (!opened.ok && opened.reason !== "held") await unlink(path).catch(() => undefined);
  return opened;
}

/** Opens a session for writing. Calls that were running when its last writer died get their results now, in the file. */
export async function openSession(path: string, options: JournalOptions): Promise<SessionResult> {
  const opened = await openLocked(path, options, async () => {
    const stored = await readStoredSession(path);
    if (!stored.ok) return stored;
    const entries = await withBlobs(stored, options.places.blobs);
    return { ...stored, entries, interrupted: callsInFlight(currentBranch(entries)) };
  });
  if (!opened.ok) return opened;
  const { session } = opened;
  for (const repair of repairsFor(session.interrupted)) await session.append(repair);
  return opened;
}

/** The same without a file: nothing is kept. */
export function createMemorySession(options: Omit<CreateSessionOptions, "places">): Session {
  const content = { header: newHeader(options), entries: [], problems: [], interrupted: [] };
  const store = async () => ({ ok: true as const });
  return new Journal({
    ...content,
    path: undefined,
    clock: options.clock ?? systemClock,
    store,
    release: async () => {},
  });
}

export function newHeader({
  clock = systemClock,
  cwd,
  parentSession,
}: Omit<CreateSessionOptions, "places">): SessionHeader {
  const version = CURRENT_VERSION as SessionHeader["version"];
  const at = new Date(clock.now()).toISOString();
  const id = newId(SESSION_ID_LENGTH);
  return { type: "session", version, id, at, cwd, ...(parentSession !== undefined && { parentSession }) };
}

interface SessionContent {
  header: SessionHeader;
  entries: SessionEntry[];
  problems: readonly string[];
  interrupted: readonly ToolCallPart[];
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
    await lock.release();
    return opened;
  }
  const release = async (isUnused: boolean) => {
    await opened.file.close();
    if (isUnused) await unlink(path).catch(() => undefined);
    await lock.release();
  };
  const store = storeIn(opened.file, places.blobs);
  return { ok: true, session: new Journal({ ...loaded, path, clock, store, release }) };
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

type Store = (entry: SessionEntry) => Promise<AppendResult>;

/** Stores entries in the order of the calls. One without blobs waits only for entries before it that have some. */
function storeIn(file: JsonlFile, blobDirectory: string): Store {
  let before: Promise<unknown> | undefined;
  return (entry) => {
    const { stored, blobs } = extractBlobs(entry);
    if (blobs.length === 0 && before === undefined) return file.append(stored);
    const previous = before;
    const written = Promise.all(blobs.map((blob) => writeBlob(blobDirectory, blob)));
    let appended: Promise<AppendResult> | undefined;
    // What is waited for is the moment at which the line is handed over, not the flush: flushes are shared.
    const handed = (async () => {
      const results = await written;
      await previous;
      const failed = results.find((result) => !result.ok);
      appended = failed === undefined ? file.append(stored) : Promise.resolve(failed);
    })();
    before = handed;
    return handed.then(() => {
      if (before === handed) before = undefined;
      return appended ?? { ok: false, reason: "failed", message: "The entry was not stored." };
    });
  };
}

interface JournalParts extends SessionContent {
  path: string | undefined;
  clock: Clock;
  store: Store;
  release: (isUnused: boolean) => Promise<void>;
}

class Journal implements Session {
  readonly header: SessionHeader;
  readonly path: string | undefined;
  readonly problems: readonly string[];
  readonly interrupted: readonly ToolCallPart[];
  readonly entries: SessionEntry[];
  leafId: string | null;
  private readonly known: Set<string>;
  private readonly inFlight = new Map<string, { parentId: string | null; stored: Promise<unknown> }>();
  private readonly failed = new Set<string | null>();

  constructor(private readonly parts: JournalParts) {
    this.header = parts.header;
    this.path = parts.path;
    this.problems = parts.problems;
    this.interrupted = parts.interrupted;
    this.entries = parts.entries;
    this.known = new Set(parts.entries.map((entry) => entry.id));
    this.leafId = this.entries.at(-1)?.id ?? null;
  }

  append(draft: EntryDraft): Promise<AppendEntryResult> {
    const at = new Date(this.parts.clock.now()).toISOString();
    const entry = { id: this.freshId(), parentId: this.leafId, at, ...draft } as SessionEntry;
    this.leafId = entry.id;
    const stored = this.store(entry);
    this.inFlight.set(entry.id, { parentId: entry.parentId, stored });
    return stored;
  }

  branchFrom(entryId: string | null): boolean {
    if (entryId !== null && (this.inFlight.has(entryId) || !this.known.has(entryId))) return false;
    this.leafId = entryId;
    return true;
  }

  async close(): Promise<void> {
    await Promise.all([...this.inFlight.values()].map(({ stored }) => stored));
    await this.parts.release(this.entries.length + this.problems.length + this.failed.size === 0);
  }

  private async store(entry: SessionEntry): Promise<AppendEntryResult> {
    const result = await this.parts.store(entry);
    const isStored = result.ok && !this.failed.has(entry.parentId);
    if (isStored) {
      this.inFlight.delete(entry.id);
      this.entries.push(entry);
      return { ok: true, entry };
    }
    if (this.leafHangsOn(entry.id)) this.leafId = entry.parentId;
    this.inFlight.delete(entry.id);
    this.known.delete(entry.id);
    this.failed.add(entry.id);
    if (!result.ok) return result;
    const message = `The entry before this one could not be stored in ${this.path ?? "the session"}.`;
    return { ok: false, reason: "unstored-parent", message };
  }

  private leafHangsOn(id: string): boolean {
    let current = this.leafId;
    while (current !== null && current !== id) current = this.inFlight.get(current)?.parentId ?? null;
    return current === id;
  }

  private freshId(): string {
    let id = newId(ENTRY_ID_LENGTH);
    while (this.known.has(id) || this.failed.has(id)) id = newId(ENTRY_ID_LENGTH);
    this.known.add(id);
    return id;
  }
}
