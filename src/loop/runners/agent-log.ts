import { closeSync, openSync, readdirSync, readSync, rmSync, statSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";

// The raw output of an agent on disk: everything up to a bound, beyond that its beginning and its end. While it grows beyond, the
// end lies beside it in numbered pieces of equal size, of which the last two are kept.

export const LARGEST_LOG_BYTES = 256 * 1024 * 1024;

export class AgentLog {
  readonly #path: string;
  readonly #pieceBytes: number;
  #file: number;
  /** Of the piece that is written; 0 is the beginning. */
  #number = 0;
  #room: number;

  private constructor(path: string, limitBytes: number) {
    this.#path = path;
    this.#pieceBytes = Math.max(1, Math.floor(limitBytes / 4));
    this.#room = this.#pieceBytes * 2;
    this.#file = openSync(path, "w", 0o600);
  }

  /** A message where it cannot be made. What an earlier log of this name left is removed. */
  static open(path: string, limitBytes: number = LARGEST_LOG_BYTES): AgentLog | string {
    try {
      for (const { file } of piecesOf(path)) rmSync(file, { force: true });
      return new AgentLog(path, limitBytes);
    } catch (error) {
      return explain(path, error);
    }
  }

  /** Returns when the system has the bytes; with a message when it did not take them. */
  write(bytes: Uint8Array): string | undefined {
    try {
      for (let start = 0; start < bytes.length; ) {
        if (this.#room === 0) this.#startPiece();
        const written = writeSync(this.#file, bytes, start, Math.min(this.#room, bytes.length - start));
        this.#room -= written;
        start += written;
      }
      return undefined;
    } catch (error) {
      return explain(this.#path, error);
    }
  }

  /** Makes one file of it. */
  close(): string | undefined {
    closeSync(this.#file);
    return settleAgentLog(this.#path);
  }

  #startPiece(): void {
    closeSync(this.#file);
    this.#number++;
    rmSync(pieceFile(this.#path, this.#number - 2), { force: true });
    this.#file = openSync(pieceFile(this.#path, this.#number), "w", 0o600);
    this.#room = this.#pieceBytes;
  }
}

/** Puts the pieces of the end behind the beginning, also those of a log whose writer was killed. A message says what went wrong. */
export function settleAgentLog(path: string): string | undefined {
  try {
    const pieces = piecesOf(path).slice(-2);
    const [first] = pieces;
    if (first === undefined) return undefined;
    const target = openSync(path, "a");
    try {
      const leftOut = (first.number - 1) * statSync(first.file).size;
      if (leftOut > 0)
        writeSync(target, `\n[… ${leftOut} bytes left out: a log is kept to its beginning and its end …]\n`);
      for (const { file } of pieces) append(file, target);
    } finally {
      closeSync(target);
    }
    for (const { file } of piecesOf(path)) rmSync(file, { force: true });
    return undefined;
  } catch (error) {
    return explain(path, error);
  }
}

function pieceFile(path: string, number: number): string {
  return `${path}.end-${number}`;
}

/** Oldest first. */
function piecesOf(path: string): { file: string; number: number }[] {
  const start = `${basename(path)}.end-`;
  return readdirSync(dirname(path))
    .filter((name) => name.startsWith(start) && /^\d+$/.test(name.slice(start.length)))
    .map((name) => ({ file: join(dirname(path), name), number: Number(name.slice(start.length)) }))
    .sort((one, other) => one.number - other.number);
}

const COPY_BYTES = 1024 * 1024;

function append(file: string, target: number): void {
  const source = openSync(file, "r");
  try {
    const buffer = new Uint8Array(COPY_BYTES);
    for (let length = readSync(source, buffer); length > 0; length = readSync(source, buffer)) {
      for (let start = 0; start < length; ) start += writeSync(target, buffer, start, length - start);
    }
  } finally {
    closeSync(source);
  }
}

function explain(path: string, error: unknown): string {
  return `The log ${path} cannot be written: ${error instanceof Error ? error.message : String(error)}`;
}
