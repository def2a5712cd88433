import { type FileFailure, failure } from "../../system/file-failure.ts";
import { hashOf, readBlobBytes, writeBlobBytes } from "../blobs.ts";
import type { KeptFile } from "./keep-files.ts";
import { isFresh, notKept, type Observed, observeFile, stampAt } from "./observe-file.ts";

// Many small files in one blob: one flush instead of thousands. What turns out to be needed gets a blob of its own.

export interface PackOptions {
  root: string;
  maximumBytes: number;
  isLate(): boolean;
  /** Files of an earlier snapshot and when it was taken: what is unchanged is not read or stored again. */
  previous: { at: number; files: ReadonlyMap<string, KeptFile> } | undefined;
}

export interface Packed {
  ok: true;
  files: KeptFile[];
  /** Has to be stored; absent where there is nothing new. */
  pack?: { hash: string; bytes: Uint8Array };
}

export async function packFiles(paths: readonly string[], options: PackOptions): Promise<Packed | FileFailure> {
  const seen = await observeAll(paths, options);
  if (seen === undefined) return failure("failed", "Reading the files took longer than the limit.");
  const pieces: Uint8Array[] = [];
  let at = 0;
  const files = seen.map(({ file, bytes }): { file: KeptFile; isNew: boolean } => {
    if (bytes === undefined || file.state.type !== "file") return { file, isNew: false };
    if (at + bytes.length > options.maximumBytes) return { file: { ...file, state: noRoom(options) }, isNew: false };
    const packed = { blob: "", at };
    pieces.push(bytes);
    at += bytes.length;
    return { file: { ...file, state: { ...file.state, isKept: true }, packed }, isNew: true };
  });
  if (pieces.length === 0) return { ok: true, files: files.map(({ file }) => file) };
  const bytes = Buffer.concat(pieces);
  const hash = hashOf(bytes);
  const named = files.map(({ file, isNew }) =>
    isNew ? { ...file, packed: { blob: hash, at: file.packed?.at ?? 0 } } : file,
  );
  return { ok: true, files: named, pack: { hash, bytes } };
}

function noRoom({ maximumBytes }: PackOptions) {
  return notKept(`the files of the workspace have more than the limit of ${maximumBytes} bytes`);
}

const AT_ONCE = 8;

interface Seen {
  file: KeptFile;
  /** Of a file that is not stored yet. */
  bytes?: Uint8Array;
}

/** Undefined when it is late. */
async function observeAll(paths: readonly string[], options: PackOptions): Promise<Seen[] | undefined> {
  const seen: Seen[] = new Array(paths.length);
  let next = 0;
  let isLate = false;
  const work = async () => {
    for (let index = next++; index < paths.length && !isLate; index = next++) {
      isLate = options.isLate();
      seen[index] = await look(paths[index] ?? "", options);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, paths.length) }, work));
  return isLate ? undefined : seen;
}

async function look(path: string, { root, maximumBytes, previous }: PackOptions): Promise<Seen> {
  const known = unchanged(path, root, previous);
  if (known !== undefined) return { file: known };
  const { state, stamp, bytes }: Observed = await observeFile(root, path, maximumBytes);
  const file = { path, state, ...(stamp !== undefined && { stamp }) };
  return bytes === undefined ? { file } : { file, bytes };
}

function unchanged(path: string, root: string, previous: PackOptions["previous"]): KeptFile | undefined {
  const known = previous?.files.get(path);
  if (previous === undefined || known?.stamp === undefined) return undefined;
  const now = stampAt(root, path);
  return now?.stamp === known.stamp && !isFresh(now.stats, previous.at) ? known : undefined;
}

/** Gives packed contents blobs of their own. False when one is missing or cannot be stored. */
export async function unpackFiles(files: readonly KeptFile[], blobs: string): Promise<boolean> {
  const packs = new Map<string, Buffer | undefined>();
  for (const { state, packed } of files) {
    if (state.type !== "file" || packed === undefined) continue;
    if (!packs.has(packed.blob)) packs.set(packed.blob, await readBlobBytes(blobs, packed.blob));
    const content = packs.get(packed.blob)?.subarray(packed.at, packed.at + state.size);
    if (content === undefined || hashOf(content) !== state.hash) return false;
    if (!(await writeBlobBytes(blobs, state.hash, content)).ok) return false;
  }
  return true;
}
