// What is asked about a path, and what is answered.

export const PATH_OPERATIONS = ["read", "write", "edit", "copy", "move", "delete"] as const;
export type PathOperation = (typeof PATH_OPERATIONS)[number];

export interface PathRequest {
  /** The folder the user chose, absolute or from the home. Where it is not on the disk, everything is judged by the text alone. */
  workspace: string;
  op: PathOperation;
  path: string;
  /** Where a copy or a move ends. */
  dest?: string | undefined;
  /** Where relative paths begin; the workspace where absent. It never moves the boundary. */
  cwd?: string | undefined;
  /** What `~` stands for. */
  home?: string | undefined;
  /** Globs of further names that are neither read nor written. */
  protected?: readonly string[] | undefined;
  /** Rules `Read(glob)`, `Write(glob)`, `Bash(glob)`. */
  grants?: readonly string[] | undefined;
}

/** From the harmless to the strict. */
export const PATH_CLASSES = ["inside", "external", "protected"] as const;
export type PathClass = (typeof PATH_CLASSES)[number];

export interface PathVerdict {
  class: PathClass;
  /** Where the path leads, absolute; empty where that cannot be said. */
  resolved: string;
  reason: string;
  /** The rules that let this operation out of the workspace. The class still says where the path is. */
  grants?: string[];
}

export type PathAccess = "read" | "write";

/** The first of the strictest. */
export function strictest<T extends { class: PathClass }>(first: T, ...others: readonly T[]): T {
  return others.reduce((worst, next) => (rank(next) > rank(worst) ? next : worst), first);
}

function rank(verdict: { class: PathClass }): number {
  return PATH_CLASSES.indexOf(verdict.class);
}
