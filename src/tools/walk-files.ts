import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { type IgnoreRules, parseIgnoreRules } from "./gitignore.ts";

export interface WalkOptions {
  /** Where .gitignore files begin to count when there is no repository around. */
  root: string;
  includesIgnored: boolean;
  signal: AbortSignal;
}

/** Never entered unless ignored things are wanted. */
export const SKIPPED_FOLDERS: ReadonlySet<string> = new Set([".git", "node_modules", "target", "dist", "build"]);

const DEEPEST = 128;

/**
 * The files below a folder, folder by folder, by name. Links are not followed, so that nothing is seen twice and the walk stays
 * below its start. A folder that cannot be read is passed over. The start itself is never ignored.
 */
export async function* walkFiles(start: string, options: WalkOptions): AsyncGenerator<string[]> {
  const layers = options.includesIgnored ? [] : await layersAbove(start, options.root);
  const open: Folder[] = [{ path: start, layers, depth: 0 }];
  while (open.length > 0 && !options.signal.aborted) {
    const folder = open.pop();
    if (folder === undefined) return;
    const { files, folders } = await readFolder(folder, options.includesIgnored);
    if (files.length > 0) yield files;
    if (folder.depth < DEEPEST) for (const next of folders.reverse()) open.push(next);
  }
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

async function readFolder({ path, layers: above, depth }: Folder, includesIgnored: boolean) {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  const hasRules = !includesIgnored && entries.some((entry) => entry.name === ".gitignore");
  const layers = hasRules ? [...above, await readLayer(path)] : above;
  const files: string[] = [];
  const folders: Folder[] = [];
  for (const entry of entries.sort(byName)) {
    const isDirectory = entry.isDirectory();
    const full = join(path, entry.name);
    if (!isDirectory && !entry.isFile()) continue;
    if (!includesIgnored && isDirectory && SKIPPED_FOLDERS.has(entry.name)) continue;
    if (isIgnored(layers, full, isDirectory)) continue;
    if (isDirectory) folders.push({ path: full, layers, depth: depth + 1 });
    else files.push(full);
  }
  return { files, folders };
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
async function layersAbove(start: string, root: string): Promise<Layer[]> {
  const ancestors: string[] = [];
  for (let at = start; at !== dirname(at); at = dirname(at)) ancestors.unshift(at);
  const top = ancestors.findLast((folder) => existsSync(join(folder, ".git"))) ?? root;
  const between = ancestors.filter((folder) => folder !== start && isBelow(top, folder));
  return Promise.all(between.map(readLayer));
}

function isBelow(top: string, path: string): boolean {
  const steps = relative(top, path);
  return steps !== ".." && !steps.startsWith(`..${sep}`);
}

async function readLayer(folder: string): Promise<Layer> {
  const text = await Bun.file(join(folder, ".gitignore"))
    .text()
    .catch(() => "");
  return { folder, rules: parseIgnoreRules(text) };
}
