import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";

// The .gitignore of a folder. It belongs to a stranger: only a regular file of at most a megabyte is read, and nothing waits.

const LARGEST_IGNORE_FILE = 1024 * 1024;

/** `harmful`: whoever reads it without care waits for ever or runs out of memory. */
export type IgnoreFileKind = "usable" | "harmful" | "none";

export function ignoreFileKind(folder: string): IgnoreFileKind {
  try {
    const stats = statSync(pathIn(folder), { throwIfNoEntry: false });
    return stats === undefined ? "none" : kindOf(stats);
  } catch {
    return "none";
  }
}

/** For one that is usable. Empty where it is no longer. */
export function readIgnoreFile(folder: string): string {
  let descriptor: number | undefined;
  try {
    // A pipe put in its place since then is opened without waiting for a writer, and passed over.
    descriptor = openSync(pathIn(folder), constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = fstatSync(descriptor);
    if (kindOf(stats) !== "usable") return "";
    const bytes = Buffer.alloc(stats.size);
    const length = readSync(descriptor, bytes, 0, stats.size, 0);
    return bytes.subarray(0, length).toString("utf8");
  } catch {
    return "";
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function pathIn(folder: string): string {
  return join(folder, ".gitignore");
}

function kindOf(stats: Stats): IgnoreFileKind {
  if (stats.isDirectory()) return "none";
  return stats.isFile() && stats.size <= LARGEST_IGNORE_FILE ? "usable" : "harmful";
}
