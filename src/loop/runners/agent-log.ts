import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
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
    this.#file = openSync(path, "w+", 0o600);
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

  /** Makes one file of it, also where the agent has removed it meanwhile. */
  close(): string | undefined {
    const problem = this.#number === 0 && !existsSync(this.#path) ? this.#writeAnew() : undefined;
    closeSync(this.#file);
    return problem ?? settleAgentLog(this.#path);
  }

  #writeAnew(): string | undefined {
    try {
      mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
      const target = openSync(this.#path, "w", 0o600);
      try {
        copyBytes(this.#file, target);
      } finally {
        closeSync(target);
      }
      return undefined;
    } catch (error) {
      return explain(this.#path, error);
    }
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
    copyBytes(source, target);
  } finally {
    closeSync(source);
  }
}

/** From the beginning of one open file to where the other is. */
function copyBytes(source: number, target: number): void {
  const buffer = new Uint8Array(COPY_BYTES);
  const { size } = fstatSync(source);
  for (let at = 0; at < size; ) {
    const length = readSync(source, buffer, 0, COPY_BYTES, at);
    if (length === 0) return;
    for (let start = 0; start < length; ) start += writeSync(target, buffer, start, length - start);
    at += length;
  }
}

function explain(path: string, error: unknown): string {
  return `The log ${path} cannot be written: ${error instanceof Error ? error.message : String(error)}`;
}
