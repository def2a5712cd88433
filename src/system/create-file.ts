import { link, open, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorCode, type FileFailure, fileFailure } from "./file-failure.ts";
import { syncDirectory } from "./files.ts";
import { temporaryName } from "./temporary-names.ts";

export type CreateFileResult = { ok: true; isNew: boolean } | FileFailure;

/**
 * Makes a file where there is none, whole or not at all. Whatever stands there already, also a broken link, stays as it is.
 * `mode` is as for `open`.
 */
export async function createFile(path: string, data: string, mode = 0o666): Promise<CreateFileResult> {
  const temporary = join(dirname(path), temporaryName());
  try {
    await writeFlushed(temporary, data, mode);
    await link(temporary, path).finally(() => unlink(temporary).catch(() => undefined));
    await syncDirectory(dirname(path));
    return { ok: true, isNew: true };
  } catch (error) {
    const code = errorCode(error) ?? "";
    if (code === "EEXIST") return { ok: true, isNew: false };
    return NO_LINKS.includes(code) ? createInPlace(path, data, mode) : fileFailure(path, error, "created");
  }
}

/** What file systems without hard links say. */
const NO_LINKS = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"];

async function createInPlace(path: string, data: string, mode: number): Promise<CreateFileResult> {
  try {
    await writeFlushed(path, data, mode);
    return { ok: true, isNew: true };
  } catch (error) {
    if (errorCode(error) === "EEXIST") return { ok: true, isNew: false };
    return fileFailure(path, error, "created");
  }
}

async function writeFlushed(path: string, data: string, mode: number): Promise<void> {
  const handle = await open(path, "wx", mode);
  try {
    await handle.writeFile(data);
    await handle.sync();
  } catch (error) {
    await unlink(path).catch(() => undefined);
    throw error;
  } finally {
    await handle.close();
  }
}
