import type { FileRecord, FileState } from "../../protocol/session-entries.ts";
import type { FileFailure } from "../../system/file-failure.ts";
import { writeBlobBytes } from "../blobs.ts";
import { notKept, observeFile } from "./observe-file.ts";

/** How much is kept. The message of what is not kept names the limit. */
export interface KeepLimits {
  fileBytes: number;
  /** Over all files of one turn. */
  turnBytes: number;
}

export const KEEP_LIMITS: KeepLimits = { fileBytes: 20_000_000, turnBytes: 200_000_000 };

/** What a turn may still keep; counted down as files are kept. */
export interface KeepRoom {
  limits: KeepLimits;
  bytesLeft: number;
}

export interface KeptFile extends FileRecord {
  stamp?: string;
  /** The content is a part of this blob, from there on; else a blob of its own. */
  packed?: { blob: string; at: number };
}

export interface KeepOptions {
  root: string;
  blobs: string;
  room: KeepRoom;
}

export type KeepResult = { ok: true; files: KeptFile[] } | FileFailure;

/** So many are read and flushed beside each other: flushes share their work. */
const AT_ONCE = 8;

/**
 * The state of every path, in order, with the contents stored as blobs: flushed when this resolves. What cannot be read or is
 * too large is a state as well; a failure is a store that does not take what it is given.
 */
export async function keepFiles(paths: readonly string[], options: KeepOptions): Promise<KeepResult> {
  const files: KeptFile[] = new Array(paths.length);
  let next = 0;
  let failed: FileFailure | undefined;
  const work = async () => {
    for (let index = next++; index < paths.length && failed === undefined; index = next++) {
      const kept = await keepFile(paths[index] ?? "", options);
      if ("ok" in kept) failed = kept;
      else files[index] = kept;
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, paths.length) }, work));
  return failed ?? { ok: true, files };
}

async function keepFile(path: string, { root, blobs, room }: KeepOptions): Promise<KeptFile | FileFailure> {
  const { state, bytes, stamp } = await observeFile(root, path, room.limits.fileBytes);
  const found = (kept: FileState) => ({ path, state: kept, ...(stamp !== undefined && { stamp }) });
  if (state.type !== "file" || bytes === undefined) return found(state);
  if (bytes.length > room.bytesLeft)
    return found(notKept(`the files of this turn have more than the limit of ${room.limits.turnBytes} bytes`));
  room.bytesLeft -= bytes.length;
  const written = await writeBlobBytes(blobs, state.hash, bytes);
  return written.ok ? found({ ...state, isKept: true }) : written;
}
