import { closeSync, constants, fstatSync, lstatSync, mkdirSync } from "node:fs";
import { basename, dirname } from "node:path";
import { errorCode, type FileFailure, failure, fileFailure } from "../../system/file-failure.ts";
import {
  type HeldFolder,
  type HeldFolderResult,
  holdFolderIn,
  holdRealFolder,
  leadsElsewhere,
  type OpenedFile,
  openReal,
} from "../../system/open-real.ts";
import type { HeldPlace, PinnedPlace } from "../../system/pinned-place.ts";
import { isSamePlace, type Place, placeOf } from "./resolve-safely.ts";

/**
 * Keeps what stands at a path now, by device and inode: the file itself and the nearest folder that is there. Later they are
 * acted on only where both are the same and really stand at their paths, so a link that took the place of a part leads nowhere.
 * `path` is absolute, and no part of it save the last is a link.
 */
export function pinPlace(path: string): PinnedPlace {
  const pin: Pin = { path, ...nearestFolder(dirname(path)), entry: look(path) };
  return {
    isUnmoved: () => isEntry(pin.entry, look(path)),
    openFile: () => openFile(pin),
    hold: () => hold(pin),
  };
}

interface Pin {
  path: string;
  entry: Place | undefined;
  /** The folder it stands in, or the one below which folders have to be made for it. */
  folder: string;
  folderPlace: Place | undefined;
  /** The names of the folders that were missing. */
  missing: string[];
}

function nearestFolder(wanted: string): Pick<Pin, "folder" | "folderPlace" | "missing"> {
  const missing: string[] = [];
  let folder = wanted;
  let folderPlace = look(folder);
  while (folderPlace === undefined && folder !== "/") {
    missing.unshift(basename(folder));
    folder = dirname(folder);
    folderPlace = look(folder);
  }
  return { folder, folderPlace, missing };
}

function openFile({ path, entry }: Pin): OpenedFile {
  if (entry === undefined) return failure("missing", `${path} does not exist.`);
  // Whoever waits in a pipe for a writer may wait for ever.
  const opened = openReal(path, constants.O_RDONLY | constants.O_NONBLOCK);
  if (!opened.ok || isSamePlace(placeOf(fstatSync(opened.descriptor, { bigint: true })), entry)) return opened;
  closeSync(opened.descriptor);
  return leadsElsewhere(path);
}

function hold(pin: Pin): { ok: true; place: HeldPlace } | FileFailure {
  const { path, entry } = pin;
  if (path === "/") return failure("not-a-file", "/ is in no folder.");
  const held = holdFolder(pin);
  if (!held.ok) return held;
  const { folder } = held;
  const at = `${folder.path}/${basename(path)}`;
  const isUnmoved = () => folder.isAt(dirname(path)) && isEntry(entry, look(at));
  const problem = () => (isUnmoved() ? undefined : leadsElsewhere(path));
  return { ok: true, place: { folder: folder.path, at, problem, stop: folder.stop } };
}

/** What was missing is made one by one, each inside the last. */
function holdFolder({ path, folder, folderPlace, missing }: Pin): HeldFolderResult {
  const opened = holdRealFolder(folder);
  if (!opened.ok) return opened.reason === "denied" ? opened : leadsElsewhere(path);
  let held = opened.folder;
  try {
    if (!isSamePlace(placeOf(held.stats()), folderPlace)) throw new Error("another folder");
    for (const name of missing) held = madeIn(held, name);
    return { ok: true, folder: held };
  } catch (error) {
    held.stop();
    const code = errorCode(error);
    const isSwapped = code === undefined || code === "ELOOP" || code === "ENOTDIR";
    return isSwapped ? leadsElsewhere(path) : fileFailure(path, error, "created");
  }
}

function madeIn(folder: HeldFolder, name: string): HeldFolder {
  try {
    mkdirSync(`${folder.path}/${name}`);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
  const made = holdFolderIn(folder, name);
  folder.stop();
  return made;
}

function isEntry(then: Place | undefined, now: Place | undefined): boolean {
  if (then === undefined || now === undefined) return then === now;
  return isSamePlace(then, now) && then.kind === now.kind;
}

function look(path: string): Place | undefined {
  try {
    return placeOf(lstatSync(path, { bigint: true }));
  } catch {
    return undefined;
  }
}
