import type { FileFailure } from "./file-failure.ts";
import type { OpenedFile } from "./open-real.ts";

// A path as it was when something was asked about it, to be acted on later.

export interface PinnedPlace {
  /** The same thing, or still nothing, stands there. */
  isUnmoved(): boolean;
  /** Opens the very file for reading. The caller closes the descriptor. */
  openFile(): OpenedFile;
  /** Holds the folder the path stands in; folders that were missing are made. */
  hold(): { ok: true; place: HeldPlace } | FileFailure;
}

/** A name in a folder that is held open: what is made, renamed or removed at `at` is in that folder and nowhere else. */
export interface HeldPlace {
  /** The folder itself. */
  folder: string;
  /** The name in it. */
  at: string;
  /** Why nothing may be done: the folder is no longer where it was, or another thing stands there. */
  problem(): FileFailure | undefined;
  stop(): void;
}
