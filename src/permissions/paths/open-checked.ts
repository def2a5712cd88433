import { constants, lstatSync } from "node:fs";
import { type FileHandle, mkdir, open } from "node:fs/promises";
import { errorCode, type FileFailure, failure, fileFailure } from "../../system/file-failure.ts";
import { isSamePlace, type Place, placeOf, type SafeResolution } from "./resolve-safely.ts";

// What was resolved for the ask is what is opened. Between the two anybody may swap a folder for a link; every opened file and
// folder is therefore compared with what stood there when the ask was made.

export type CheckedOpen = { ok: true; handle: FileHandle } | FileFailure;

/**
 * Opens what the resolution found, for reading or writing (nothing is cut off), or makes the file it found missing. Fails where
 * the path has come to lead elsewhere. The caller closes the handle.
 */
export async function openChecked(
  resolution: SafeResolution,
  purpose: "read" | "write" | "create",
): Promise<CheckedOpen> {
  if (purpose === "create") return createChecked(resolution);
  const { path, kind } = resolution;
  if (kind === "missing") return failure("missing", `${path} does not exist.`);
  if (!isUnmoved(resolution)) return moved(path);
  const access = purpose === "read" ? constants.O_RDONLY : constants.O_WRONLY;
  const opened = await openSame(path, access | constants.O_NONBLOCK, resolution.chain.at(-1));
  if (!opened.ok || isUnmoved(resolution)) return opened;
  await opened.handle.close();
  return moved(path);
}

/** A folder that is held open: `path` reaches the folder itself, whatever becomes of its names. */
export interface HeldFolder {
  path: string;
  stop(): Promise<void>;
}

export type HoldResult = { ok: true; folder: HeldFolder } | FileFailure;

/**
 * Holds the folder the resolved path stands in, so that a file can be laid ready there and renamed in place. Folders that were
 * missing are made. Where the system cannot name an open folder, `path` is its usual path, checked once.
 */
export async function holdFolder(resolution: SafeResolution): Promise<HoldResult> {
  const { names, chain, path } = resolution;
  if (names.length === 0) return failure("not-a-file", "/ is in no folder.");
  if (!isUnmoved(resolution)) return moved(path);
  const existing = Math.min(chain.length - 1, names.length - 1);
  const start = textOf(names.slice(0, existing));
  const opened = await openSame(start, FOLDER_FLAGS, chain[existing]);
  if (!opened.ok) return opened;
  let held = { handle: opened.handle, path: reachable(opened.handle, start, chain[existing]) };
  for (const name of names.slice(existing, -1)) {
    const next = await openMade(`${held.path}/${name}`);
    await held.handle.close();
    if (!next.ok) return { ...next, message: next.message.replace(`${held.path}/${name}`, path) };
    held = next;
  }
  return { ok: true, folder: { path: held.path, stop: () => held.handle.close() } };
}

/** Every folder on the way, and the last name itself, are what they were. */
export function isUnmoved({ names, chain }: SafeResolution): boolean {
  return chain.every((place, depth) => {
    const now = placeAt(textOf(names.slice(0, depth)));
    return isSamePlace(now, place) && now?.kind === place.kind;
  });
}

const FOLDER_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY;

async function createChecked(resolution: SafeResolution): Promise<CheckedOpen> {
  const { path, names, kind } = resolution;
  if (kind !== "missing") return failure("exists", `${path} already exists.`);
  const held = await holdFolder(resolution);
  if (!held.ok) return held;
  try {
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    const handle = await open(`${held.folder.path}/${names.at(-1)}`, flags, 0o666);
    // Nothing is written before this: where a folder could not be held, an empty file is all that can end up elsewhere.
    const isHere = isSamePlace(placeOf(await handle.stat({ bigint: true })), placeAt(path)) && isUnmoved(resolution);
    if (isHere) return { ok: true, handle };
    await handle.close();
    return moved(path);
  } catch (error) {
    return fileFailure(path, error, "created");
  } finally {
    await held.folder.stop();
  }
}

async function openSame(path: string, flags: number, expected: Place | undefined): Promise<CheckedOpen> {
  try {
    const handle = await open(path, flags | constants.O_NOFOLLOW);
    if (isSamePlace(placeOf(await handle.stat({ bigint: true })), expected)) return { ok: true, handle };
    await handle.close();
    return moved(path);
  } catch (error) {
    return errorCode(error) === "ELOOP" ? moved(path) : fileFailure(path, error, "opened");
  }
}

async function openMade(path: string): Promise<{ ok: true; handle: FileHandle; path: string } | FileFailure> {
  try {
    await mkdir(path).catch((error) => {
      if (errorCode(error) !== "EEXIST") throw error;
    });
    const handle = await open(path, FOLDER_FLAGS | constants.O_NOFOLLOW);
    const place = placeOf(await handle.stat({ bigint: true }));
    return { ok: true, handle, path: reachable(handle, path, place) };
  } catch (error) {
    return fileFailure(path, error, "created");
  }
}

/** Linux names open folders; what is opened below that name cannot be led astray. */
function reachable(handle: FileHandle, path: string, expected: Place | undefined): string {
  const held = `/proc/self/fd/${handle.fd}`;
  return isSamePlace(placeAt(`${held}/.`), expected) ? held : path;
}

function placeAt(path: string): Place | undefined {
  try {
    return placeOf(lstatSync(path, { bigint: true }));
  } catch {
    return undefined;
  }
}

function textOf(names: readonly string[]): string {
  return `/${names.join("/")}`;
}

function moved(path: string): FileFailure {
  return failure(
    "failed",
    `${path} leads somewhere else than when it was asked about, so nothing was done. Try again.`,
  );
}
