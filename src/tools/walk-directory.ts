import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type FileFailure, fileFailure } from "../system/file-failure.ts";
import { holdRealFolder } from "../system/open-real.ts";

export interface WalkEntry {
  path: string;
  /** From the directory the walk began in. */
  relative: string;
  name: string;
  kind: "file" | "directory" | "link" | "special";
}

export interface WalkOptions {
  /** Entries looked at; the walk ends there. */
  limit: number;
  signal?: AbortSignal;
  /** What is listed at all. */
  shows?(entry: WalkEntry): boolean;
  /** Which directories are entered; links never are. */
  enters?(entry: WalkEntry): boolean;
}

export type WalkResult = { ok: true; entries: WalkEntry[]; isComplete: boolean; unreadable: string[] } | FileFailure;

/** Everything below a directory, parents before children, names in order. Below the first, a directory that cannot be read is named and skipped. */
export async function walkDirectory(directory: string, options: WalkOptions): Promise<WalkResult> {
  const first = await entriesOf(directory, "");
  if (!Array.isArray(first)) return first;
  const pending = first.reverse();
  const entries: WalkEntry[] = [];
  const unreadable: string[] = [];
  let looked = 0;
  for (let entry = pending.pop(); entry !== undefined; entry = pending.pop()) {
    if (++looked > options.limit || options.signal?.aborted)
      return { ok: true, entries, isComplete: false, unreadable };
    if (options.shows?.(entry) !== false) entries.push(entry);
    if (entry.kind !== "directory" || options.enters?.(entry) === false) continue;
    const below = await entriesOf(entry.path, entry.relative);
    if (Array.isArray(below)) for (const child of below.reverse()) pending.push(child);
    else unreadable.push(entry.relative);
  }
  return { ok: true, entries, isComplete: true, unreadable };
}

/** Of the folder that really is there: one swapped for a link since its parent was read is not entered. */
async function entriesOf(directory: string, relative: string): Promise<WalkEntry[] | FileFailure> {
  const held = holdRealFolder(directory);
  if (!held.ok) return held;
  try {
    const entries = await readdir(held.folder.path, { withFileTypes: true });
    entries.sort((left, right) => (left.name < right.name ? -1 : 1));
    return entries.map((entry) => ({
      path: join(directory, entry.name),
      relative: join(relative, entry.name),
      name: entry.name,
      kind: kindOf(entry),
    }));
  } catch (error) {
    return fileFailure(directory, error, "listed");
  } finally {
    held.folder.stop();
  }
}

function kindOf(entry: Dirent): WalkEntry["kind"] {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "directory";
  return entry.isSymbolicLink() ? "link" : "special";
}
