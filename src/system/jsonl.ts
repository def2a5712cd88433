import { constants, fstatSync, ftruncateSync, writeSync } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { errorCode, type FileFailure, fileFailure } from "./file-failure.ts";
import { syncDirectory } from "./files.ts";

export type AppendResult = { ok: true } | FileFailure;

/**
 * `soon` lets a line wait a moment for others that share its flush. Order is kept: whatever is flushed at once takes along what
 * was appended before it.
 */
export type FlushTime = "now" | "soon";
const SOON_MS = 5;

export interface JsonlFile {
  /**
   * Writes the value as one line at once, so that a kill cannot take it, and resolves when it would survive a power cut. Appends
   * that wait for the disk are flushed together. What a full disk let through of a line is taken back, so that it does not fill
   * the disk; where that cannot be done, a failed append may have reached the file.
   */
  append(value: unknown, when?: FlushTime): Promise<AppendResult>;
  /** Waits for what was appended. */
  close(): Promise<void>;
}

export type OpenJsonlResult = { ok: true; file: JsonlFile } | FileFailure;

/**
 * Opens the file for appending and makes it where it is missing, readable by the user only. A last line without an end, as a
 * crash leaves it, is ended, so that the next line begins on its own; nothing is taken away.
 */
export async function openJsonl(path: string): Promise<OpenJsonlResult> {
  let handle: FileHandle | undefined;
  try {
    const isNew = await isMissing(path);
    // Without blocking: a pipe of this name is refused below instead of waiting for its reader.
    const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;
    handle = await open(path, flags, 0o600);
    const stats = await handle.stat();
    if (!stats.isFile()) {
      await handle.close();
      return { ok: false, reason: "not-a-file", message: `${path} is not a regular file.` };
    }
    if (isNew) await syncDirectory(dirname(path));
    const torn = await endsInsideLine(handle, stats.size);
    return { ok: true, file: appender({ path, handle, size: stats.size }, torn) };
  } catch (error) {
    await handle?.close();
    return fileFailure(path, error, "opened");
  }
}

interface OpenFile {
  path: string;
  handle: FileHandle;
  size: number;
}

/** `torn`: the file ends inside a line, so that the next write has to end it first. */
function appender({ path, handle, size }: OpenFile, torn: boolean): JsonlFile {
  const flushes = sharedFlushes(() => flush(path, handle));
  let closed = false;

  // At once: what is in the system's memory survives a kill, and only the flush takes time.
  const write = (line: string): AppendResult => {
    const bytes = Buffer.from((torn ? "\n" : "") + line);
    const { written, error } = writeAsFarAsPossible(handle.fd, bytes);
    if (error === undefined) {
      size += bytes.length;
      torn = false;
      return { ok: true };
    }
    torn ||= !isTakenBack(handle.fd, size, written);
    return fileFailure(path, error, "appended to");
  };

  return {
    append(value, when = "now") {
      const json = JSON.stringify(value);
      if (json === undefined) throw new TypeError(`Only JSON values can be appended to ${path}.`);
      if (closed) return Promise.resolve({ ok: false, reason: "failed", message: `${path} is closed.` });
      const written = write(`${json}\n`);
      return written.ok ? flushes.next(when) : Promise.resolve(written);
    },
    async close() {
      if (closed) return;
      closed = true;
      await flushes.finish();
      await handle.close();
    },
  };
}

/** One flush at a time, for everybody who asked before it began. */
function sharedFlushes(flushOnce: () => Promise<AppendResult>) {
  let waiting: ((result: AppendResult) => void)[] = [];
  let flushing: Promise<void> | undefined;
  let isUrgent = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const flushAll = async () => {
    while (isUrgent && waiting.length > 0) {
      const served = waiting;
      waiting = [];
      isUrgent = false;
      clearTimeout(timer);
      timer = undefined;
      const result = await flushOnce();
      for (const resolve of served) resolve(result);
    }
    flushing = undefined;
    if (waiting.length > 0) flushSoon();
  };
  const flushNow = () => {
    isUrgent = true;
    flushing ??= Promise.resolve().then(flushAll);
  };
  const flushSoon = () => {
    if (flushing === undefined) timer ??= setTimeout(flushNow, SOON_MS);
  };

  return {
    next: (when: FlushTime) =>
      new Promise<AppendResult>((resolve) => {
        waiting.push(resolve);
        if (when === "now") flushNow();
        else flushSoon();
      }),
    async finish() {
      if (waiting.length > 0) flushNow();
      await flushing;
    },
  };
}

async function flush(path: string, handle: FileHandle): Promise<AppendResult> {
  try {
    await handle.datasync();
    return { ok: true };
  } catch (error) {
    return fileFailure(path, error, "appended to");
  }
}

function writeAsFarAsPossible(descriptor: number, bytes: Uint8Array): { written: number; error?: unknown } {
  let written = 0;
  try {
    while (written < bytes.length) written += writeSync(descriptor, bytes, written, bytes.length - written);
    return { written };
  } catch (error) {
    return { written, error };
  }
}

/** Only what is known to be ours is cut off. */
function isTakenBack(descriptor: number, size: number, written: number): boolean {
  if (written === 0) return true;
  try {
    if (fstatSync(descriptor).size !== size + written) return false;
    ftruncateSync(descriptor, size);
    return true;
  } catch {
    return false;
  }
}

async function endsInsideLine(handle: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return false;
  const last = Buffer.alloc(1);
  await handle.read(last, 0, 1, size - 1);
  return last[0] !== 0x0a;
}

async function isMissing(path: string): Promise<boolean> {
  try {
    await stat(path);
    return false;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return true;
    throw error;
  }
}
