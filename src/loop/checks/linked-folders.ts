import { lstatSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { lookAt } from "../../system/look-at.ts";
import type { Repository } from "../git/repository.ts";
import { readBlob, type TreeEntries } from "../git/tree-entries.ts";
import { INCLUDE_FILE, includedPaths } from "../git/worktree.ts";

/** Folders of installed packages, and the files they belong beside. */
const DEPENDENCY_FOLDERS = ["node_modules", ".venv", "venv", "vendor"];
const MANIFEST = /(^|\/)(package\.json|pyproject\.toml|requirements\.txt|setup\.py|composer\.json|go\.mod|Gemfile)$/;
const MOST_FOLDERS = 500;

/** Untracked paths that a checkout needs and git does not have; from the top of the working tree. */
export async function foldersToLink(
  repository: Repository,
  { entries, base }: { entries: TreeEntries; base: TreeEntries },
): Promise<string[]> {
  const included = await includeFile(repository, base);
  const paths = included === undefined ? dependencyFolders(entries) : await includedByFile(repository, included);
  return paths.filter((path) => isLinkable(repository, path)).slice(0, MOST_FOLDERS);
}

/** Makes links in a checkout to those paths of the working tree. What the checkout has itself is never replaced. */
export function linkFolders(repository: Repository, directory: string, paths: readonly string[]): string[] {
  return paths.filter((path) => {
    try {
      const place = join(directory, path);
      if (lstatSync(place, { throwIfNoEntry: false }) !== undefined) return false;
      mkdirSync(dirname(place), { recursive: true });
      if (!isWithin(realpathSync(dirname(place)), realpathSync(directory))) return false;
      symlinkSync(join(repository.root, path), place);
      return true;
    } catch {
      return false;
    }
  });
}

export function dependencyFolders(entries: TreeEntries): string[] {
  const homes = new Set([""]);
  for (const path of entries.keys()) if (MANIFEST.test(path)) homes.add(path.slice(0, path.lastIndexOf("/") + 1));
  const tracked = new Set([...entries.keys()].flatMap(parentsOf));
  return [...homes]
    .flatMap((home) => DEPENDENCY_FOLDERS.map((name) => home + name))
    .filter((path) => !tracked.has(path));
}

function parentsOf(path: string): string[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join("/"));
}

/** The file as the run found it: an agent's version of a tracked one does not count. */
async function includeFile(repository: Repository, base: TreeEntries): Promise<Uint8Array | string | undefined> {
  const tracked = base.get(INCLUDE_FILE);
  if (tracked !== undefined && tracked.mode !== "120000") return readBlob(repository, tracked.id);
  const path = join(repository.root, INCLUDE_FILE);
  return lookAt(path)?.isFile() ? path : undefined;
}

async function includedByFile(repository: Repository, file: Uint8Array | string): Promise<string[]> {
  if (typeof file === "string") return includedPaths(repository, file);
  const copy = join(repository.scratch, `include-${crypto.randomUUID()}`);
  mkdirSync(repository.scratch, { recursive: true, mode: 0o700 });
  writeFileSync(copy, file, { mode: 0o600 });
  try {
    return await includedPaths(repository, copy);
  } finally {
    rmSync(copy, { force: true });
  }
}

/** Something is there, and it does not lead out of the working tree. */
function isLinkable({ root }: Repository, path: string): boolean {
  try {
    return path.isWellFormed() && isWithin(realpathSync(join(root, path)), root);
  } catch {
    return false;
  }
}

export function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith("../") && !way.startsWith("/");
}
