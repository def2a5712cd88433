import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readdir, readlink, rmdir, symlink, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type FileFailure, failure, fileFailure, notAFile } from "../system/file-failure.ts";
import { holdFolderIn, holdRealFolder, leadsElsewhere } from "../system/open-real.ts";
import type { HeldPlace } from "../system/pinned-place.ts";
import type { PinnedFile } from "./file-content.ts";
import { isWithin, type ResolvedPath } from "./resolve-path.ts";
import type { ToolWorld } from "./tool-world.ts";
import { type WalkEntry, walkDirectory } from "./walk-directory.ts";

// A file, or a directory with all that is in it, as one thing to copy, move or remove. Links are carried as links.

export const MAXIMUM_TREE_ENTRIES = 10_000;
const COPY_BLOCK = 1 << 20;

export interface FileTree {
  ok: true;
  path: string;
  kind: "file" | "directory" | "link";
  /** What is below, parents first; empty for a file. */
  entries: WalkEntry[];
}

/** Looks at everything before anything is done: what cannot be carried whole is refused whole. */
export async function readTree({ path, kind }: ResolvedPath, signal: AbortSignal): Promise<FileTree | FileFailure> {
  try {
    const stats = await lstat(path);
    if (kindOf(stats) !== kind) return kindOf(stats) === undefined ? notAFile(path, stats) : leadsElsewhere(path);
    if (kind === "link" || kind === "file") return { ok: true, path, kind, entries: [] };
  } catch (error) {
    return fileFailure(path, error, "looked at");
  }
  const walked = await walkDirectory(path, { limit: MAXIMUM_TREE_ENTRIES, signal });
  if (!walked.ok) return walked;
  if (signal.aborted) return failure("failed", "Stopped before anything was changed.");
  if (!walked.isComplete)
    return failure(
      "too-large",
      `${path} holds more than the limit of ${MAXIMUM_TREE_ENTRIES} entries. Take its parts one by one, or ask for a shell command.`,
    );
  const unreadable = walked.unreadable[0];
  if (unreadable !== undefined)
    return failure("denied", `${join(path, unreadable)} could not be read, so nothing was done.`);
  return { ok: true, path, kind: "directory", entries: walked.entries };
}

function kindOf(stats: Stats): FileTree["kind"] | undefined {
  if (stats.isSymbolicLink()) return "link";
  if (stats.isFile()) return "file";
  return stats.isDirectory() ? "directory" : undefined;
}

/** Why a directory must stay where it is; undefined when it may go. */
export function whyItStays(world: ToolWorld, path: string): string | undefined {
  if (isWithin(path, world.root)) return `${path} holds the workspace, so it can neither be moved nor removed.`;
  const home = world.environment.HOME;
  if (home !== undefined && isWithin(path, home))
    return `${path} holds the home directory, so it can neither be moved nor removed.`;
  return undefined;
}

/**
 * Why the tree is not taken to another place as a whole; undefined when it may be. What nobody may read must not come to stand
 * under a name that is not protected, nor must a harmless file get a name that others obey.
 */
export function whyItIsNotTaken(
  world: ToolWorld,
  tree: FileTree,
  { source, destination }: { source: ResolvedPath; destination: ResolvedPath },
): string | undefined {
  const files = tree.entries.filter(({ kind }) => kind !== "directory");
  const secret = files.find(({ kind, path }) => kind === "file" && world.mayRead?.(path) === false);
  if (secret !== undefined)
    return `${source.shown} holds ${secret.relative}, which is protected, so it is not taken as a whole. Nothing was done. Take the parts you need one by one.`;
  const mayMake = (path: string) => world.mayWrite?.(path) !== false;
  const obeyed = files.find(({ path, relative }) => mayMake(path) && !mayMake(join(destination.path, relative)));
  return obeyed === undefined
    ? undefined
    : `${obeyed.relative} would be protected in ${destination.shown}, where nobody may make it. Nothing was done. Choose another destination.`;
}

/** Tells the world of everything in the tree, as it would be at `destination`, folders first. */
export async function announceTree(
  world: ToolWorld,
  tree: FileTree,
  destination: string,
): Promise<FileFailure | undefined> {
  return world.beforeChange(destination, ...tree.entries.map((entry) => join(destination, entry.relative)));
}

/** Nothing must stand at the destination. What was begun is taken away again when something fails. */
export async function copyTree(tree: FileTree, destination: PinnedFile, signal: AbortSignal): Promise<Done> {
  const special = tree.entries.find(({ kind }) => kind === "special");
  if (special !== undefined)
    return failure(
      "not-a-file",
      `${special.path} is a pipe, a socket or a device and cannot be copied. Nothing was done.`,
    );
  return inHeldPlace(destination, (held) => copyInto(tree, { path: destination.path, held }, signal));
}

/** Links are removed, never what they lead to. */
export async function removeTree({ kind }: FileTree, place: PinnedFile): Promise<Done> {
  return inHeldPlace(place, async (held) => {
    try {
      if (kind === "directory") await removeFolder(held);
      else await unlink(held.at);
      return { ok: true };
    } catch (error) {
      return fileFailure(place.path, error, "removed");
    }
  });
}

export type Done = { ok: true } | FileFailure;

/** Does something to the very place that was asked about, or nothing. */
export async function inHeldPlace(
  { pin, path }: PinnedFile,
  act: (held: HeldPlace) => Promise<Done> | Done,
): Promise<Done> {
  const held = pin.hold();
  if (!held.ok) return held;
  try {
    const done = held.place.problem() ?? (await act(held.place));
    return done.ok ? done : { ...done, message: done.message.replaceAll(held.place.folder, dirname(path)) };
  } finally {
    held.place.stop();
  }
}

interface Target {
  path: string;
  held: HeldPlace;
}

async function copyInto(tree: FileTree, { path, held }: Target, signal: AbortSignal): Promise<Done> {
  const all = [{ path: tree.path, kind: tree.kind, relative: "" }, ...tree.entries];
  for (const [index, entry] of all.entries()) {
    const target = index === 0 ? held.at : undefined;
    const copied = await copyEntry(entry, { path: join(path, entry.relative), at: target }, signal);
    if (copied.ok) continue;
    if (index > 0) await removeFolder(held).catch(() => undefined);
    return copied;
  }
  return { ok: true };
}

/** Each name is read and made in a folder that really is where it should be, at that moment. */
async function copyEntry(
  { path, kind }: Pick<WalkEntry, "path" | "kind">,
  target: { path: string; at: string | undefined },
  signal: AbortSignal,
): Promise<Done> {
  const source = holdRealFolder(dirname(path));
  if (!source.ok) return source;
  const folder = target.at === undefined ? holdRealFolder(dirname(target.path)) : undefined;
  try {
    if (folder?.ok === false) return folder;
    const to = target.at ?? `${folder?.folder.path}/${basename(target.path)}`;
    const from = `${source.folder.path}/${basename(path)}`;
    if (kind === "link") await symlink(await readlink(from), to);
    else if (kind === "file") await copyFileTo(from, to, signal);
    else await mkdir(to, { mode: (await lstat(from)).mode & 0o7777 });
    return { ok: true };
  } catch (error) {
    return fileFailure(path, error, "copied");
  } finally {
    source.folder.stop();
    if (folder?.ok) folder.folder.stop();
  }
}

/** Folder by folder, each held while it is emptied, so that a link put in the place of one is removed and not entered. */
async function removeFolder({ folder, at }: Pick<HeldPlace, "folder" | "at">): Promise<void> {
  const own = holdFolderIn({ path: folder }, basename(at));
  try {
    for (const entry of await readdir(own.path, { withFileTypes: true })) {
      const below = `${own.path}/${entry.name}`;
      if (entry.isDirectory()) await removeFolder({ folder: own.path, at: below });
      else await unlink(below);
    }
  } finally {
    own.stop();
  }
  await rmdir(at);
}

/** The source is opened without following a link or waiting for a pipe that took its place. */
async function copyFileTo(path: string, destination: string, signal: AbortSignal): Promise<void> {
  const source = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await source.stat();
    if (!stats.isFile()) throw new Error("it is no longer a regular file");
    const target = await open(
      destination,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
      stats.mode & 0o7777,
    );
    try {
      await copyBlocks({ source, target, stats }, signal);
    } catch (error) {
      await unlink(destination).catch(() => undefined);
      throw error;
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

interface OpenCopy {
  source: FileHandle;
  target: FileHandle;
  stats: Stats;
}

async function copyBlocks({ source, target, stats }: OpenCopy, signal: AbortSignal): Promise<void> {
  const block = Buffer.allocUnsafe(COPY_BLOCK);
  for (let { bytesRead } = await source.read(block); bytesRead > 0; { bytesRead } = await source.read(block)) {
    signal.throwIfAborted();
    await target.writeFile(block.subarray(0, bytesRead));
  }
  await target.chmod(stats.mode & 0o7777);
  await target.utimes(stats.atime, stats.mtime);
  await target.sync();
}
