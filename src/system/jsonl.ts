import { constants } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { errorCode, type FileFailure, fileFailure } from "./file-failure.ts";
import { syncDirectory } from "./files.ts";

export type AppendResult = { ok: true } | FileFailure;

export interface JsonlFile {
  /**
   * Writes the value as one line and resolves when it would survive a power cut. Appends that wait for the disk are written
   * and flushed together, in order. A failed append may still have reached the file.
   */
  append(value: unknown): Promise<AppendResult>;
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
    return { ok: true, file: appender(path, handle, torn) };
  } catch (error) {
    await handle?.close();
    return fileFailure(path, error, "opened");
  }
}

interface Waiting {
  line: string;
  resolve: (result: AppendResult) => void;
}

/** `torn`: the file ends inside a line, so that the next write has to end it first. */
function appender(path: string, handle: FileHandle, torn: boolean): JsonlFile {
  let waiting: Waiting[] = [];
  let writing: Promise<void> | undefined;
  let closed = false;

  const writeAll = async () => {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      const result = await writeBatch(batch);
      for (const { resolve } of batch) resolve(result);
    }
    writing = undefined;
  };
  const writeBatch = async (batch: Waiting[]): Promise<AppendResult> => {
    const text = (torn ? "\n" : "") + batch.map(({ line }) => line).join("");
    torn = true;
    try {
      await writeWhole(handle, Buffer.from(text));
      torn = false;
      await handle.datasync();
      return { ok: true };
    } catch (error) {
      return fileFailure(path, error, "appended to");
    }
  };

  return {
    append(value) {
      const json = JSON.stringify(value);
      if (json === undefined) throw new TypeError(`Only JSON values can be appended to ${path}.`);
      if (closed) return Promise.resolve({ ok: false, reason: "failed", message: `${path} is closed.` });
      return new Promise((resolve) => {
        waiting.push({ line: `${json}\n`, resolve });
        writing ??= Promise.resolve().then(writeAll);
      });
    },
    async close() {
      if (closed) return;
      closed = true;
      await writing;
      await handle.close();
    },
  };
}

async function writeWhole(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done);
    done += bytesWritten;
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
