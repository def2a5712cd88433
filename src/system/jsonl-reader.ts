import { constants } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { type FileFailure, fileFailure } from "./file-failure.ts";

/** One line of a file. `number` counts from 1; blank lines count but are not reported. */
export type JsonlItem =
  | { type: "line"; number: number; value: unknown }
  /** Not JSON, or longer than allowed. `text` is its beginning. */
  | { type: "broken"; number: number; text: string; tooLong: boolean }
  /** The last line has no end and is not JSON yet: the write was cut short, or is still going on. */
  | { type: "torn"; number: number; text: string };

export interface ReadJsonlOptions {
  /** Returning "stop" ends the reading. */
  onLine: (item: JsonlItem) => unknown;
  /** A longer line is reported as broken and never held in memory. */
  maxLineBytes?: number;
}

export type ReadJsonlResult = { ok: true; stopped: boolean } | FileFailure;

export const DEFAULT_MAX_LINE_BYTES = 64 * 1024 * 1024;
const CHUNK_BYTES = 512 * 1024;
/** How much of a line that cannot be used is reported. */
const SHOWN_CHARACTERS = 200;
const NEWLINE = 0x0a;

/** Reads one line after the other, whatever some of them hold. */
export async function readJsonl(path: string, options: ReadJsonlOptions): Promise<ReadJsonlResult> {
  let handle: FileHandle | undefined;
  try {
    if (!(await stat(path)).isFile()) {
      return { ok: false, reason: "not-a-file", message: `${path} is not a regular file.` };
    }
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const lines = splitLines(options);
    for (;;) {
      const { bytesRead } = await handle.read(chunk, 0, CHUNK_BYTES, null);
      if (bytesRead === 0) return { ok: true, stopped: !lines.end() };
      if (!lines.add(chunk.subarray(0, bytesRead))) return { ok: true, stopped: true };
    }
  } catch (error) {
    return fileFailure(path, error, "read");
  } finally {
    await handle?.close();
  }
}

/** What one line holds; undefined when it is blank. A line that is longer than the reader allows is given no bytes. */
export function readLine(
  bytes: Uint8Array | undefined,
  { number, ended }: { number: number; ended: boolean },
): JsonlItem | undefined {
  if (bytes === undefined || bytes.length > DEFAULT_MAX_LINE_BYTES)
    return { type: "broken", number, text: "", tooLong: bytes !== undefined };
  return itemOf({ ...rawText(bytes), number, ended });
}

interface RawLine {
  text: string;
  number: number;
  /** Nobody may parse it: it is too long, or not UTF-8. */
  fault?: "too-long" | "not-utf8";
  /** Its newline is there. */
  ended: boolean;
}

/** `add` and `end` say whether reading goes on. */
function splitLines({ onLine, maxLineBytes = DEFAULT_MAX_LINE_BYTES }: ReadJsonlOptions) {
  let number = 0;
  const held = heldLine(maxLineBytes);

  const report = (line: Omit<RawLine, "number">): boolean => {
    number++;
    const item = itemOf({ ...line, number });
    return item === undefined || onLine(item) !== "stop";
  };
  const reportBlock = (block: Buffer): boolean => {
    const whole = decode(block);
    if (whole === undefined) return linesOf(block).every((bytes) => report({ ...rawText(bytes), ended: true }));
    return whole.split("\n").every((text) => {
      const fault = isLonger(text, maxLineBytes) ? "too-long" : undefined;
      return report({ text, fault, ended: true });
    });
  };

  return {
    add(chunk: Buffer): boolean {
      const first = chunk.indexOf(NEWLINE);
      if (first === -1) {
        held.add(chunk);
        return true;
      }
      held.add(chunk.subarray(0, first));
      if (!report({ ...held.take(), ended: true })) return false;
      const last = chunk.lastIndexOf(NEWLINE);
      const goesOn = last === first || reportBlock(chunk.subarray(first + 1, last));
      held.add(chunk.subarray(last + 1));
      return goesOn;
    },
    end: (): boolean => held.isEmpty() || report({ ...held.take(), ended: false }),
  };
}

/** The beginning of a line whose end has not come yet. Of one that is too long only the part that is shown is kept. */
function heldLine(maxBytes: number) {
  let pieces: Buffer[] = [];
  let total = 0;
  return {
    isEmpty: () => total === 0,
    add(bytes: Buffer) {
      if (bytes.length === 0) return;
      if (total <= maxBytes) pieces.push(Buffer.from(bytes));
      total += bytes.length;
      if (total > maxBytes && pieces.length > 0) pieces = [Buffer.concat(pieces).subarray(0, SHOWN_CHARACTERS * 4)];
    },
    take(): Pick<RawLine, "text" | "fault"> {
      const bytes = Buffer.concat(pieces);
      const tooLong = total > maxBytes;
      pieces = [];
      total = 0;
      return tooLong ? { text: bytes.toString(), fault: "too-long" } : rawText(bytes);
    },
  };
}

function itemOf({ text, number, fault, ended }: RawLine): JsonlItem | undefined {
  // A cut can fall inside a character.
  if (fault === "not-utf8" && !ended) return { type: "torn", number, text: shown(text) };
  if (fault !== undefined) return { type: "broken", number, text: shown(text), tooLong: fault === "too-long" };
  const json = number === 1 && text.startsWith("\uFEFF") ? text.slice(1) : text;
  try {
    return { type: "line", number, value: JSON.parse(json) };
  } catch {
    if (json.trim() === "") return undefined;
    if (!ended) return { type: "torn", number, text: shown(text) };
    return { type: "broken", number, text: shown(text), tooLong: false };
  }
}

function rawText(bytes: Uint8Array): Pick<RawLine, "text" | "fault"> {
  const text = decode(bytes);
  return text === undefined ? { text: new TextDecoder().decode(bytes), fault: "not-utf8" } : { text };
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decode(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

function linesOf(block: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = block.indexOf(NEWLINE); end !== -1; end = block.indexOf(NEWLINE, start)) {
    lines.push(block.subarray(start, end));
    start = end + 1;
  }
  lines.push(block.subarray(start));
  return lines;
}

function isLonger(text: string, maxBytes: number): boolean {
  return text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes;
}

function shown(text: string): string {
  return text.slice(0, SHOWN_CHARACTERS);
}
