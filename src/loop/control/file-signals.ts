import { type FSWatcher, watch } from "node:fs";
import { rename, unlink } from "node:fs/promises";
import { join } from "node:path";
import { asObject } from "../../protocol/json.ts";
import { fileFailure } from "../../system/file-failure.ts";
import { ensureDirectory, writeFileAtomic } from "../../system/files.ts";
import { readTextFile } from "../../system/text-file.ts";

// The way to stop a loop without its socket: a small file that the loop takes away when it has read it.

export const FILE_SIGNALS = ["stop", "checkpoint"] as const;
export type FileSignal = (typeof FILE_SIGNALS)[number];

export interface WatchSignalsOptions {
  directory: string;
  /** Of the task. */
  name: string;
  onSignal(signal: FileSignal): void;
}

export type WatchSignalsResult = { ok: true; stop(): void } | { ok: false; message: string };

const MAX_BYTES = 4096;

/** Calls back once for every signal that is written from now on. One that is there already was meant for a run before. */
export async function watchFileSignals(options: WatchSignalsOptions): Promise<WatchSignalsResult> {
  const { directory, name, onSignal } = options;
  const made = await ensureDirectory(directory, 0o700);
  if (!made.ok) return made;
  const file = signalFile(directory, name);
  await unlink(file).catch(() => undefined);
  const watcher = startWatch(directory, (changed) => {
    if (changed === null || changed === `${name}.signal`) void takeSignal(file).then(report);
  });
  if ("ok" in watcher) return watcher;
  let isStopped = false;
  const report = (signal: FileSignal | undefined) => {
    if (signal !== undefined && !isStopped) onSignal(signal);
  };
  return {
    ok: true,
    stop() {
      isStopped = true;
      watcher.close();
    },
  };
}

export async function writeFileSignal(
  { directory, name, now }: { directory: string; name: string; now: number },
  type: FileSignal,
): Promise<{ ok: true } | { ok: false; message: string }> {
  const made = await ensureDirectory(directory, 0o700);
  if (!made.ok) return made;
  const text = JSON.stringify({ type, timestamp: new Date(now).toISOString() });
  return writeFileAtomic(signalFile(directory, name), text, { mode: 0o600 });
}

function signalFile(directory: string, name: string): string {
  return join(directory, `${name}.signal`);
}

function startWatch(
  directory: string,
  onChange: (name: string | null) => void,
): FSWatcher | { ok: false; message: string } {
  try {
    const watcher = watch(directory, { persistent: false }, (_, name) => onChange(name));
    // A folder that is taken away is no reason to end the loop.
    watcher.on("error", () => undefined);
    return watcher;
  } catch (error) {
    return fileFailure(directory, error, "watched");
  }
}

/** A file that is not whole yet stays until the change that makes it so. Whoever moves it away is the one who has it. */
async function takeSignal(file: string): Promise<FileSignal | undefined> {
  if (readSignal(file) === undefined) return undefined;
  const taken = `${file}.${crypto.randomUUID()}.taken`;
  try {
    await rename(file, taken);
    const signal = readSignal(taken);
    await unlink(taken);
    return signal;
  } catch {
    return undefined;
  }
}

function readSignal(file: string): FileSignal | undefined {
  const read = readTextFile(file, { maxBytes: MAX_BYTES });
  if (!read.ok) return undefined;
  try {
    const type = asObject(JSON.parse(read.text))?.type;
    return FILE_SIGNALS.find((signal) => signal === type);
  } catch {
    return undefined;
  }
}
