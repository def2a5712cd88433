import { lstatSync, mkdirSync, rmdirSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { quotedPath } from "./candidate.ts";
import type { GitFailure } from "./git.ts";
import { encodePath, shownPath } from "./path-bytes.ts";
import { type Repository, readSafeSettings } from "./repository.ts";
import { type TreeValue, withTemporaryIndex } from "./temporary-index.ts";
import { readBlob, type TreeEntries, writeBlob } from "./tree-entries.ts";
import { absolutePath, readWorkingFile } from "./working-file.ts";
import type { WorkspaceState } from "./workspace-state.ts";

export interface TreePaths {
  /** A commit or a tree, and its files. */
  tree: string;
  entries: TreeEntries;
  paths: readonly string[];
}

/** Gives files of the working tree the content they have in a tree; those it does not have are removed. The index stays. */
export async function restoreFromTree(
  repository: Repository,
  { tree, entries, paths }: TreePaths,
): Promise<{ ok: true } | GitFailure> {
  for (const path of paths) if (!entries.has(path)) removeWorkingFile(repository, path);
  const present = paths.filter((path) => entries.has(path) && entries.get(path)?.mode !== "160000");
  if (present.length === 0) return { ok: true };
  const { settings } = await readSafeSettings(repository);
  return withTemporaryIndex(repository, tree, async (indexFile) => {
    const written = await repository.git({
      arguments: ["checkout-index", "--force", "-z", "--stdin"],
      stdin: Buffer.concat(present.flatMap((path) => [encodePath(path), Buffer.of(0)])),
      indexFile,
      settings,
    });
    return written.ok ? { ok: true as const } : written;
  });
}

/** Stores what a person had not committed, byte for byte, so that `restoreContent` can bring it back. */
export async function saveContents(repository: Repository, state: WorkspaceState): Promise<{ ok: true } | GitFailure> {
  for (const [path, { now, isDirty }] of state.entries) {
    if (isDirty && now?.mode === "120000") await saveLink(repository, path);
  }
  const paths = [...state.entries].filter(([, { isDirty, now }]) => isDirty && now?.mode.startsWith("100"));
  if (paths.length === 0) return { ok: true };
  const stored = await repository.git({
    arguments: ["hash-object", "-w", "--no-filters", "--stdin-paths"],
    stdin: Buffer.concat(paths.map(([path]) => quotedPath(encodePath(path)))),
  });
  return stored.ok ? { ok: true } : stored;
}

/** Writes a saved content back. Undefined when it went well, else why not. */
export async function restoreContent(
  repository: Repository,
  path: string,
  value: TreeValue | undefined,
): Promise<string | undefined> {
  if (value === undefined) {
    removeWorkingFile(repository, path);
    return undefined;
  }
  const bytes = await readBlob(repository, value.id);
  if (bytes === undefined) return `${shownPath(path)}: its earlier content was not saved`;
  removeWorkingFile(repository, path);
  return value.mode === "120000" ? makeLink(repository, path, bytes) : writeContent(repository, { path, value, bytes });
}

/** Removes a file, a link or a whole folder, and folders left empty by it. Never goes through a link. */
export function removeWorkingFile(repository: Repository, path: string): void {
  if (hasLinkOnTheWay(repository, path)) return;
  rmSync(absolutePath(repository, path), { recursive: true, force: true });
  for (let parent = parentOf(path); parent !== ""; parent = parentOf(parent)) {
    try {
      rmdirSync(absolutePath(repository, parent));
    } catch {
      return;
    }
  }
}

async function saveLink(repository: Repository, path: string): Promise<void> {
  const file = readWorkingFile(repository, path);
  if (file.type === "link") await writeBlob(repository, file.target);
}

function makeLink(repository: Repository, path: string, target: Uint8Array): string | undefined {
  try {
    makeParents(repository, path);
    symlinkSync(Buffer.from(target), absolutePath(repository, path));
    return undefined;
  } catch (error) {
    return `${shownPath(path)}: ${error instanceof Error ? error.message : error}`;
  }
}

interface Content {
  path: string;
  value: TreeValue;
  bytes: Uint8Array;
}

function writeContent(repository: Repository, { path, value, bytes }: Content): string | undefined {
  try {
    makeParents(repository, path);
    writeFileSync(absolutePath(repository, path), bytes, { mode: value.mode === "100755" ? 0o777 : 0o666, flag: "wx" });
    return undefined;
  } catch (error) {
    return `${shownPath(path)}: ${error instanceof Error ? error.message : error}`;
  }
}

function makeParents(repository: Repository, path: string): void {
  for (let at = path.indexOf("/"); at > 0; at = path.indexOf("/", at + 1)) {
    const parent = absolutePath(repository, path.slice(0, at));
    const stats = lstatSync(parent, { throwIfNoEntry: false });
    if (stats?.isDirectory()) continue;
    if (stats !== undefined) unlinkSync(parent);
    mkdirSync(parent);
  }
}

function hasLinkOnTheWay(repository: Repository, path: string): boolean {
  for (let parent = parentOf(path); parent !== ""; parent = parentOf(parent)) {
    if (lstatSync(absolutePath(repository, parent), { throwIfNoEntry: false })?.isSymbolicLink()) return true;
  }
  return false;
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}
