import { mkdirSync, rmdirSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { lookAt } from "../../system/look-at.ts";
import { quotedPath } from "./candidate.ts";
import type { GitFailure, GitResult } from "./git.ts";
import { encodePath, foldersOf, shownPath } from "./path-bytes.ts";
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
  for (const path of paths) {
    const problem = entries.has(path) ? undefined : removeWorkingFile(repository, path);
    if (problem !== undefined) return { ok: false, reason: "failed", message: problem };
  }
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
  const files: string[] = [];
  for (const [path, { now, isDirty }] of state.entries) {
    if (!isDirty || now === undefined) continue;
    // Where the system has no links, a file stands for one.
    if (now.mode.startsWith("100") || (now.mode === "120000" && !(await saveLink(repository, path)))) files.push(path);
  }
  if (files.length === 0) return { ok: true };
  const stored = await storeAsTheyAre(repository, files);
  return stored.ok ? { ok: true } : stored;
}

/** Stores what stands at a path; the id under which git keeps it, undefined where that is nothing git could keep. */
export async function saveWorkingFile(repository: Repository, path: string): Promise<string | undefined> {
  const file = readWorkingFile(repository, path);
  if (file.type === "link") return writeBlob(repository, file.target);
  if (file.type !== "file") return undefined;
  return (await storeAsTheyAre(repository, [path])).ok ? file.value.id : undefined;
}

/** Writes a saved content back, in the place of whatever is in its way. Undefined when it went well, else why not. */
export async function restoreContent(
  repository: Repository,
  path: string,
  value: TreeValue | undefined,
): Promise<string | undefined> {
  if (value === undefined) return removeWorkingFile(repository, path);
  const bytes = await readBlob(repository, value.id);
  if (bytes === undefined) return `${shownPath(path)}: its earlier content was not saved`;
  const problem = removeAll(repository, path);
  if (problem !== undefined) return problem;
  return value.mode === "120000" ? makeLink(repository, path, bytes) : writeContent(repository, { path, value, bytes });
}

/** The file or link that stands where a path has a folder: nothing of the working tree is at such a path. */
export function standsInTheWay(repository: Repository, path: string): string | undefined {
  for (const folder of foldersOf(path)) {
    const stats = lookAt(absolutePath(repository, folder));
    if (stats === undefined) return undefined;
    if (!stats.isDirectory()) return folder;
  }
  return undefined;
}

/**
 * Removes a file, a link or a repository inside of this one, and folders left empty by it. A plain folder there is not what was
 * meant and stays. Never goes through a link. Says why it could not.
 */
function removeWorkingFile(repository: Repository, path: string): string | undefined {
  return isPlainFolder(repository, path) ? undefined : removeAll(repository, path);
}

function isPlainFolder(repository: Repository, path: string): boolean {
  return (
    lookAt(absolutePath(repository, path))?.isDirectory() === true &&
    lookAt(absolutePath(repository, `${path}/.git`)) === undefined
  );
}

function removeAll(repository: Repository, path: string): string | undefined {
  if (standsInTheWay(repository, path) !== undefined) return undefined;
  try {
    rmSync(absolutePath(repository, path), { recursive: true, force: true });
  } catch (error) {
    return failed(path, error);
  }
  removeEmptyFolders(repository, path);
  return undefined;
}

function removeEmptyFolders(repository: Repository, path: string): void {
  for (const folder of foldersOf(path).reverse()) {
    try {
      rmdirSync(absolutePath(repository, folder));
    } catch {
      return;
    }
  }
}

/** False where no link stands there. */
async function saveLink(repository: Repository, path: string): Promise<boolean> {
  const file = readWorkingFile(repository, path);
  if (file.type !== "link") return false;
  await writeBlob(repository, file.target);
  return true;
}

function storeAsTheyAre(repository: Repository, paths: readonly string[]): Promise<GitResult> {
  return repository.git({
    arguments: ["hash-object", "-w", "--no-filters", "--stdin-paths"],
    stdin: Buffer.concat(paths.map((path) => quotedPath(encodePath(path)))),
  });
}

function makeLink(repository: Repository, path: string, target: Uint8Array): string | undefined {
  try {
    makeParents(repository, path);
    symlinkSync(Buffer.from(target), absolutePath(repository, path));
    return undefined;
  } catch (error) {
    return failed(path, error);
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
    return failed(path, error);
  }
}

function makeParents(repository: Repository, path: string): void {
  for (const folder of foldersOf(path)) {
    const parent = absolutePath(repository, folder);
    const stats = lookAt(absolutePath(repository, folder));
    if (stats?.isDirectory()) continue;
    if (stats !== undefined) unlinkSync(parent);
    mkdirSync(parent);
  }
}

function failed(path: string, error: unknown): string {
  return `${shownPath(path)}: ${error instanceof Error ? error.message : error}`;
}
