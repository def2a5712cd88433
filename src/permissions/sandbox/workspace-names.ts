import { lstatSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { matchProtected, type Protection } from "../paths/match-protected.ts";
import { entriesIn } from "../paths/read-quietly.ts";
import type { FoundName, PlaceKind } from "./sandbox-profile.ts";
import { READABLE_IN_WORKSPACE } from "./sandbox-rows.ts";

// The protected names that exist in a folder commands may write to.

/** How far one look goes, nearest first. */
const DEEPEST = 3;
const MOST_ENTRIES = 2000;
const MOST_IN_FOLDER = 500;

export interface NameOnDisk {
  /** Where the name stands; links are not followed. */
  path: string;
  protection: Protection;
  /** Changes when something else is put under the name. */
  identity: string;
  /** What it leads to, links resolved; undefined where that is nothing to mount on. */
  target: { path: string; kind: PlaceKind } | undefined;
}

/** Folders of git are listed but not entered: what they hold is not a matter of names. */
export function lookForNames(root: string): NameOnDisk[] {
  const found: NameOnDisk[] = [];
  const open: string[][] = [[]];
  let left = MOST_ENTRIES;
  for (let names = open.shift(); names !== undefined && left > 0; names = open.shift()) {
    const entries = entriesIn(join(root, ...names)).slice(0, Math.min(left, MOST_IN_FOLDER));
    left -= entries.length;
    for (const entry of entries) {
      const own = [...names, entry.name];
      const protection = matchProtected(own, { isFromRoot: root === "/", folders: "none" });
      const isNew = protection !== undefined && !isCovered(found, join(root, ...names), protection);
      if (isNew) found.push(...nameAt(join(root, ...own), protection));
      if (entry.isDirectory() && own.length < DEEPEST && !SKIPPED.has(entry.name)) open.push(own);
    }
  }
  return found;
}

/** Folders of thousands of files that are nobody's settings; git's own is looked at elsewhere. */
const SKIPPED = new Set(["node_modules", ".git", ".venv", "target", "vendor", "__pycache__"]);

/** Below a folder that is found already only something stricter counts. */
function isCovered(found: readonly NameOnDisk[], folder: string, { level }: Protection): boolean {
  return found.some(
    ({ path, protection }) =>
      (folder === path || folder.startsWith(`${path}/`)) && (protection.level === "secret" || level === "read-only"),
  );
}

function nameAt(path: string, protection: Protection): NameOnDisk[] {
  try {
    const stats = lstatSync(path, { bigint: true });
    const link = stats.isSymbolicLink() ? readlinkSync(path) : "";
    const target = targetOf(path);
    return [{ path, protection, identity: `${stats.dev}:${stats.ino}:${link}:${target?.path ?? ""}`, target }];
  } catch {
    return [];
  }
}

function targetOf(path: string): NameOnDisk["target"] {
  try {
    const kind = statSync(path);
    if (!kind.isFile() && !kind.isDirectory()) return undefined;
    return { path: realpathSync(path), kind: kind.isDirectory() ? "directory" : "file" };
  } catch {
    return undefined;
  }
}

/** What is to be mounted for a name; what it links to outside is read-only like everything there. */
export function foundName({ protection, target }: NameOnDisk, root: string): FoundName[] {
  if (target === undefined || !target.path.startsWith(root === "/" ? root : `${root}/`)) return [];
  const isSecret = protection.level === "secret" && !READABLE_IN_WORKSPACE.has(protection.name);
  return [{ ...target, isHidden: isSecret || isEmptyFolder(target) }];
}

function isEmptyFolder({ path, kind }: { path: string; kind: PlaceKind }): boolean {
  return kind === "directory" && entriesIn(path).length === 0;
}

/** The names that came or changed between two looks. */
export function newNames(before: readonly NameOnDisk[], after: readonly NameOnDisk[]): NameOnDisk[] {
  const known = new Set(before.map(({ path, identity }) => `${identity} ${path}`));
  return after.filter(({ path, identity }) => !known.has(`${identity} ${path}`));
}
