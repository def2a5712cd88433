import { closeSync, fstatSync, readFile, readFileSync } from "node:fs";
import { type FileFailure, failure, fileFailure, notAFile } from "../system/file-failure.ts";
import type { PinnedPlace } from "../system/pinned-place.ts";
import { contentHash } from "./content-hash.ts";

// The content of a file as the file tools hold it: all bytes, never a part of them.

export const MAXIMUM_FILE_BYTES = 50_000_000;

export interface PinnedFile {
  path: string;
  pin: PinnedPlace;
}

export interface FileContent {
  ok: true;
  bytes: Uint8Array;
  hash: string;
  mode: number;
  uid: number;
  gid: number;
  /** Where an editor holds the file. With `isUnsaved`, content and hash are those of its text, and the disk has another one. */
  editor?: { text: string; isUnsaved: boolean };
}

/**
 * The very file that was asked about: what has taken its place since is refused, and so are pipes and devices, without waiting.
 * The size is checked before anything is read.
 */
export async function readContent({ path, pin }: PinnedFile): Promise<FileContent | FileFailure> {
  try {
    const opened = pin.openFile();
    if (!opened.ok) return opened;
    const { descriptor } = opened;
    try {
      const stats = fstatSync(descriptor);
      if (!stats.isFile()) return notAFile(path, stats);
      if (stats.size > MAXIMUM_FILE_BYTES) return tooLarge(path, stats.size);
      const bytes = stats.size > READ_AT_ONCE_BYTES ? await readAll(descriptor) : readFileSync(descriptor);
      if (bytes.length > MAXIMUM_FILE_BYTES) return tooLarge(path, bytes.length);
      return { ok: true, bytes, hash: contentHash(bytes), mode: stats.mode & 0o7777, uid: stats.uid, gid: stats.gid };
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    return fileFailure(path, error, "read");
  }
}

/** Reading so little takes less time than handing it to another thread. */
const READ_AT_ONCE_BYTES = 256 * 1024;

function readAll(descriptor: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    readFile(descriptor, (error, bytes) => (error === null ? resolve(bytes) : reject(error)));
  });
}

function tooLarge(path: string, size: number): FileFailure {
  return failure(
    "too-large",
    `${path} has ${size} bytes, more than the limit of ${MAXIMUM_FILE_BYTES}. Search in it, or cut it into parts with a shell command.`,
  );
}
