import { lstatSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";

/** The folders a caller has anything to do with, absolute, links resolved. */
export interface ServedRoots {
  folders: readonly [string, ...string[]];
  /** Whether something lies in one of them, links followed. */
  holds(path: string): boolean;
  /** Where a path leads that may not be there yet, from the first folder on; undefined where that is in none of them. */
  place(path: string): string | undefined;
}

export type OpenedRoots = { ok: true; roots: ServedRoots } | { ok: false; message: string };

/** `named` are those of the command line; without any it is the working directory. */
export function openRoots(named: readonly string[], cwd: string): OpenedRoots {
  const folders: string[] = [];
  for (const name of named.length === 0 ? [cwd] : named) {
    const folder = realFolder(resolve(cwd, name));
    if (folder === undefined) return { ok: false, message: `--root ${name} is not a folder.` };
    folders.push(folder);
  }
  const [first = cwd, ...others] = folders;
  const holds = (path: string) => folders.some((folder) => isWithin(folder, realOrSame(path)));
  const place = (path: string) => {
    const real = realPlace(resolve(first, path));
    return real !== undefined && holds(real) ? real : undefined;
  };
  return { ok: true, roots: { folders: [first, ...others], holds, place } };
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function realFolder(path: string): string | undefined {
  try {
    const real = realpathSync(path);
    return statSync(real).isDirectory() ? real : undefined;
  } catch {
    return undefined;
  }
}

/** What is not there any more cannot lead elsewhere. */
function realOrSame(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Links are followed as far as there is anything. Undefined behind one that leads nowhere: nobody knows where it will. */
function realPlace(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    const above = isThere(path) ? undefined : realPlace(dirname(path));
    return above && join(above, basename(path));
  }
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}
