import type { Answerer } from "../protocol/answer-drafts.ts";
import type { ToolCallPart } from "../protocol/messages.ts";
import type { SessionEntry, SessionHeader } from "../protocol/session-entries.ts";
import { type Clock, systemClock } from "../system/clock.ts";
import type { AppendResult, FlushTime } from "../system/jsonl.ts";
import type { AnswerDraft } from "./drafts/answer-draft.ts";
import { ENTRY_ID_LENGTH } from "./entries/entry-keys.ts";
import type { EntryStore } from "./entries/entry-store.ts";
import { memoryEntries } from "./entries/memory-entries.ts";
import { CURRENT_VERSION } from "./entries/migrations.ts";
import type { SessionFailure } from "./entries/session-findings.ts";
import { newId } from "./session-name.ts";

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
  /** What is stored, in the order of the file. Each is read when it is asked for. */
  readonly entries: EntryStore;
  /** The entry the next one hangs on; null before the first. */
  readonly leafId: string | null;
  /** The last entry on the way to the leaf that is stored already. */
  readonly storedLeafId: string | null;
  /** What of the file could not be read, as far as it was needed until now; one sentence each. */
  readonly problems: readonly string[];
  /** Calls that were running when Ralph was stopped; each was given its result when the session was opened. */
  readonly interrupted: readonly ToolCallPart[];
  /** The names of calls the model was writing when Ralph was stopped. They are never run. */
  readonly begunCalls: readonly string[];
  /** Who had it open last did not close it, and may have left something running. */
  readonly isAfterKill: boolean;
  /**
   * Resolves when the entry would survive a power cut. Its place is fixed at the moment of the call, so entries appended
   * without waiting form a chain; those that may be flushed `soon` share a flush. When one fails, those that hang on it fail too, and the leaf goes back to before it.
   */
  append(draft: EntryDraft, when?: FlushTime): Promise<AppendEntryResult>;
  /** Keeps an answer while it arrives, for whoever opens the session after a kill. Undefined where nothing is kept. */
  draftAnswer(by: Answerer): AnswerDraft | undefined;
  /** The next entry hangs on this one; null begins anew. False when there is no such entry. */
  branchFrom(entryId: string | null): boolean;
  /** Waits for what was appended and lets others in. A session in which nothing was ever said leaves no file. */
  close(): Promise<void>;
}

const SESSION_ID_LENGTH = 12;

export interface HeaderOptions {
  cwd: string;
  /** The id of the session this one was forked from. */
  parentSession?: string;
  clock?: Clock;
}

/** A session without a file: nothing is kept. */
export function createMemorySession(options: HeaderOptions): Session {
  const content = { header: newHeader(options), entries: memoryEntries(), interrupted: [], begunCalls: [] };
  const store = async () => ({ ok: true as const });
  return new SessionWriter({
    ...content,
    path: undefined,
    isAfterKill: false,
    clock: options.clock ?? systemClock,
    store,
    release: async () => {},
  });
}

export function newHeader({ clock = systemClock, cwd, parentSession }: HeaderOptions): SessionHeader {
  const version = CURRENT_VERSION as SessionHeader["version"];
  const at = new Date(clock.now()).toISOString();
  const id = newId(SESSION_ID_LENGTH);
  return { type: "session", version, id, at, cwd, ...(parentSession !== undefined && { parentSession }) };
}

export interface SessionContent {
  header: SessionHeader;
  entries: EntryStore;
  interrupted: readonly ToolCallPart[];
  begunCalls: readonly string[];
}

export type Store = (entry: SessionEntry, when: FlushTime) => Promise<AppendResult>;

export interface SessionParts extends SessionContent {
  path: string | undefined;
  isAfterKill: boolean;
  clock: Clock;
  store: Store;
  draft?(parentId: string, by: Answerer): AnswerDraft;
  release: (isUnused: boolean) => Promise<void>;
}

/** The one who appends. Where entries are stored is handed in. */
export class SessionWriter implements Session {
  readonly header: SessionHeader;
  readonly path: string | undefined;
  readonly interrupted: readonly ToolCallPart[];
  readonly begunCalls: readonly string[];
  readonly isAfterKill: boolean;
  readonly entries: EntryStore;
  leafId: string | null;
  private readonly inFlight = new Map<string, { parentId: string | null; stored: Promise<unknown> }>();
  private readonly failed = new Set<string | null>();

  constructor(private readonly parts: SessionParts) {
    this.header = parts.header;
    this.path = parts.path;
    this.interrupted = parts.interrupted;
    this.begunCalls = parts.begunCalls;
    this.isAfterKill = parts.isAfterKill;
    this.entries = parts.entries;
    this.leafId = this.entries.at(-1)?.id ?? null;
  }

  get problems(): readonly string[] {
    return this.entries.problems;
  }

  get storedLeafId(): string | null {
    let id = this.leafId;
    for (let open = id === null ? undefined : this.inFlight.get(id); open !== undefined; ) {
      id = open.parentId;
      open = id === null ? undefined : this.inFlight.get(id);
    }
    return id;
  }

  append(draft: EntryDraft, when: FlushTime = "now"): Promise<AppendEntryResult> {
    const at = new Date(this.parts.clock.now()).toISOString();
    // In this order a line says what it is without being parsed.
    const { type, ...body } = draft;
    const entry = { id: this.freshId(), parentId: this.leafId, at, type, ...body } as SessionEntry;
    this.leafId = entry.id;
    const stored = this.store(entry, when);
    this.inFlight.set(entry.id, { parentId: entry.parentId, stored });
    return stored;
  }

  draftAnswer(by: Answerer): AnswerDraft | undefined {
    return this.leafId === null ? undefined : this.parts.draft?.(this.leafId, by);
  }

  branchFrom(entryId: string | null): boolean {
    if (entryId !== null && this.entries.get(entryId) === undefined) return false;
    this.leafId = entryId;
    return true;
  }

  async close(): Promise<void> {
    await Promise.all([...this.inFlight.values()].map(({ stored }) => stored));
    this.entries.close();
    await this.parts.release(this.entries.length + this.problems.length + this.failed.size === 0);
  }

  private async store(entry: SessionEntry, when: FlushTime): Promise<AppendEntryResult> {
    const result = await this.parts.store(entry, when);
    const isStored = result.ok && !this.failed.has(entry.parentId);
    if (isStored) {
      this.inFlight.delete(entry.id);
      this.entries.add(entry);
      return { ok: true, entry };
    }
    if (this.leafHangsOn(entry.id)) this.leafId = entry.parentId;
    this.inFlight.delete(entry.id);
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
    while (this.entries.has(id) || this.inFlight.has(id) || this.failed.has(id)) id = newId(ENTRY_ID_LENGTH);
    return id;
  }
}
