import { dirname } from "node:path";
import { systemClock } from "../system/clock.ts";
import { ignoreFileKind } from "./ignore-file.ts";
import { walkFiles } from "./walk-files.ts";

// ripgrep opens every .gitignore it meets: at a pipe it waits for ever, a device or a huge file fills its memory.

/** Whether the folder or one above it has a .gitignore that ripgrep must not meet. */
export function harmfulRulesAbove(folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if (ignoreFileKind(at) === "harmful") return true;
    if (at === dirname(at)) return false;
  }
}

export interface RulesWatch {
  hasFound(): boolean;
  stop(): void;
}

/** A search that is done by then is not worth a second walk, and nearly all are. */
const LOOK_AFTER_MS = 1000;

/** Looks through the folders below while a search takes long; `onFound` is called at the first .gitignore that does harm. */
export function watchForHarmfulRules(places: { path: string; root: string }, onFound: () => void): RulesWatch {
  const stopping = new AbortController();
  let hasFound = false;
  const onHarmfulRules = () => {
    hasFound = true;
    stopping.abort();
    onFound();
  };
  const look = async () => {
    const options = { root: places.root, includesIgnored: false, signal: stopping.signal, onHarmfulRules };
    for await (const files of walkFiles(places.path, options)) void files;
  };
  const cancel = systemClock.timer(LOOK_AFTER_MS, look);
  return {
    hasFound: () => hasFound,
    stop() {
      cancel();
      stopping.abort();
    },
  };
}
