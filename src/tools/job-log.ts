import { closeSync, openSync, readSync } from "node:fs";
import { outputArtifact } from "./output-artifact.ts";

/** What a job wrote: the newest in memory, all of it in a file. */
export interface JobLog {
  add(bytes: Uint8Array): void;
  read(since?: number): LogPart;
  totalBytes(): number;
  close(): void;
}

export interface LogPart {
  bytes: Uint8Array;
  /** Where the part begins; later than asked for when what was before is lost. */
  offset: number;
  /** Where the next reading goes on. */
  nextOffset: number;
  totalBytes: number;
}

const IN_MEMORY = 256 * 1024;
/** The most one reading gives. */
export const READING_BYTES = 32 * 1024;

export function jobLog({ folder, name }: { folder: string; name: string }): JobLog {
  const file = outputArtifact({ folder, name, spillAfter: 0 });
  const ring = new Uint8Array(IN_MEMORY);
  let total = 0;
  const newest = (from: number, length: number) => {
    const bytes = new Uint8Array(length);
    for (let index = 0; index < length; index++) bytes[index] = ring[(from + index) % IN_MEMORY] ?? 0;
    return bytes;
  };
  return {
    add(bytes) {
      file.add(bytes);
      const kept = bytes.subarray(Math.max(0, bytes.length - IN_MEMORY));
      const start = (total + bytes.length - kept.length) % IN_MEMORY;
      const first = kept.subarray(0, IN_MEMORY - start);
      ring.set(first, start);
      ring.set(kept.subarray(first.length), 0);
      total += bytes.length;
    },
    read(since = Math.max(0, total - READING_BYTES)) {
      const from = Math.min(since, total);
      const inMemoryFrom = Math.max(0, total - IN_MEMORY);
      const older = from < inMemoryFrom ? readFile(file.written()?.path, from) : undefined;
      const offset = older === undefined ? Math.max(from, inMemoryFrom) : from;
      const bytes = older ?? newest(offset, Math.min(READING_BYTES, total - offset));
      return { bytes, offset, nextOffset: offset + bytes.length, totalBytes: total };
    },
    totalBytes: () => total,
    close: () => void file.close(),
  };
}

function readFile(path: string | undefined, position: number): Uint8Array | undefined {
  if (path === undefined) return undefined;
  try {
    const descriptor = openSync(path, "r");
    try {
      const bytes = new Uint8Array(READING_BYTES);
      const length = readSync(descriptor, bytes, 0, READING_BYTES, position);
      return length === 0 ? undefined : bytes.subarray(0, length);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return undefined;
  }
}
