import { constants, type Stats } from "node:fs";
import { type FileHandle, mkdir, open, rename, stat, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";

export type FileFailureReason =
  | "missing"
  | "denied"
  | "not-a-file"
  | "not-a-directory"
  | "not-text"
  | "too-large"
  | "exists"
  | "no-space"
  | "failed";

/** `message` is one line for a person and names the path. */
export interface FileFailure {
  ok: false;
  reason: FileFailureReason;
  message: string;
}

export type WriteFileResult = { ok: true } | FileFailure;
export type ReadTextResult = { ok: true; text: string } | FileFailure;

/**
 * The file holds either its old or its new content, at every moment and after a power cut. `mode` is given to the file
 * exactly; without it an existing file keeps its own. A symbolic link at `path` is replaced, never written through: who
 * wants to write to its target resolves it first.
 */
export async function writeFileAtomic(
  path: string,
  data: string | Uint8Array,
  options: { mode?: number } = {},
): Promise<WriteFileResult> {
  try {
    const existing = await statOrUndefined(path);
    if (existing !== undefined && !existing.isFile()) return notAFile(path, existing);
    const temporary = await writeTemporary(path, data, { mode: options.mode, existing });
    try {
      await rename(temporary, path);
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

/**
 * The whole file as text, byte for byte (a byte order mark stays). Pipes, devices, sockets, directories and files above
 * `maxBytes` are refused without reading them.
 */
export async function readTextFile(path: string, { maxBytes }: { maxBytes: number }): Promise<ReadTextResult> {
  let handle: FileHandle | undefined;
  try {
    const before = await stat(path);
    if (!before.isFile()) return notAFile(path, before);
    if (before.size > maxBytes) return tooLarge(path, maxBytes);
    // A pipe put in its place since then is opened without waiting for a writer, and refused.
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const opened = await handle.stat();
    if (!opened.isFile()) return notAFile(path, opened);
    const bytes = await readUpTo(handle, maxBytes + 1, opened.size);
    if (bytes.length > maxBytes) return tooLarge(path, maxBytes);
    return decode(path, bytes);
  } catch (error) {
    return fileFailure(path, error, "read");
  } finally {
    await handle?.close();
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

/** What a failed call to the operating system means, as a value. `done` is what should have happened: "read", "written". */
export function fileFailure(path: string, error: unknown, done: string): FileFailure {
  const code = errorCode(error);
  const known = code === undefined ? undefined : MEANINGS[code];
  if (known !== undefined) return failure(known.reason, `${path} could not be ${done}: ${known.text}.`);
  const detail = error instanceof Error ? error.message : String(error);
  return failure("failed", `${path} could not be ${done}: ${detail}`);
}

export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

const MEANINGS: Record<string, { reason: FileFailureReason; text: string }> = {
  ENOENT: { reason: "missing", text: "it does not exist" },
  EACCES: { reason: "denied", text: "permission denied" },
  EPERM: { reason: "denied", text: "the system does not permit it" },
  EROFS: { reason: "denied", text: "the file system is read-only" },
  EISDIR: { reason: "not-a-file", text: "it is a directory" },
  ENOTDIR: { reason: "not-a-directory", text: "a part of the path is not a directory" },
  ELOOP: { reason: "failed", text: "its symbolic links form a loop" },
  ENAMETOOLONG: { reason: "failed", text: "the name is too long" },
  EEXIST: { reason: "exists", text: "it already exists" },
  ENOSPC: { reason: "no-space", text: "the disk is full" },
  EDQUOT: { reason: "no-space", text: "the disk quota is used up" },
};

interface TemporaryOptions {
  mode: number | undefined;
  existing: Stats | undefined;
}

async function writeTemporary(
  path: string,
  data: string | Uint8Array,
  { mode, existing }: TemporaryOptions,
): Promise<string> {
  const temporary = join(dirname(path), `.ralph-${crypto.randomUUID()}.tmp`);
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

/** Files of /proc say they are empty and are not, so the end is where reading ends. */
async function readUpTo(handle: FileHandle, limit: number, expected: number): Promise<Uint8Array> {
  let buffer = Buffer.allocUnsafe(Math.min(limit, expected + 1024));
  let length = 0;
  while (length < limit) {
    if (length === buffer.length) buffer = Buffer.concat([buffer], Math.min(limit, buffer.length * 2));
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, null);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}

function decode(path: string, bytes: Uint8Array): ReadTextResult {
  if (bytes.includes(0)) return failure("not-text", `${path} is not a text file: it contains zero bytes.`);
  try {
    return { ok: true, text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return failure("not-text", `${path} is not a text file: it is not valid UTF-8.`);
  }
}

function notAFile(path: string, stats: Stats): FileFailure {
  return failure("not-a-file", `${path} is ${kindOf(stats)}, not a regular file.`);
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return "a directory";
  if (stats.isFIFO()) return "a named pipe";
  if (stats.isSocket()) return "a socket";
  return "a device";
}

function tooLarge(path: string, maxBytes: number): FileFailure {
  return failure("too-large", `${path} is larger than the limit of ${maxBytes} bytes.`);
}

function failure(reason: FileFailureReason, message: string): FileFailure {
  return { ok: false, reason, message };
}
