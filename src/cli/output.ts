import { closeSync, writeSync } from "node:fs";

/** Where a face writes. Writes are gathered and go out together; `isClosed` once the reader has gone away. */
export interface Output {
  write(text: string): void;
  flush(): void;
  readonly isClosed: boolean;
}

/** Writes to standard output at once; what a program prints must not be lost to its own exit. */
export function print(text: string): void {
  writeAll(1, Buffer.from(text));
}

/**
 * A file descriptor as an output. Text is held until the current work is done (or a buffer's worth is there), so a hundred
 * small pieces of one network packet cost one system call.
 */
export function descriptorOutput(descriptor: number, onClosed: () => void): Output {
  let held: string[] = [];
  let heldLength = 0;
  let scheduled = false;
  let closed = false;

  function flush(): void {
    scheduled = false;
    if (held.length === 0 || closed) return;
    const bytes = Buffer.from(held.join(""));
    held = [];
    heldLength = 0;
    if (writeAll(descriptor, bytes)) return;
    closed = true;
    closeQuietly(descriptor);
    onClosed();
  }

  return {
    write(text) {
      held.push(text);
      heldLength += text.length;
      if (heldLength > HELD_LENGTH) return flush();
      if (scheduled) return;
      scheduled = true;
      setImmediate(flush);
    },
    flush,
    get isClosed() {
      return closed;
    },
  };
}

const HELD_LENGTH = 64 * 1024;

/** false when nobody reads any more. A full pipe whose reader is slow is waited for. */
function writeAll(descriptor: number, bytes: Buffer): boolean {
  let written = 0;
  while (written < bytes.length) {
    try {
      written += writeSync(descriptor, bytes, written);
    } catch (error) {
      const { code } = error as { code?: string };
      if (code !== "EAGAIN") return false;
      Bun.sleepSync(PAUSE_MS);
    }
  }
  return true;
}

const PAUSE_MS = 5;

function closeQuietly(descriptor: number): void {
  try {
    closeSync(descriptor);
  } catch {
    // it is closed, which is all that was wanted
  }
}
