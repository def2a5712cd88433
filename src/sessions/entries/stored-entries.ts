import type { Message } from "../../protocol/messages.ts";
import type { SessionEntry, SessionHeader, StoredEntry } from "../../protocol/session-entries.ts";
import { DEFAULT_MAX_LINE_BYTES, readLine } from "../../system/jsonl-reader.ts";
import { BEGINNING, LineFile, openLineFile, type PassingLine, type ScanPlace } from "../../system/line-file.ts";
import { resolveBlobs } from "../blobs.ts";
import { EntryCache, weightOf } from "./entry-cache.ts";
import { EntryKeys, NO_KEY } from "./entry-keys.ts";
import { createPrefixReader, type EntryKind, entryKinds } from "./entry-prefix.ts";
import { entryTypes } from "./entry-shape.ts";
import type { EntryStore } from "./entry-store.ts";
import { type EntryIdentity, EntryTable, type LinePlace, NO_PLACE, NO_ROW } from "./entry-table.ts";
import { type LineMeaning, meaningOf } from "./line-meaning.ts";
import { CURRENT_VERSION } from "./migrations.ts";
import { type SessionFailure, SessionFindings } from "./session-findings.ts";

// The entries of a session of which most are never needed. The beginning of each line says what it is and where it hangs; the
// rest is parsed when somebody asks for the entry. As soon as one line turns out to be damaged every line is looked at, so
// that from then on everything is as if the whole file had been parsed at once.

/** Of the entries that are kept in memory, about, in bytes. */
const MOST_HELD = 8 * 1024 * 1024;

/** Room is made beforehand for about as many entries as a file of this size usually has. */
const USUAL_LINE_BYTES = 400;
const MOST_RESERVED = 1_000_000;

interface Source {
  file: LineFile;
  /** Where the blobs of the entries lie. */
  blobs: string;
}

export type OpenEntriesResult =
  | { ok: true; header: SessionHeader; needsHeader: boolean; entries: StoredEntries }
  | SessionFailure;

export async function openEntries(path: string, blobs: string): Promise<OpenEntriesResult> {
  const opened = await openLineFile(path);
  if (!opened.ok) return opened;
  const findings = new SessionFindings(path);
  const entries = new StoredEntries(findings, { file: opened.file, blobs });
  const failure = entries.readPlaces();
  // Without its header a file is a session only if there are entries in it.
  if (failure === undefined && findings.header === undefined) entries.check();
  const concluded = failure ?? findings.conclude(entries.length > 0);
  if (concluded.ok) return { ...concluded, entries };
  entries.close();
  return concluded;
}

/** Those of a file that is about to be made. */
export function newEntries(path: string, blobs: string): StoredEntries {
  return new StoredEntries(new SessionFindings(path), { file: new LineFile(path), blobs });
}

export class StoredEntries implements EntryStore {
  /** Changes when lines turned out to be damaged: what was found out before may have to be found out again. */
  checks = 0;
  private readonly table = new EntryTable();
  private readonly keys = new EntryKeys();
  private readonly cache = new EntryCache(MOST_HELD);
  private readonly kinds: EntryKind[] = entryKinds(entryTypes());
  /** Where lines of which version begin. */
  private readonly versions: { offset: number; version: number }[] = [];
  private scanned: ScanPlace = BEGINNING;
  private opened: ((entry: SessionEntry) => SessionEntry) | undefined;
  /** Lines that were seen in the file before their entry was added. */
  private readonly ahead = new Map<number, LinePlace>();

  constructor(
    private readonly findings: SessionFindings,
    private readonly source: Source | undefined,
  ) {}

  /** What is read from the file from now on comes through this. */
  openWith(opened: ((entry: SessionEntry) => SessionEntry) | undefined): void {
    this.opened = opened;
  }

  get length(): number {
    return this.table.size - this.table.leftOut;
  }

  /** What of the file could not be read, as far as it was needed; one sentence each. */
  get problems(): string[] {
    return this.findings.problems();
  }

  at(index: number): SessionEntry | undefined {
    for (;;) {
      const row = this.rowAt(index < 0 ? this.length + index : index);
      if (row === NO_ROW) return undefined;
      const entry = this.read(row);
      if (entry !== undefined) return entry;
    }
  }

  *[Symbol.iterator](): Iterator<SessionEntry> {
    for (let row = 0; row < this.table.size; row++) {
      const entry = this.read(row);
      if (entry !== undefined) yield entry;
    }
  }

  map<T>(change: (entry: SessionEntry) => T): T[] {
    return Array.from(this, change);
  }

  has(id: string): boolean {
    const key = this.keys.find(id);
    return key !== NO_KEY && this.table.rowOf(key) !== NO_ROW;
  }

  get(id: string): SessionEntry | undefined {
    const key = this.keys.find(id);
    const row = key === NO_KEY ? NO_ROW : this.table.rowOf(key);
    // Where the first entry of this id is damaged, another may count.
    return row === NO_ROW ? undefined : (this.read(row) ?? this.get(id));
  }

  /** The rows from the root to this entry, or to the one appended last; none for null and for an unknown id. */
  rowsTo(leafId?: string | null): number[] {
    const key = typeof leafId === "string" ? this.keys.find(leafId) : NO_KEY;
    const leaf = key === NO_KEY ? NO_ROW : this.table.rowOf(key);
    const rows: number[] = [];
    for (let row = leafId === undefined ? this.table.lastRow() : leaf; row !== NO_ROW; row = this.table.parent(row))
      rows.push(row);
    return rows.reverse();
  }

  /** The rows from the last entry of the file back to the root. */
  *rowsBack(): Iterable<number> {
    const { table } = this;
    let row = this.at(-1) === undefined ? NO_ROW : this.rowAt(this.length - 1);
    while (row !== NO_ROW) {
      yield row;
      // Most entries hang on the one before; then the tree need not be built.
      const isNext = row > 0 && table.key(row - 1) === table.parentKey(row) && !table.isLeftOut(row - 1);
      row = isNext ? row - 1 : table.parent(row);
    }
  }

  /** Every row from `from` on, in the order of the file. */
  *rows(from = 0): Iterable<number> {
    for (let row = from; row < this.table.size; row++) if (!this.table.isLeftOut(row)) yield row;
  }

  placeOf(row: number): { id: string; parentId: string | null } {
    const { table, keys } = this;
    return { id: keys.idOf(table.key(row)), parentId: keys.parentIdOf(table.parentKey(row)) };
  }

  typeOf(row: number): SessionEntry["type"] {
    return this.kinds[this.table.kind(row)]?.type ?? "custom";
  }

  /** Whether this may be a message of this role. */
  mayBeBy(row: number, role: Message["role"]): boolean {
    const kind = this.kinds[this.table.kind(row)];
    return kind?.type === "message" && (kind.role === undefined || kind.role === role);
  }

  /** Undefined when the line is damaged: then everything was looked at, and rows hang elsewhere than before. */
  read(row: number): SessionEntry | undefined {
    if (this.table.isLeftOut(row)) return undefined;
    const held = this.cache.get(row);
    if (held !== undefined) return held;
    const meaning = this.meaningAt(row);
    if (meaning.type !== "entry" || !this.isAsKnown(row, meaning.entry)) {
      this.check();
      return this.table.isLeftOut(row) ? undefined : this.read(row);
    }
    this.findings.note(meaning, this.table.lineNumber(row));
    const stored = this.withBlobs(meaning.entry);
    const entry = this.opened?.(stored) ?? stored;
    this.cache.add(row, entry, this.table.length(row) + blobBytes(meaning.entry));
    if (this.cache.isFull()) this.letGo();
    return entry;
  }

  /** An entry that is in the file by now. */
  add(entry: SessionEntry): void {
    const identity = this.identityOf(entry);
    const place = this.ahead.get(identity.key);
    this.ahead.delete(identity.key);
    const row = this.table.add(identity, place ?? NO_PLACE);
    this.cache.add(row, entry, weightOf(entry));
    if (this.cache.isFull()) this.letGo();
  }

  /** Looks at every line and leaves out what is damaged. */
  check(): void {
    this.checks++;
    const { table } = this;
    for (let row = 0; row < table.size; row++) {
      if (table.isLeftOut(row) || table.offset(row) < 0) continue;
      const meaning = this.meaningAt(row);
      this.findings.note(meaning, table.lineNumber(row));
      if (meaning.type === "entry" && this.isAsKnown(row, meaning.entry)) continue;
      this.cache.delete(row);
      if (meaning.type === "entry") table.correct(row, this.identityOf(meaning.entry));
      else table.leaveOut(row);
    }
  }

  close(): void {
    this.source?.file.close();
  }

  /** Finds where every line of the file stands. */
  readPlaces(): SessionFailure | undefined {
    const lines = Math.ceil((this.source?.file.size() ?? 0) / USUAL_LINE_BYTES);
    this.table.reserve(Math.min(lines, MOST_RESERVED));
    const prefixOf = createPrefixReader(this.kinds);
    return this.scan((line) => {
      const isPlain = this.findings.version === CURRENT_VERSION && line.length <= DEFAULT_MAX_LINE_BYTES;
      const prefix = isPlain ? prefixOf(line) : undefined;
      if (prefix === undefined) return this.passOther(line);
      this.table.add(prefix, line);
      this.findings.passed();
      return undefined;
    });
  }

  private scan(onLine: (line: PassingLine) => unknown): SessionFailure | undefined {
    if (this.source === undefined) return undefined;
    const scanned = this.source.file.scan(this.scanned, onLine);
    if ("ok" in scanned) return scanned;
    this.scanned = scanned;
    return undefined;
  }

  /** A header, a line that is damaged, or an entry whose line begins otherwise than those we write. */
  private passOther(line: PassingLine): unknown {
    const { offset, length, number, ended } = line;
    const item = readLine(this.bytesAt(offset, length), { number, ended });
    if (item === undefined) return undefined;
    const meaning = meaningOf(item, this.findings.version);
    if (meaning.type === "header") this.versions.push({ offset, version: meaning.version });
    if (meaning.type === "entry") this.table.add(this.identityOf(meaning.entry), line);
    return this.findings.add(meaning, number);
  }

  private rowAt(index: number): number {
    const { table } = this;
    if (index < 0 || index >= this.length) return NO_ROW;
    if (table.leftOut === 0) return index;
    let place = -1;
    for (const row of this.rows()) if (++place === index) return row;
    return NO_ROW;
  }

  private meaningAt(row: number): LineMeaning {
    const { table } = this;
    const number = table.lineNumber(row);
    const offset = table.offset(row);
    const item = readLine(this.bytesAt(offset, table.length(row)), { number, ended: true });
    if (item === undefined) return { type: "left-out", fault: `Line ${number} is empty now.` };
    const version = this.versions.findLast((header) => header.offset < offset)?.version ?? CURRENT_VERSION;
    return meaningOf(item, version);
  }

  private bytesAt(offset: number, length: number): Uint8Array | undefined {
    return length > DEFAULT_MAX_LINE_BYTES ? undefined : this.source?.file.read(offset, length);
  }

  private isAsKnown(row: number, entry: SessionEntry): boolean {
    const { table, keys } = this;
    const isHere = keys.keyOf(entry.id) === table.key(row) && keys.keyOf(entry.parentId) === table.parentKey(row);
    return isHere && entry.type === this.typeOf(row);
  }

  private withBlobs(entry: StoredEntry): SessionEntry {
    if (entry.blobs === undefined || this.source === undefined) return entry;
    const resolved = resolveBlobs(entry, this.source.blobs);
    this.findings.noteMissing(resolved.faults);
    return resolved.entry;
  }

  private identityOf(entry: SessionEntry): EntryIdentity {
    const role = entry.type === "message" ? entry.message.role : undefined;
    const kind = this.kinds.findIndex((known) => known.type === entry.type && known.role === role);
    return { key: this.keys.keyOf(entry.id), parentKey: this.keys.keyOf(entry.parentId), kind };
  }

  /** An entry may leave the memory once its line is found in the file. */
  private letGo(): void {
    if (this.source === undefined) return;
    this.findAppended();
    this.cache.shrink((row) => this.table.offset(row) < 0);
  }

  private findAppended(): void {
    let unfinished: ScanPlace | undefined;
    this.scan(({ offset, length, number, ended, bytes, start, held }) => {
      if (!ended) {
        unfinished = { offset, number: number - 1, isInLine: false };
        return;
      }
      const id = idIn(bytes.subarray(start, start + held));
      // Only headers and entries are appended, and both are of the current version.
      if (id === undefined) this.versions.push({ offset, version: CURRENT_VERSION });
      else this.findPlace(this.keys.keyOf(id), { offset, length, number });
    });
    this.scanned = unfinished ?? this.scanned;
  }

  private findPlace(key: number, place: LinePlace): void {
    const row = this.table.rowOf(key);
    if (row === NO_ROW) this.ahead.set(key, place);
    else if (this.table.offset(row) < 0) this.table.locate(row, place);
  }
}

function blobBytes({ blobs }: StoredEntry): number {
  return Array.isArray(blobs) ? blobs.reduce((sum, reference) => sum + (Number(reference?.bytes) || 0), 0) : 0;
}

const MOST_OF_AN_ID = 100;

/** The id a line of ours begins with. */
function idIn(line: Uint8Array): string | undefined {
  const beginning = Buffer.from(line.subarray(0, MOST_OF_AN_ID)).toString("latin1");
  return /^\{"id":"([^"\\]+)"/.exec(beginning)?.[1];
}
