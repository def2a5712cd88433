import { existsSync, lstatSync, realpathSync, type Stats, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { smallText } from "../paths/read-quietly.ts";
import type { FoundGitFolder } from "./sandbox-profile.ts";
import { GIT_READ_ONLY } from "./sandbox-rows.ts";

/**
 * The folders git writes to for this work tree; none where it is not one, or where nobody can be sure. Links are not followed:
 * they would let a project choose what is writable, and a link that is mounted over can still be replaced.
 */
export function gitFoldersOf(tree: string, isPinned: boolean): FoundGitFolder[] {
  const named = join(tree, ".git");
  const isReal = statsOf(named, lstatSync)?.isDirectory() ?? false;
  const folders = isReal && isGitFolder(named) ? [named] : linkedFolders(named);
  const found = folders.map((path) => ({ path, isPinned, existing: guardedIn(path) }));
  const hasLinks = found.some(({ path, existing }) => existing.some((name) => isLink(join(path, name))));
  return hasLinks ? [] : found;
}

function guardedIn(folder: string): string[] {
  return GIT_READ_ONLY.filter((name) => statsOf(join(folder, name), lstatSync) !== undefined);
}

function isLink(path: string): boolean {
  return statsOf(path, lstatSync)?.isSymbolicLink() ?? false;
}

export function isGitFolder(path: string): boolean {
  return isFile(join(path, "HEAD")) && isDirectory(join(path, "objects"));
}

/**
 * Of a second work tree: its own folder and that of the repository, outside of the tree. The file that names them came with the
 * project, so it counts only where the repository names this very tree in turn.
 */
function linkedFolders(file: string): string[] {
  const pointed = /^gitdir: *(?<path>.+)$/m.exec(smallText(file))?.groups?.path?.trim();
  if (pointed === undefined) return [];
  const own = realPath(resolve(dirname(file), pointed));
  const back = smallText(join(own, "gitdir")).trim();
  const common = realPath(resolve(own, smallText(join(own, "commondir")).trim() || "."));
  const isNamedBack = back !== "" && realPath(resolve(own, back)) === realPath(file);
  const isLinked = isNamedBack && dirname(own) === join(common, "worktrees") && isGitFolder(common);
  return isLinked ? [common, own] : [];
}

/** Files and folders git obeys because a configuration or a link in its folder names them; they may lie in the work tree. */
export function obeyedByGit(tree: string): string[] {
  const [common = join(tree, ".git")] = gitFoldersOf(tree, true).map(({ path }) => path);
  const config = smallText(join(common, "config"));
  const named = [...config.matchAll(/^\s*(?<key>hookspath|path|attributesfile)\s*=\s*"?(?<path>[^"#;\n]+)"?/gim)];
  const links = guardedIn(common).map((name) => join(common, name));
  return [
    ...named.map(({ groups }) => resolve(hasHooks(groups?.key) ? tree : common, (groups?.path ?? "").trim())),
    ...links.filter(isLink),
  ];
}

/** Git counts a relative path of hooks from the work tree, that of an included file from the file that names it. */
function hasHooks(key: string | undefined): boolean {
  return key?.toLowerCase() === "hookspath";
}

/** What makes git take the configuration of another place, and what no command of git makes in a work tree. */
export function gitDetours(tree: string): string[] {
  const hasMain = statsOf(join(tree, ".git"), lstatSync)?.isDirectory() ?? false;
  const detour = hasMain && existsSync(join(tree, ".git/commondir")) ? [join(tree, ".git/commondir")] : [];
  const bare = isGitFolder(tree) && isDirectory(join(tree, "refs")) ? [join(tree, "HEAD")] : [];
  return [...detour, ...bare];
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function isFile(path: string): boolean {
  return statsOf(path, statSync)?.isFile() ?? false;
}

function isDirectory(path: string): boolean {
  return statsOf(path, statSync)?.isDirectory() ?? false;
}

/** What cannot be reached is not there. */
function statsOf(path: string, look: (path: string) => Stats): Stats | undefined {
  try {
    return look(path);
  } catch {
    return undefined;
  }
}
