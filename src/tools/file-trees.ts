import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readlink, rm, symlink, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type FileFailure, failure, fileFailure, notAFile } from "../system/file-failure.ts";
import { ensureDirectory } from "../system/files.ts";
import { isWithin } from "./resolve-path.ts";
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
export async function readTree(path: string, signal: AbortSignal): Promise<FileTree | FileFailure> {
  try {
    const stats = await lstat(path);
    if (stats.isSymbolicLink()) return { ok: true, path, kind: "link", entries: [] };
    if (stats.isFile()) return { ok: true, path, kind: "file", entries: [] };
    if (!stats.isDirectory()) return notAFile(path, stats);
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

/** Why a directory must stay where it is; undefined when it may go. */
export function whyItStays(world: ToolWorld, path: string): string | undefined {
  if (isWithin(path, world.root)) return `${path} holds the workspace, so it can neither be moved nor removed.`;
  const home = world.environment.HOME;
  if (home !== undefined && isWithin(path, home))
    return `${path} holds the home directory, so it can neither be moved nor removed.`;
  return undefined;
}

/** Tells the world of everything in the tree, as it would be at `destination`, folders first. */
export async function announceTree(
  world: ToolWorld,
  tree: FileTree,
  destination: string,
): Promise<FileFailure | undefined> {
  return world.beforeChange(destination, ...tree.entries.map((entry) => join(destination, entry.relative)));
}

/** Nothing must stand at `destination`. What was begun is taken away again when something fails. */
export async function copyTree(
  tree: FileTree,
  destination: string,
  signal: AbortSignal,
): Promise<{ ok: true } | FileFailure> {
  const special = tree.entries.find(({ kind }) => kind === "special");
  if (special !== undefined)
    return failure(
      "not-a-file",
      `${special.path} is a pipe, a socket or a device and cannot be copied. Nothing was done.`,
    );
  const made = await ensureDirectory(dirname(destination), 0o777);
  if (!made.ok) return made;
  try {
    await copyEntry({ path: tree.path, kind: tree.kind }, destination, signal);
  } catch (error) {
    return fileFailure(destination, error, "written");
  }
  for (const entry of tree.entries) {
    try {
      await copyEntry(entry, join(destination, entry.relative), signal);
    } catch (error) {
      await rm(destination, { recursive: true, force: true }).catch(() => undefined);
      return fileFailure(entry.path, error, "copied");
    }
  }
  return { ok: true };
}

/** Links are removed, never what they lead to. */
export async function removeTree(tree: FileTree): Promise<{ ok: true } | FileFailure> {
  try {
    if (tree.kind === "directory") await rm(tree.path, { recursive: true });
    else await unlink(tree.path);
    return { ok: true };
  } catch (error) {
    return fileFailure(tree.path, error, "removed");
  }
}

async function copyEntry(
  { path, kind }: Pick<WalkEntry, "path" | "kind">,
  destination: string,
  signal: AbortSignal,
): Promise<void> {
  if (kind === "link") return symlink(await readlink(path), destination);
  if (kind === "file") return copyFileTo(path, destination, signal);
  await mkdir(destination, { mode: (await lstat(path)).mode & 0o7777 });
}

/** The source is opened without following a link or waiting for a pipe that took its place. */
async function copyFileTo(path: string, destination: string, signal: AbortSignal): Promise<void> {
  const source = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await source.stat();
    if (!stats.isFile()) throw new Error("it is no longer a regular file");
    const target = await open(
      destination,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL,
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
