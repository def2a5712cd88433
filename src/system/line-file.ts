import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { stat } from "node:fs/promises";
import { type FileFailure, fileFailure } from "./file-failure.ts";

// The lines of a large file as places: where each begins and how long it is. What a line holds is read when somebody asks.

/** One line while it is passed. Its beginning is in `bytes` from `start` on: `held` bytes of it, its first few hundred or all. */
export interface PassingLine {
  bytes: Uint8Array;
  view: DataView;
  start: number;
  held: number;
  /** In the file. */
  offset: number;
  /** Without its end. */
  length: number;
  /** Counted from 1. */
  number: number;
  /** Its newline is there. */
  ended: boolean;
}

/** Where the scan of a file that grows goes on. */
export interface ScanPlace {
  offset: number;
  /** Of the last line that was passed. */
  number: number;
  /** The last line that was passed had no end yet. */
  isInLine: boolean;
}

/** The object is used again for the next line. Returning "stop" ends the scan. */
export type OnLine = (line: PassingLine) => unknown;

export type OpenLineFileResult = { ok: true; file: LineFile } | FileFailure;

/** How much of a line is always there while it is passed. */
const HEAD_BYTES = 256;
export const BEGINNING: ScanPlace = { offset: 0, number: 0, isInLine: false };

const SCAN_BYTES = 512 * 1024;
const WINDOW_BYTES = 64 * 1024;
const NEWLINE = 0x0a;
/** Without blocking: a pipe that took the file's place does not wait for its writer. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK;

export async function openLineFile(path: string): Promise<OpenLineFileResult> {
  try {
    if ((await stat(path)).isFile()) return { ok: true, file: new LineFile(path, openSync(path, FLAGS)) };
    return { ok: false, reason: "not-a-file", message: `${path} is not a regular file.` };
  } catch (error) {
    return fileFailure(path, error, "read");
  }
}

/** Reads at once, so that what needs a line need not wait. The file stays the same one, even when its name is gone. */
export class LineFile {
  private window: Uint8Array = new Uint8Array(0);
  private windowOffset = 0;
  private isClosed = false;

  /** Without a descriptor the file is opened when it is needed first. */
  constructor(
    readonly path: string,
    private descriptor?: number,
  ) {}

  /** In bytes, as it is now; 0 when that cannot be told. */
  size(): number {
    try {
      return this.withDescriptor((descriptor) => fstatSync(descriptor).size);
    } catch {
      return 0;
    }
  }

  /** Passes every line from the place on. Gives back where to go on, or what went wrong. */
  scan(from: ScanPlace, onLine: OnLine): ScanPlace | FileFailure {
    const splitter = new LineSplitter(from, onLine);
    try {
      return this.withDescriptor((descriptor) => {
        for (;;) {
          const { buffer, free, offset } = splitter;
          const count = readSync(descriptor, buffer, free, buffer.length - free, offset);
          if (count === 0) return splitter.end();
          if (!splitter.add(count)) return splitter.place();
        }
      });
    } catch (error) {
      return fileFailure(this.path, error, "read");
    }
  }

  /** The bytes of one line, good until the next call; undefined when they are not there. */
  read(offset: number, length: number): Uint8Array | undefined {
    const start = offset - this.windowOffset;
    if (start >= 0 && start + length <= this.window.length) return this.window.subarray(start, start + length);
    this.window = this.bytesAt(offset, Math.max(length, WINDOW_BYTES));
    this.windowOffset = offset;
    return this.window.length < length ? undefined : this.window.subarray(0, length);
  }

  /** What is read afterwards opens the file for a moment. */
  close(): void {
    this.isClosed = true;
    this.window = new Uint8Array(0);
    if (this.descriptor !== undefined) closeSync(this.descriptor);
    this.descriptor = undefined;
  }

  private bytesAt(offset: number, length: number): Uint8Array {
    const { buffer } = this.window;
    const bytes = length === buffer.byteLength ? new Uint8Array(buffer) : new Uint8Array(length);
    try {
      return this.withDescriptor((descriptor) => {
        let done = 0;
        while (done < length) {
          const count = readSync(descriptor, bytes, done, length - done, offset + done);
          if (count === 0) break;
          done += count;
        }
        return bytes.subarray(0, done);
      });
    } catch {
      return new Uint8Array(0);
    }
  }

  private withDescriptor<T>(use: (descriptor: number) => T): T {
    const descriptor = this.descriptor ?? openSync(this.path, FLAGS);
    if (!this.isClosed) this.descriptor = descriptor;
    try {
      return use(descriptor);
    } finally {
      if (this.isClosed) closeSync(descriptor);
    }
  }
}

/** Cuts what is read into lines. Of a line that does not fit into the buffer only the beginning is held. */
class LineSplitter {
  readonly buffer = Buffer.allocUnsafe(SCAN_BYTES);
  /** Where the next bytes go, and where in the file they come from. */
  free = 0;
  offset: number;
  private readonly line: PassingLine;
  /** Bytes of the line in the buffer that were passed over. */
  private skipped = 0;
  private isInLine: boolean;

  constructor(
    from: ScanPlace,
    private readonly onLine: OnLine,
  ) {
    const { buffer } = this;
    const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.length);
    const { offset, number } = from;
    this.offset = offset;
    this.isInLine = from.isInLine;
    this.line = { bytes: buffer, view, start: 0, held: 0, offset, length: 0, number, ended: true };
  }

  place(): ScanPlace {
    const { isInLine, line } = this;
    return { offset: this.offset, number: line.number, isInLine };
  }

  /** False when the scan is stopped. */
  add(count: number): boolean {
    const { buffer, line } = this;
    const end = this.free + count;
    const view = end === buffer.length ? buffer : buffer.subarray(0, end);
    const base = this.offset - this.free;
    let start = 0;
    this.offset += count;
    for (let newline = view.indexOf(NEWLINE, this.free); newline !== -1; newline = view.indexOf(NEWLINE, start)) {
      const length = newline - start;
      line.start = start;
      line.held = this.skipped === 0 ? length : HEAD_BYTES;
      line.length = length + this.skipped;
      line.offset = base + start - this.skipped;
      line.ended = true;
      this.skipped = 0;
      start = newline + 1;
      if (!this.report()) return false;
    }
    this.hold(start, end);
    return true;
  }

  end(): ScanPlace {
    if (this.free > 0) {
      const { line } = this;
      line.start = 0;
      line.held = this.skipped === 0 ? this.free : HEAD_BYTES;
      line.length = this.free + this.skipped;
      line.offset = this.offset - line.length;
      line.ended = false;
      this.report();
      this.isInLine = true;
    }
    return this.place();
  }

  private report(): boolean {
    const { line } = this;
    // The rest of a line that was passed before its end came.
    if (this.isInLine) {
      this.isInLine = false;
      return true;
    }
    line.number++;
    return this.onLine(line) !== "stop";
  }

  private hold(start: number, end: number): void {
    this.buffer.copyWithin(0, start, end);
    this.free = end - start;
    if (this.free < SCAN_BYTES / 2) return;
    this.skipped += this.free - HEAD_BYTES;
    this.free = HEAD_BYTES;
  }
}
