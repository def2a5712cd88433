import { closeSync, openSync, write as writeBytes, writeSync } from "node:fs";
import { printable } from "./printable.ts";

/** Where a face writes. Writes are gathered and go out together, in order; `isClosed` once nothing can be written any more. */
export interface Output {
  write(text: string): void;
  /** Resolves when everything is written, or can never be. */
  drained(): Promise<void>;
  readonly isClosed: boolean;
  /** Characters that nobody has taken yet. */
  readonly held: number;
  /** Why what was written is not all there; undefined where the reader just went away, which is its right. */
  readonly problem: string | undefined;
}

/** Standard output does not take what was printed. Thrown to `run`, because then nothing else matters. */
export class OutputFailure extends Error {}

/**
 * Writes a text for people to standard output at once; what a program prints must not be lost to its own exit. False when the
 * reader went away.
 */
export function print(text: string): boolean {
  return printExactly(printable(text));
}

/** The same for a text that is meant for a program or a file, and comes there as it is. */
export function printExactly(text: string): boolean {
  const bytes = Buffer.from(text);
  let written = 0;
  while (written < bytes.length) {
    try {
      written += writeSync(1, bytes, written);
    } catch (error) {
      if (codeOf(error) === "EPIPE") return false;
      if (codeOf(error) !== "EAGAIN") throw new OutputFailure(problemOf(error));
      Bun.sleepSync(PAUSE_MS);
    }
  }
  return true;
}

/**
 * A file descriptor as an output. Text is held until the current work is done, so a hundred small pieces of one network
 * packet cost one system call. A reader that is slow is waited for beside the program, which goes on hearing signals.
 */
export function descriptorOutput(descriptor: number, onClosed: () => void): Output {
  const held: string[] = [];
  const waiting: (() => void)[] = [];
  let busy = false;
  let closed = false;
  let problem: string | undefined;
  let [gathered, sending] = [0, 0];

  function flush(): void {
    busy = held.length > 0 && !closed;
    [gathered, sending] = [0, busy ? gathered : 0];
    if (busy) return send(Buffer.from(held.splice(0).join("")), 0);
    for (const resolve of waiting.splice(0)) resolve();
  }

  function send(bytes: Buffer, from: number): void {
    writeBytes(descriptor, bytes, from, (error, written) => {
      if (codeOf(error) === "EAGAIN") return void setTimeout(send, PAUSE_MS, bytes, from);
      if (error !== null) return close(error);
      if (from + written < bytes.length) send(bytes, from + written);
      else flush();
    });
  }

  function close(error: unknown): void {
    closed = true;
    if (codeOf(error) !== "EPIPE") problem = problemOf(error);
    giveAway(descriptor);
    held.length = 0;
    onClosed();
    flush();
  }

  return {
    write(text) {
      if (closed) return;
      held.push(text);
      gathered += text.length;
      if (busy) return;
      busy = true;
      setImmediate(flush);
    },
    drained: () => (busy ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve()),
    get isClosed() {
      return closed;
    },
    get held() {
      return gathered + sending;
    },
    get problem() {
      return problem;
    },
  };
}

const PAUSE_MS = 5;

function codeOf(error: unknown): string | undefined {
  return (error as { code?: string } | null)?.code;
}

function problemOf(error: unknown): string {
  const reason =
    codeOf(error) === "ENOSPC" ? "the disk is full" : error instanceof Error ? error.message : String(error);
  return `Standard output could not be written: ${reason}. What was printed is not complete.`;
}

/** Closes it and keeps its number taken, so that no file opened later is ever mistaken for it. */
function giveAway(descriptor: number): void {
  try {
    closeSync(descriptor);
    openSync("/dev/null", "w");
  } catch {
    // it is closed, which is all that was wanted
  }
}
