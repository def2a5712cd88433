import { constants, renameSync, type Stats } from "node:fs";
import { type FileHandle, mkdir, open, rename, stat, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorCode, type FileFailure, failure, fileFailure, notAFile } from "./file-failure.ts";
import { temporaryName } from "./temporary-names.ts";

export type WriteFileResult = { ok: true } | FileFailure;

/**
 * The file holds either its old or its new content, at every moment and after a power cut. `mode` is given to the file
 * exactly; without it an existing file keeps its own. A symbolic link at `path` is replaced, never written through: who
 * wants to write to its target resolves it first. `mayReplace` is asked last, when all is flushed and only the rename is left;
 * after a no the file stays as it is and the reason is "changed".
 */
export async function writeFileAtomic(
  path: string,
  data: string | Uint8Array,
  options: { mode?: number; mayReplace?: () => boolean } = {},
): Promise<WriteFileResult> {
  try {
    const existing = await statOrUndefined(path);
    if (existing !== undefined && !existing.isFile()) return notAFile(path, existing);
    const temporary = await writeTemporary(path, data, { mode: options.mode, existing });
    try {
      if (options.mayReplace?.() === false) {
        await unlink(temporary);
        return failure("changed", `${path} was not written: it changed meanwhile.`);
      }
      // Nothing of this process comes between the question and the rename.
      if (options.mayReplace === undefined) await rename(temporary, path);
      else renameSync(temporary, path);
    } catch (error) {
      await unlink(temporary).catch(() => undefined);
      throw error;
    }
    await syncDirectory(dirname(path));
    return { ok: true };
  } catch (error) {
    return fileFailure(path, error, "written");
  }
}

/** Makes the directory and its parents where they are missing. One that is there keeps its mode. */
export async function ensureDirectory(path: string, mode: number): Promise<WriteFileResult> {
  try {
    await mkdir(path, { recursive: true, mode });
    return { ok: true };
  } catch (error) {
    if (errorCode(error) === "EEXIST") return failure("not-a-directory", `${path} is not a directory.`);
    return fileFailure(path, error, "created");
  }
}

/** Makes a new name in a directory survive a power cut. Some file systems cannot do this for directories; they need not. */
export async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY).catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

interface TemporaryOptions {
  mode: number | undefined;
  existing: Stats | undefined;
}

async function writeTemporary(
  path: string,
  data: string | Uint8Array,
  { mode, existing }: TemporaryOptions,
): Promise<string> {
  const temporary = join(dirname(path), temporaryName());
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const finalMode = mode ?? (existing === undefined ? undefined : existing.mode & 0o7777);
  const handle = await open(temporary, flags, finalMode === undefined ? 0o666 : 0o600);
  try {
    await handle.writeFile(data);
    if (existing !== undefined) await keepOwner(handle, existing);
    if (finalMode !== undefined) await handle.chmod(finalMode);
    await handle.sync();
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  } finally {
    await handle.close();
  }
  return temporary;
}

/** Only root may give a file away, and only root needs to. */
async function keepOwner(handle: FileHandle, existing: Stats): Promise<void> {
  const own = await handle.stat();
  if (own.uid === existing.uid && own.gid === existing.gid) return;
  await handle.chown(existing.uid, existing.gid).catch(() => undefined);
}

async function statOrUndefined(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
