import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import { iterationsFolder } from "../../loop/state/loop-folder.ts";

// The raw output of the iterations on disk. A very long one that is still written has its end beside it, in numbered pieces.

/** The numbers of the iterations there are logs of, in order. */
export function iterationsIn(folder: string): number[] {
  return filesIn(folder)
    .flatMap((name) => /^(\d{4,})\.log$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((one, other) => one - other);
}

/** The files that together are one log, in order. */
export function logFiles(folder: string, iteration: number): string[] {
  const start = `${String(iteration).padStart(4, "0")}.log`;
  const ends = filesIn(folder)
    .flatMap((name) => (name.startsWith(`${start}.end-`) ? [Number(name.slice(start.length + 5))] : []))
    .sort((one, other) => one - other);
  return [start, ...ends.map((number) => `${start}.end-${number}`)].map((name) => join(iterationsFolder(folder), name));
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(iterationsFolder(folder));
  } catch {
    return [];
  }
}

export interface LogPart {
  bytes: Uint8Array;
  /** Where in the file it ends. */
  end: number;
  /** How much of the file lies before it. */
  leftOut: number;
}

/** At most `most` bytes of a file from `start` on, the last of them. Undefined where the file cannot be read. */
export function readPart(file: string, { start, most }: { start: number; most: number }): LogPart | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return undefined;
    const from = Math.max(start, stats.size - most);
    const buffer = Buffer.allocUnsafe(Math.max(0, stats.size - from));
    const count = buffer.length === 0 ? 0 : readSync(descriptor, buffer, 0, buffer.length, from);
    return { bytes: buffer.subarray(0, count), end: from + count, leftOut: from - start };
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
