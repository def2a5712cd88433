import { readFileSync } from "node:fs";
import { readFile, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import type { BlobReference, SessionEntry, StoredEntry } from "../protocol/session-entries.ts";
import { ensureDirectory, type WriteFileResult, writeFileAtomic } from "../system/files.ts";

// Long strings of entries (file contents, pictures) live beside the sessions under the hash of what they hold, so that the
// same picture in ten sessions is stored once and the journal stays quick to read.

/** A longer string, counted in characters, is kept as a blob. */
export const BLOB_THRESHOLD = 16 * 1024;
const SHA256 = /^[0-9a-f]{64}$/;

export interface Blob {
  hash: string;
  text: string;
}

/** The entry as its line holds it, and what has to be stored before that line. */
export function extractBlobs(entry: SessionEntry): { stored: StoredEntry; blobs: Blob[] } {
  const references: BlobReference[] = [];
  const blobs: Blob[] = [];
  const take = (value: unknown, path: (string | number)[]): unknown => {
    if (typeof value === "string") return isLong(value) ? keep(value, path) : value;
    if (Array.isArray(value)) return mapChanged(value, (item, index) => take(item, [...path, index]));
    if (typeof value === "object" && value !== null) return takeFields(value, path);
    return value;
  };
  const takeFields = (object: object, path: (string | number)[]): object => {
    const fields: [string, unknown][] = Object.entries(object);
    const changed = mapChanged<[string, unknown]>(fields, (field) => {
      const value = take(field[1], [...path, field[0]]);
      return value === field[1] ? field : [field[0], value];
    });
    return changed === fields ? object : Object.fromEntries(changed);
  };
  const keep = (text: string, path: (string | number)[]): string => {
    const hash = hashOf(text);
    blobs.push({ hash, text });
    references.push({ blob: hash, bytes: Buffer.byteLength(text), path: path as BlobReference["path"] });
    return "";
  };
  const stored = take(entry, []) as StoredEntry;
  return { stored: references.length === 0 ? entry : { ...stored, blobs: references }, blobs };
}

/** Resolves when the blob would survive a power cut. One that is there already is not written again. */
export async function writeBlob(directory: string, { hash, text }: Blob): Promise<WriteFileResult> {
  return writeBlobBytes(directory, hash, Buffer.from(text));
}

/** The same for bytes, which need not be text. `hash` is theirs. */
export async function writeBlobBytes(directory: string, hash: string, bytes: Uint8Array): Promise<WriteFileResult> {
  const path = join(directory, hash);
  const existing = await stat(path).catch(() => undefined);
  if (existing?.isFile() && existing.size === bytes.length && (await touchBlob(directory, hash))) return { ok: true };
  const made = await ensureDirectory(directory, 0o700);
  return made.ok ? writeFileAtomic(path, bytes, { mode: 0o600 }) : made;
}

/** Somebody is about to name this blob, so it is not taken for an unused one. False when it is not there. */
export async function touchBlob(directory: string, hash: string): Promise<boolean> {
  const now = new Date();
  return utimes(join(directory, hash), now, now).then(
    () => true,
    () => false,
  );
}

/** The entry with its long strings in place. A blob that is missing or damaged leaves a note where it was. */
export function resolveBlobs(stored: StoredEntry, directory: string): { entry: SessionEntry; faults: string[] } {
  const { blobs, ...entry } = stored;
  const faults: string[] = [];
  for (const reference of Array.isArray(blobs) ? blobs : []) {
    const text = isReference(reference) ? readBlob(directory, reference) : undefined;
    const put = isReference(reference) && putAt(entry, reference.path, text ?? noteFor(reference));
    if (text !== undefined && put) continue;
    const name = isReference(reference) ? reference.blob : "with an unreadable reference";
    faults.push(`The stored text ${name} is missing or damaged.`);
  }
  return { entry, faults };
}

/** At once: whoever needs an entry need not wait for it. */
function readBlob(directory: string, { blob, bytes }: BlobReference): string | undefined {
  try {
    const content = readFileSync(join(directory, blob));
    return content.length === bytes && hashOf(content) === blob ? content.toString() : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined when it is missing or damaged. */
export async function readBlobBytes(directory: string, hash: string): Promise<Buffer | undefined> {
  const content = await readFile(join(directory, hash)).catch(() => undefined);
  return content !== undefined && hashOf(content) === hash ? content : undefined;
}

/** Only a string is ever replaced, and only one the entry itself holds. */
function putAt(entry: object, path: readonly (string | number)[], text: string): boolean {
  let holder: unknown = entry;
  for (const key of path.slice(0, -1)) holder = ownField(holder, key);
  const last = path.at(-1);
  if (last === undefined || typeof ownField(holder, last) !== "string") return false;
  (holder as Record<string | number, unknown>)[last] = text;
  return true;
}

function ownField(holder: unknown, key: string | number): unknown {
  if (typeof holder !== "object" || holder === null || !Object.hasOwn(holder, key)) return undefined;
  return (holder as Record<string | number, unknown>)[key];
}

function isReference(value: unknown): value is BlobReference {
  const { blob, bytes, path } = (value ?? {}) as Partial<BlobReference>;
  return typeof blob === "string" && SHA256.test(blob) && typeof bytes === "number" && Array.isArray(path);
}

function noteFor({ blob, bytes }: BlobReference): string {
  return `[${bytes} bytes were stored here and are missing or damaged: blob ${blob}]`;
}

/** The name of a content: the same bytes, the same hash. */
export function hashOf(content: string | Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(content).digest("hex");
}

/** A half surrogate pair cannot be written as UTF-8, but JSON can escape it: such a string stays in its line. */
function isLong(text: string): boolean {
  return text.length > BLOB_THRESHOLD && text.isWellFormed();
}

/** The list itself when nothing in it changed. */
function mapChanged<T>(list: T[], change: (item: T, index: number) => T): T[] {
  const changed = list.map(change);
  return changed.every((item, index) => item === list[index]) ? list : changed;
}
