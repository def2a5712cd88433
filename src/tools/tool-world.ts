import type { CommandNeeds } from "../protocol/asks.ts";
import type { EditorFiles } from "../protocol/editor-files.ts";
import type { Clock } from "../system/clock.ts";
import type { FileFailure } from "../system/file-failure.ts";
import type { PinnedPlace } from "../system/pinned-place.ts";
import type { ProcessAhead } from "../system/run-process.ts";
import type { HostAddresses } from "./host-addresses.ts";

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
  /** What the names of these files begin with, where agents share the place. */
  artifactPrefix?: string;
  /**
   * Keeps what stands at an absolute path when something is asked about it. What is done later is done to that, or not at all:
   * a link that takes its place meanwhile leads nowhere.
   */
  pin(path: string): PinnedPlace;
  /** What was last seen of files, so that a change by somebody else is noticed. */
  seen: SeenFiles;
  /** Whether what stands in a file may be shown, by its absolute path. Where it is missing, all of them may. */
  mayRead?(path: string): boolean;
  /** Whether a file of this name may be made, by its absolute path. Where it is missing, all of them may. */
  mayWrite?(path: string): boolean;
  /**
   * Called with absolute paths before files and folders are changed, made or removed. A failure means that what is needed to
   * undo the change could not be stored: then it must not be made.
   */
  beforeChange(...paths: readonly string[]): Promise<FileFailure | undefined>;
  /** Called before a program is run that may change anything. The same goes for its failure. */
  beforeShell?(): Promise<FileFailure | undefined>;
  /** Whether an empty folder only stands there to hold its name while commands run, by its absolute path. */
  isPlaceholder?(path: string): boolean;
  /** Confines a command. Where it cannot be done the command must not run; where it is missing, commands run as they are. */
  wrapCommand?(command: CommandToWrap): Promise<WrappedCommand>;
  /** Addresses that are no paths: whoever drives the agent reads and writes what they name. Where it is missing, there are none. */
  addresses?: HostAddresses;
  /** The editor a person works in beside the model, where there is one: what it holds counts, saved or not. */
  editor?: EditorFiles;
}

export interface CommandToWrap {
  argv: readonly string[];
  cwd: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** What it gets beyond the sandbox. */
  grant: CommandNeeds;
}

export type WrappedCommand =
  | {
      ok: true;
      argv: readonly string[];
      environment: Readonly<Record<string, string | undefined>>;
      /** Where it is started already, up to the command itself. */
      ahead?: ProcessAhead;
      /** What the command leaves running ends with it, and nobody can tell that there was something. */
      endsLeftovers: boolean;
      /** What could not be guarded, in sentences. */
      notes: readonly string[];
      /** Called once when all its processes are gone, or it was not run. Says, in sentences, what the command made that others will obey. */
      finish(): string[];
      /** Whether the sandbox is the likely reason why it failed, from the end of what it printed. */
      hint(output: string): string | undefined;
    }
  | { ok: false; message: string };

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
