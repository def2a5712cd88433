import { type FSWatcher, readFileSync, rmSync, watch } from "node:fs";
import { basename, dirname } from "node:path";
import { asObject, asString } from "../../protocol/json.ts";
import { systemClock } from "../../system/clock.ts";

// Agents that stay open when they are done say so in a file: {"event": "idle", "timestamp": …, "session_id": …}.

export interface IdleSignal {
  session?: string;
}

const LARGEST_SIGNAL_BYTES = 64 * 1024;
/** Of changes that follow each other closely only the first is told, so there is a second look. */
const SETTLE_MS = 100;

/** Removes what an earlier agent left, then calls back once when the file says "idle". Returns its stop. */
export function watchSignalFile(path: string, onIdle: (signal: IdleSignal) => void): () => void {
  let watcher: FSWatcher | undefined;
  let stopTimer: (() => void) | undefined;
  let isOver = false;
  const stop = () => {
    isOver = true;
    stopTimer?.();
    watcher?.close();
  };
  const look = () => {
    const signal = isOver ? undefined : readSignal(path);
    if (signal === undefined) return;
    stop();
    onIdle(signal);
  };
  try {
    rmSync(path, { force: true });
    watcher = watch(dirname(path), (_, name) => {
      if (isOver || (name !== null && name !== basename(path))) return;
      stopTimer?.();
      stopTimer = systemClock.timer(SETTLE_MS, look);
      look();
    });
    watcher.on("error", stop);
  } catch {
    // Where nothing can be watched an agent is done when it ends.
  }
  return stop;
}

/** Undefined while it is not there or only half written. */
function readSignal(path: string): IdleSignal | undefined {
  try {
    const text = readFileSync(path, "utf8");
    if (text.length > LARGEST_SIGNAL_BYTES) return undefined;
    const value = asObject(JSON.parse(text));
    if (value?.event !== "idle") return undefined;
    const session = asString(value.session_id);
    return session === undefined ? {} : { session };
  } catch {
    return undefined;
  }
}
