import { constants, lstatSync, readlinkSync, type Stats } from "node:fs";
import { open } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import type { FileState } from "../../protocol/session-entries.ts";
import { errorCode } from "../../system/file-failure.ts";
import { isReally } from "../../system/open-real.ts";
import { hashOf } from "../blobs.ts";

/** A path of a workspace as it is now. `bytes` are those of a regular file; `stamp` tells whether it was touched since. */
export interface Observed {
  state: FileState;
  bytes?: Uint8Array;
  stamp?: string;
}

/**
 * `path` is relative to `root`, which is absolute and without links. Nothing on the way may be a link: what lies behind one is
 * somewhere else, also when it takes the place of a folder while this looks.
 */
export async function observeFile(root: string, path: string, maximumBytes: number): Promise<Observed> {
  const way = wayTo(root, path);
  if (way !== undefined) return { state: way };
  const full = join(root, path);
  const stats = look(full);
  if (!(stats instanceof Object)) return { state: MISSING };
  if ("type" in stats) return { state: stats };
  const stamp = stampOf(stats);
  if (stats.isSymbolicLink()) return { state: linkState(full), stamp };
  if (stats.isDirectory()) return { state: { type: "directory", mode: stats.mode & 0o7777 }, stamp };
  if (!stats.isFile()) return { state: notKept("it is a pipe, a socket or a device"), stamp };
  if (stats.size > maximumBytes) return { state: tooLarge(stats.size, maximumBytes), stamp };
  return readRegular(full, maximumBytes);
}

/** Of what is there, without reading it; undefined where nothing is, or where a link stands on the way. */
export function stampAt(root: string, path: string): { stamp: string; stats: Stats } | undefined {
  if (wayTo(root, path) !== undefined) return undefined;
  const stats = look(join(root, path));
  return stats === undefined || "type" in stats ? undefined : { stamp: stampOf(stats), stats };
}

/** A stamp younger than this may stand for two contents: clocks of file systems tick slowly. */
const TICK_MS = 50;

export function isFresh(stats: Stats, now: number): boolean {
  return Math.max(stats.ctimeMs, stats.mtimeMs) > now - TICK_MS;
}

export function sameState(one: FileState, other: FileState): boolean {
  if (one.type === "file" && other.type === "file") return one.hash === other.hash && one.mode === other.mode;
  if (one.type === "directory" && other.type === "directory") return one.mode === other.mode;
  if (one.type === "link" && other.type === "link") return one.target === other.target;
  return one.type === "missing" && other.type === "missing";
}

export const MISSING: FileState = { type: "missing" };

export function notKept(why: string): FileState {
  return { type: "not-kept", why };
}

export function tooLarge(size: number, limit: number): FileState {
  return notKept(`it has ${size} bytes, more than the limit of ${limit} for one file`);
}

/** The path in a workspace, or undefined for what is outside of it or the workspace itself. */
export function pathWithin(root: string, path: string): string | undefined {
  const way = relative(root, path);
  return way === "" || way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way) ? undefined : way;
}

/** Why there is no way to the path, as its state; undefined when its folder is there. */
function wayTo(root: string, path: string): FileState | undefined {
  const above = dirname(path);
  if (above === ".") return undefined;
  let at = root;
  for (const part of above.split(sep)) {
    at = join(at, part);
    const stats = look(at);
    if (stats === undefined) return MISSING;
    if ("type" in stats) return stats;
    if (stats.isSymbolicLink()) return notKept(`${relative(root, at)} is a link, so it leads elsewhere`);
    if (!stats.isDirectory()) return MISSING;
  }
  return undefined;
}

function look(path: string): Stats | FileState | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    const code = errorCode(error);
    return code === "ENOENT" || code === "ENOTDIR" ? undefined : notKept(`it could not be looked at (${code})`);
  }
}

function linkState(path: string): FileState {
  try {
    return { type: "link", target: readlinkSync(path) };
  } catch (error) {
    return notKept(`it could not be read (${errorCode(error)})`);
  }
}

/** A link or a pipe that took the place of the file, or of a folder on the way, is refused without waiting for it. */
async function readRegular(path: string, maximumBytes: number): Promise<Observed> {
  try {
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      const stats = await handle.stat();
      if (!stats.isFile()) return { state: notKept("it is no regular file") };
      if (!isReally(handle.fd, path)) return { state: notKept("it came to lead somewhere else") };
      const bytes = await handle.readFile();
      if (bytes.length > maximumBytes) return { state: tooLarge(bytes.length, maximumBytes) };
      const mode = stats.mode & 0o7777;
      return {
        state: { type: "file", hash: hashOf(bytes), size: bytes.length, mode, isKept: false },
        bytes,
        stamp: stampOf(stats),
      };
    } finally {
      await handle.close();
    }
  } catch (error) {
    return errorCode(error) === "ENOENT"
      ? { state: MISSING }
      : { state: notKept(`it could not be read (${errorCode(error)})`) };
  }
}

function stampOf({ size, mode, ino, mtimeMs, ctimeMs }: Stats): string {
  return `${size} ${mode} ${ino} ${mtimeMs} ${ctimeMs}`;
}
