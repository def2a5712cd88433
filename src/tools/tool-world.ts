import type { Clock } from "../system/clock.ts";

/** What tools are given of the world. The workspace is fixed at start and never chosen by the model. */
export interface ToolWorld {
  /** Absolute, links resolved. Relative paths of a model count from here. */
  root: string;
  clock: Clock;
  /** The environment of programs that are run. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Where long output is kept whole; made when it is first needed. */
  artifacts: string;
  /** What was last seen of files, so that a change by somebody else is noticed. */
  seen: SeenFiles;
  /** Called with the absolute path before a file is changed, made or removed for the first time in a turn. */
  beforeChange(path: string): Promise<void>;
}

/** Content hashes of files as the model knows them, by absolute path. */
export interface SeenFiles {
  remember(path: string, hash: string): void;
  hashOf(path: string): string | undefined;
  forget(path: string): void;
}

export function createSeenFiles(): SeenFiles {
  const hashes = new Map<string, string>();
  return {
    remember: (path, hash) => void hashes.set(path, hash),
    hashOf: (path) => hashes.get(path),
    forget: (path) => void hashes.delete(path),
  };
}
