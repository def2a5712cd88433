import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
} from "node:fs";
import { errorCode, type FileFailure, failure, fileFailure } from "./file-failure.ts";

// Opening what really stands at a path. Between any check and the open somebody may swap a folder on the way for a link, so what
// was opened is asked where it is.

export type OpenedFile = { ok: true; descriptor: number } | FileFailure;

/** A folder that is held open: `path` reaches the folder itself, whatever becomes of its names. */
export interface HeldFolder {
  path: string;
  /** Device and inode, among others. */
  stats(): BigIntStats;
  /** It still stands at this path. */
  isAt(path: string): boolean;
  stop(): void;
}

export type HeldFolderResult = { ok: true; folder: HeldFolder } | FileFailure;

/** `path` is absolute and without links; where a link has come to be a part of it, nothing is opened. The caller closes. */
export function openReal(path: string, flags: number): OpenedFile {
  try {
    const descriptor = openSync(path, flags | constants.O_NOFOLLOW);
    if (isReally(descriptor, path)) return { ok: true, descriptor };
    closeSync(descriptor);
    return leadsElsewhere(path);
  } catch (error) {
    const isLink = errorCode(error) === "ELOOP";
    return isLink ? leadsElsewhere(path) : fileFailure(path, error, "opened");
  }
}

/** For what is done in a folder: nothing done below the held path can be led out of it by its first name. */
export function holdRealFolder(path: string): HeldFolderResult {
  const opened = openReal(path, FOLDER_FLAGS);
  if (opened.ok) return { ok: true, folder: heldFolder(opened.descriptor, path) };
  return opened.reason === "not-a-directory" ? leadsElsewhere(path) : opened;
}

/** A folder directly below one that is held, never what a link in its place leads to. */
export function holdFolderIn(folder: Pick<HeldFolder, "path">, name: string): HeldFolder {
  const path = `${folder.path}/${name}`;
  return heldFolder(openSync(path, FOLDER_FLAGS | constants.O_NOFOLLOW), path);
}

/**
 * Whether what is open stands at `path`, which is absolute and without links. Linux tells the path of what is open, which no later
 * swap can forge. Elsewhere the path is walked once more and has to end at what was opened.
 */
export function isReally(descriptor: number, path: string): boolean {
  const told = toldPath(descriptor);
  if (told !== undefined) return told === path;
  try {
    const opened = fstatSync(descriptor, { bigint: true });
    const found = lstatSync(path, { bigint: true });
    return realpathSync(path) === path && opened.ino === found.ino && opened.dev === found.dev;
  } catch {
    return false;
  }
}

/** What is said of every path that came to lead somewhere else. */
export function leadsElsewhere(path: string): FileFailure {
  return failure(
    "failed",
    `${path} leads somewhere else than when it was asked about, so nothing was done. Try again.`,
  );
}

/** Reaching through a folder needs no right to list it, which only Linux can say. */
const REACH_ONLY = process.platform === "linux" ? 0o10000000 : 0;
const FOLDER_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | REACH_ONLY;

function heldFolder(descriptor: number, path: string): HeldFolder {
  const isTold = toldPath(descriptor) !== undefined;
  return {
    path: isTold ? `/proc/self/fd/${descriptor}` : path,
    stats: () => fstatSync(descriptor, { bigint: true }),
    isAt: (place) => isReally(descriptor, place),
    stop: () => closeSync(descriptor),
  };
}

function toldPath(descriptor: number): string | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return undefined;
  }
}
