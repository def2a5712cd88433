import { closeSync, write as writeBytes, writeSync } from "node:fs";

/** Where a face writes. Writes are gathered and go out together, in order; `isClosed` once the reader has gone away. */
export interface Output {
  write(text: string): void;
  /** Resolves when everything is written, or nobody reads any more. */
  drained(): Promise<void>;
  readonly isClosed: boolean;
}

/** Writes to standard output at once; what a program prints must not be lost to its own exit. */
export function print(text: string): void {
  const bytes = Buffer.from(text);
  let written = 0;
  while (written < bytes.length) {
    try {
      written += writeSync(1, bytes, written);
    } catch (error) {
      if (!isFull(error)) return;
      Bun.sleepSync(PAUSE_MS);
    }
  }
}

/**
 * A file descriptor as an output. Text is held until the current work is done, so a hundred small pieces of one network
 * packet cost one system call. A reader that is slow is waited for beside the program, which goes on hearing signals.
 */
export function descriptorOutput(descriptor: number, onClosed: () => void): Output {
  const held: string[] = [];
  let busy = false;
  let closed = false;
  const waiting: (() => void)[] = [];

  function flush(): void {
    busy = held.length > 0 && !closed;
    if (busy) return send(Buffer.from(held.splice(0).join("")), 0);
    for (const resolve of waiting.splice(0)) resolve();
  }

  function send(bytes: Buffer, from: number): void {
    writeBytes(descriptor, bytes, from, (error, written) => {
      if (error !== null && !isFull(error)) return close();
      if (error !== null) return void setTimeout(send, PAUSE_MS, bytes, from);
      if (from + written < bytes.length) send(bytes, from + written);
      else flush();
    });
  }

  function close(): void {
    closed = true;
    closeQuietly(descriptor);
    onClosed();
    flush();
  }

  return {
    write(text) {
      held.push(text);
      if (busy) return;
      busy = true;
      setImmediate(flush);
    },
    drained: () => (busy ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve()),
    get isClosed() {
      return closed;
    },
  };
}

/** A pipe that does not wait says so when it is full. */
function isFull(error: unknown): boolean {
  return (error as { code?: string }).code === "EAGAIN";
}

const PAUSE_MS = 5;

function closeQuietly(descriptor: number): void {
  try {
    closeSync(descriptor);
  } catch {
    // it is closed, which is all that was wanted
  }
}
