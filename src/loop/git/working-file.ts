import { closeSync, lstatSync, openSync, readlinkSync, readSync, type Stats } from "node:fs";
import { encodePath } from "./path-bytes.ts";
import type { Repository } from "./repository.ts";
import type { TreeValue } from "./temporary-index.ts";

/** What stands at a path of the working tree. The id is that of a blob with the file's bytes as they are. */
export type WorkingFile =
  | { type: "file"; value: TreeValue; bytes: number }
  | { type: "link"; value: TreeValue; target: Uint8Array }
  | { type: "gone" }
  /** A folder, a pipe, or something that may not be read: nothing git could keep. */
  | { type: "other"; why: string };

/**
 * `knownMode` is what git says of a regular file, where it knows it: not every file system can tell whether it can be run, and where
 * the system has no links, a file stands for one.
 */
export function readWorkingFile(repository: Repository, path: string, knownMode?: string): WorkingFile {
  const file = absolutePath(repository, path);
  try {
    const stats = lstatSync(file);
    if (stats.isSymbolicLink()) {
      const target = readlinkSync(file, { encoding: "buffer" });
      return { type: "link", value: { mode: "120000", id: blobId(repository, target) }, target };
    }
    if (!stats.isFile()) return { type: "other", why: stats.isDirectory() ? "a folder" : "a device or pipe" };
    const mode = knownMode ?? (stats.mode & 0o100 ? EXECUTABLE : PLAIN);
    return { type: "file", value: { mode, id: fileId(repository, file, stats) }, bytes: stats.size };
  } catch (error) {
    return missing(error) ? { type: "gone" } : { type: "other", why: "it cannot be read" };
  }
}

/** For paths whose names need not be text. */
export function absolutePath({ root }: Repository, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), encodePath(path)]);
}

export function blobId(repository: Repository, bytes: Uint8Array): string {
  return hasher(repository).update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}

const PLAIN = "100644";
const EXECUTABLE = "100755";
const PIECE_BYTES = 1024 * 1024;

function fileId(repository: Repository, file: Buffer, stats: Stats): string {
  const hash = hasher(repository).update(`blob ${stats.size}\0`);
  const descriptor = openSync(file, "r");
  try {
    const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, stats.size + 1));
    for (let read = readSync(descriptor, piece); read > 0; read = readSync(descriptor, piece)) {
      hash.update(piece.subarray(0, read));
    }
  } finally {
    closeSync(descriptor);
  }
  return hash.digest("hex");
}

function hasher({ idLength }: Repository): Bun.CryptoHasher {
  return new Bun.CryptoHasher(idLength === 40 ? "sha1" : "sha256");
}

function missing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}
