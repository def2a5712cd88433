import type { Clock } from "../system/clock.ts";
import type { FileFailure } from "../system/file-failure.ts";

/** What tools are given of the world. The workspace is fixed at start and never chosen by the model. */
export interface ToolWorld {
  /** Absolute, links resolved. Relative paths of a model count from here. */
  root: string;
  clock: Clock;
  /** The environment of programs that are run. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Variables the person lets commands have besides the usual ones. */
  environmentNames?: readonly string[];
  /** Where long output is kept whole; made when it is first needed. */
  artifacts: string;
  /** What was last seen of files, so that a change by somebody else is noticed. */
  seen: SeenFiles;
  /** Whether what stands in a file may be shown, by its absolute path. Where it is missing, all of them may. */
  mayRead?(path: string): boolean;
  /**
   * Called with absolute paths before files and folders are changed, made or removed. A failure means that what is needed to
   * undo the change could not be stored: then it must not be made.
   */
  beforeChange(...paths: readonly string[]): Promise<FileFailure | undefined>;
  /** Called before a program is run that may change anything. The same goes for its failure. */
  beforeShell?(): Promise<FileFailure | undefined>;
}

/** Files as the model knows them, by absolute path. */
export interface SeenFiles {
  /** `content` is given when the model got to see it whole or in part, or gave it itself. */
  remember(path: string, hash: string, content?: Uint8Array): void;
  hashOf(path: string): string | undefined;
  /** What the model last saw, of the files it saw last. Its own edits since are not in it. */
  contentOf(path: string): Uint8Array | undefined;
  forget(path: string): void;
}

const MOST_CONTENTS = 32;
const MOST_BYTES = 4_000_000;

export function createSeenFiles(): SeenFiles {
  const hashes = new Map<string, string>();
  /** The one seen longest ago comes first. */
  const contents = new Map<string, Uint8Array>();
  const keep = (path: string, content: Uint8Array) => {
    contents.delete(path);
    contents.set(path, content);
    let bytes = contents.values().reduce((sum, one) => sum + one.length, 0);
    for (const [oldest, { length }] of contents) {
      if (contents.size <= MOST_CONTENTS && bytes <= MOST_BYTES) return;
      contents.delete(oldest);
      bytes -= length;
    }
  };
  return {
    remember(path, hash, content) {
      hashes.set(path, hash);
      if (content !== undefined) keep(path, content);
    },
    hashOf: (path) => hashes.get(path),
    contentOf: (path) => contents.get(path),
    forget(path) {
      hashes.delete(path);
      contents.delete(path);
    },
  };
}
