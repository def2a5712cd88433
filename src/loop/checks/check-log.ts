import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/** Where the output of a check goes: a file, a digest of all of it, and its end. */
export interface CheckLog {
  add(bytes: Uint8Array): void;
  /** Closes the file. */
  end(): { digest: string; tail: string };
}

export const LOG_LIMITS = { fileBytes: 64 * 1024 * 1024, tailCharacters: 4000 } as const;

const TAIL_BYTES = LOG_LIMITS.tailCharacters * 4;

/** Nothing but the end is kept in memory. A log that cannot be written still has a digest and an end. */
export function openCheckLog(path: string): CheckLog {
  const file = openFile(path);
  const hash = new Bun.CryptoHasher("sha256");
  let written = 0;
  let tail = Buffer.alloc(0);
  return {
    add(bytes) {
      hash.update(bytes);
      tail = Buffer.concat([tail, bytes.subarray(Math.max(0, bytes.length - TAIL_BYTES))]);
      if (tail.length > TAIL_BYTES * 2) tail = Buffer.from(tail.subarray(tail.length - TAIL_BYTES));
      const room = LOG_LIMITS.fileBytes - written;
      if (room > 0) writeQuietly(file, bytes.subarray(0, room));
      if (room > 0 && bytes.length >= room) writeQuietly(file, Buffer.from(CUT_NOTE));
      written += bytes.length;
    },
    end() {
      if (file !== undefined) closeSync(file);
      return { digest: `sha256:${hash.digest("hex")}`, tail: lastCharacters(tail) };
    },
  };
}

const CUT_NOTE = `\n[cut here: a log has at most ${LOG_LIMITS.fileBytes / 1024 ** 2} MB]\n`;

function openFile(path: string): number | undefined {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return openSync(path, "w", 0o600);
  } catch {
    return undefined;
  }
}

function writeQuietly(file: number | undefined, bytes: Uint8Array): void {
  try {
    for (let at = 0; file !== undefined && at < bytes.length; ) at += writeSync(file, bytes, at);
  } catch {
    // The disk is full: the check goes on, its digest is that of all it printed.
  }
}

function lastCharacters(bytes: Uint8Array): string {
  const tail = new TextDecoder().decode(bytes).slice(-LOG_LIMITS.tailCharacters);
  // Half of a character at the cut goes.
  return /^[\udc00-\udfff]/.test(tail) ? tail.slice(1) : tail;
}
