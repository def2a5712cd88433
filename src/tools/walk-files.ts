import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { systemClock } from "../system/clock.ts";
import { holdsSomething } from "../system/empty-folder.ts";
import { holdRealFolder } from "../system/open-real.ts";
import { type IgnoreRules, parseIgnoreRules } from "./gitignore.ts";
import { ignoreFileKind, readIgnoreFile } from "./ignore-file.ts";

export interface WalkOptions {
  /** Where .gitignore files begin to count when there is no repository around. */
  root: string;
  includesIgnored: boolean;
  signal: AbortSignal;
  /** Told of folders whose .gitignore was passed over, because it is no regular file or too large. */
  onHarmfulRules?(folder: string): void;
}

/** Never entered unless ignored things are wanted. */
export const SKIPPED_FOLDERS: ReadonlySet<string> = new Set([".git", "node_modules", "target", "dist", "build"]);

const DEEPEST = 128;

/**
 * The files below a folder, some at a time, by name. Links are not followed, so that nothing is seen twice and the walk stays
 * below its start. A folder that cannot be read is passed over. The start itself is never ignored. However long rules take to
 * test, others get their turn, and the signal is heeded.
 */
export async function* walkFiles(start: string, options: WalkOptions): AsyncGenerator<string[]> {
  const layers = options.includesIgnored ? [] : layersAbove(start, options);
  const open: Folder[] = [{ path: start, layers, depth: 0 }];
  const turn = takeTurns();
  while (open.length > 0 && !options.signal.aborted) {
    const folder = open.pop();
    if (folder === undefined) return;
    const { layers, entries } = await readFolder(folder, options);
    const folders: Folder[] = [];
    for (let at = 0; at < entries.length && !options.signal.aborted; ) {
      const kept = keptEntries(entries.slice(at, at + AT_ONCE), { path: folder.path, layers, turn }, options);
      at += kept.tested;
      for (const path of kept.folders) folders.push({ path, layers, depth: folder.depth + 1 });
      if (kept.files.length > 0) yield kept.files;
      if (turn.isOver()) await turn.next();
    }
    if (folder.depth < DEEPEST) for (const next of folders.reverse()) open.push(next);
  }
}

/** Files given at once, at most. */
const AT_ONCE = 64;
const LONGEST_TURN_MS = 20;

interface Turn {
  isOver(): boolean;
  /** Lets others work. */
  next(): Promise<void>;
}

function takeTurns(): Turn {
  let began = systemClock.monotonic();
  return {
    isOver: () => systemClock.monotonic() - began > LONGEST_TURN_MS,
    async next() {
      await new Promise(setImmediate);
      began = systemClock.monotonic();
    },
  };
}

/** A .gitignore file and the folder it lies in. */
interface Layer {
  folder: string;
  rules: IgnoreRules;
}

interface Folder {
  path: string;
  layers: Layer[];
  depth: number;
}

async function readFolder({ path, layers: above }: Folder, options: WalkOptions) {
  const entries = await entriesIn(path);
  const hasRules = !options.includesIgnored && entries.some((entry) => entry.name === ".gitignore");
  return { layers: hasRules ? [...above, readLayer(path, options)] : above, entries: entries.sort(byName) };
}

/** A folder that was swapped for a link since its parent was read is not entered. */
async function entriesIn(path: string): Promise<Dirent[]> {
  const held = holdRealFolder(path);
  if (!held.ok) return [];
  try {
    return await readdir(held.folder.path, { withFileTypes: true });
  } catch {
    return [];
  } finally {
    held.folder.stop();
  }
}

/** Of the entries as many are tested as the turn allows, and at least one. */
function keptEntries(
  entries: readonly Dirent[],
  { path, layers, turn }: { path: string; layers: readonly Layer[]; turn: Turn },
  { includesIgnored }: WalkOptions,
) {
  const files: string[] = [];
  const folders: string[] = [];
  let tested = 0;
  for (const entry of entries) {
    if (tested > 0 && turn.isOver()) break;
    tested++;
    const isDirectory = entry.isDirectory();
    const full = join(path, entry.name);
    if (!isDirectory && !entry.isFile()) continue;
    if (!includesIgnored && isDirectory && SKIPPED_FOLDERS.has(entry.name)) continue;
    if (isIgnored(layers, full, isDirectory)) continue;
    (isDirectory ? folders : files).push(full);
  }
  return { files, folders, tested };
}

function byName(first: { name: string }, second: { name: string }): number {
  return first.name < second.name ? -1 : 1;
}

/** The nearest file that says something decides. */
function isIgnored(layers: readonly Layer[], path: string, isDirectory: boolean): boolean {
  const verdict = layers.reduceRight<"ignored" | "kept" | undefined>(
    (found, { folder, rules }) => found ?? rules.verdict(path.slice(folder.length + 1), isDirectory),
    undefined,
  );
  return verdict === "ignored";
}

/** From the top of the repository, or the root, down to the folder above the start. */
function layersAbove(start: string, options: WalkOptions): Layer[] {
  const ancestors: string[] = [];
  for (let at = start; at !== dirname(at); at = dirname(at)) ancestors.unshift(at);
  const top = ancestors.findLast((folder) => holdsSomething(join(folder, ".git"))) ?? options.root;
  const between = ancestors.filter((folder) => folder !== start && isBelow(top, folder));
  return between.map((folder) => readLayer(folder, options));
}

function isBelow(top: string, path: string): boolean {
  const steps = relative(top, path);
  return steps !== ".." && !steps.startsWith(`..${sep}`);
}

function readLayer(folder: string, { onHarmfulRules }: WalkOptions): Layer {
  const kind = ignoreFileKind(folder);
  if (kind === "harmful") onHarmfulRules?.(folder);
  return { folder, rules: parseIgnoreRules(kind === "usable" ? readIgnoreFile(folder) : "") };
}
