import { constants } from "node:fs";
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../system/file-failure.ts";

// Names (hashes, ids) in whatever files there are, found by their form. What is damaged, half written or of a later format still
// names what it needs.

export class TooMuchToRead extends Error {}

export interface WantedNames {
  /** With `g`. */
  pattern: RegExp;
  /** Of a name, in characters. */
  longest: number;
  /** Counted down; below zero it is too much. */
  room: { bytes: number };
  found(name: string): void;
  signal?: AbortSignal;
}

const CHUNK_BYTES = 1024 * 1024;

/** The file is read in pieces that overlap by more than a name. */
export async function findInFile(path: string, { pattern, longest, room, found, signal }: WantedNames): Promise<void> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!(await handle.stat()).isFile()) return;
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    let before = "";
    for (;;) {
      signal?.throwIfAborted();
      const { bytesRead } = await handle.read(chunk, 0, CHUNK_BYTES, null);
      if (bytesRead === 0) return;
      room.bytes -= bytesRead;
      if (room.bytes < 0) throw new TooMuchToRead();
      const text = before + chunk.toString("latin1", 0, bytesRead);
      for (const [name] of text.matchAll(pattern)) found(name);
      before = text.slice(-longest - 1);
    }
  } finally {
    await handle.close();
  }
}

/** Every file, whatever it is called; locks of sessions come and go and name nothing. */
export async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch((error) => {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  });
  const found: string[] = [];
  for (const entry of entries) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) found.push(...(await filesBelow(path)));
    else if (!/\.lock(\.|$)/.test(entry.name)) found.push(path);
  }
  return found;
}
