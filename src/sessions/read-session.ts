import { asObject, asString } from "../protocol/json.ts";
import type { SessionEntry, SessionHeader, StoredEntry } from "../protocol/session-entries.ts";
import type { FileFailure } from "../system/file-failure.ts";
import { type JsonlItem, readJsonl } from "../system/jsonl-reader.ts";
import { resolveBlobs } from "./blobs.ts";
import { isSessionEntry } from "./entry-shape.ts";
import { CURRENT_VERSION, migrateEntry, versionOf } from "./migrations.ts";
import { parseSessionFileName } from "./session-name.ts";

export type SessionFailure =
  | FileFailure
  | {
      ok: false;
      reason: "newer-version" | "not-a-session" | "held" | "unknown-entry" | "unstored-parent";
      message: string;
    };

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
  const { header, problems } = stored;
  return { ok: true, header, problems, entries: await withBlobs(stored, blobs) };
}

/** The lines of the session as they are stored. */
export async function readStoredSession(path: string): Promise<StoredSession | SessionFailure> {
  const collector = new SessionCollector(path);
  const read = await readJsonl(path, { onLine: (item) => collector.add(item) });
  return read.ok ? collector.result() : read;
}

/** Puts the long texts into the entries; what is wrong with them is added to the problems of the session. */
export async function withBlobs(session: StoredSession, blobs: string): Promise<SessionEntry[]> {
  const { entries, problems } = session;
  for (const [index, entry] of entries.entries()) {
    if (entry.blobs === undefined) continue;
    const resolved = await resolveBlobs(entry, blobs);
    entries[index] = resolved.entry;
    problems.push(...resolved.faults);
  }
  return entries;
}

const MOST_PROBLEMS = 50;

/** Takes the lines of a file one after the other. The version of a line is that of the last header before it. */
export class SessionCollector {
  private header: SessionHeader | undefined;
  private version = CURRENT_VERSION;
  private newer: number | undefined;
  private readonly entries: StoredEntry[] = [];
  private readonly problems: string[] = [];
  private lines = 0;
  private faults = 0;

  constructor(private readonly path: string) {}

  /** "stop" when the file cannot be used at all. */
  add(item: JsonlItem): "stop" | undefined {
    this.lines++;
    if (item.type === "torn") return this.fault(`Line ${item.number} was cut short and left out.`);
    if (item.type === "broken") return this.fault(`Line ${item.number} is damaged and was left out.`);
    if (this.version === CURRENT_VERSION && isSessionEntry(item.value)) {
      this.entries.push(item.value);
      return undefined;
    }
    const object = asObject(item.value);
    if (object === undefined) return this.fault(`Line ${item.number} is no entry and was left out.`);
    return object.type === "session" ? this.addHeader(object, item.number) : this.addOther(object, item.number);
  }

  result(): StoredSession | SessionFailure {
    if (this.newer !== undefined) return newerVersion(this.path, this.newer);
    const header = this.header ?? this.headerFromName();
    if (header === undefined || (this.header === undefined && this.entries.length === 0 && this.lines > 1)) {
      return { ok: false, reason: "not-a-session", message: `${this.path} is not a session of Ralph.` };
    }
    if (this.header === undefined)
      this.fault("The header is missing or damaged; it was made anew from the file's name.");
    const more = this.faults - this.problems.length;
    if (more > 0) this.problems.push(`${more} more lines could not be read.`);
    const needsHeader = this.header === undefined || this.version !== CURRENT_VERSION;
    return { ok: true, header, entries: this.entries, problems: this.problems, needsHeader };
  }

  private addHeader(object: Record<string, unknown>, line: number): "stop" | undefined {
    const version = versionOf(object);
    if (version !== undefined && version > CURRENT_VERSION) {
      this.newer = version;
      return "stop";
    }
    const header = headerOf(object);
    if (version === undefined || header === undefined) return this.fault(`The header in line ${line} is damaged.`);
    this.version = version;
    this.header ??= header;
    return undefined;
  }

  /** An entry of an older version, or one we do not know: the latter keeps its place in the tree and means nothing. */
  private addOther(object: Record<string, unknown>, line: number): undefined {
    const entry = migrateEntry(object, this.version);
    if (isSessionEntry(entry)) {
      this.entries.push(entry);
      return undefined;
    }
    const stand = { ...placeOf(entry), type: "custom", kind: "unreadable", data: object };
    if (isSessionEntry(stand)) this.entries.push(stand);
    return this.fault(`Line ${line} is no entry this Ralph can read (type ${JSON.stringify(entry.type)}).`);
  }

  private fault(text: string): undefined {
    this.faults++;
    if (this.problems.length < MOST_PROBLEMS) this.problems.push(text);
  }

  private headerFromName(): SessionHeader | undefined {
    const name = parseSessionFileName(this.path);
    return name && { type: "session", version: CURRENT_VERSION as SessionHeader["version"], ...name, cwd: "" };
  }
}

function headerOf(object: Record<string, unknown>): SessionHeader | undefined {
  const id = asString(object.id);
  const at = asString(object.at);
  const cwd = asString(object.cwd);
  const parentSession = asString(object.parentSession);
  if (id === undefined || at === undefined || cwd === undefined) return undefined;
  const version = CURRENT_VERSION as SessionHeader["version"];
  return { type: "session", version, id, at, cwd, ...(parentSession !== undefined && { parentSession }) };
}

function placeOf({ id, parentId, at }: Record<string, unknown>): Record<string, unknown> {
  return { id, parentId, at };
}

function newerVersion(path: string, version: number): SessionFailure {
  const message = `${path} was written by a newer Ralph (session version ${version}, this one reads up to ${CURRENT_VERSION}). Update Ralph to open it.`;
  return { ok: false, reason: "newer-version", message };
}
