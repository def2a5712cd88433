import { shownText, textOf } from "./raw-names.ts";

// The lines of `git status --porcelain=v2 -z`, as far as undo needs them.

/** A path whose file differs from the index, or is in none. Relative to the work tree. */
export type GitChange =
  | { type: "tracked"; path: string; mode: number; oid: string }
  | { type: "untracked"; path: string }
  /** A merge that waits for a person, a submodule, a repository inside: git says too little about it. */
  | { type: "unclear"; path: string }
  /** Its name is no UTF-8; `path` is how it is shown. */
  | { type: "raw"; path: string; bytes: Uint8Array };

export const STATUS_WORDS = [
  "status",
  "--porcelain=v2",
  "-z",
  "--untracked-files=all",
  "--no-renames",
  "--ignore-submodules=all",
  "--no-ahead-behind",
  "--",
  ".",
];

/** What the work tree has that the index has not. Changes that are only staged are left out: the files are in the index. */
export function parseGitStatus(output: Uint8Array): GitChange[] {
  const changes: GitChange[] = [];
  for (let start = 0; start < output.length; ) {
    const found = output.indexOf(0, start);
    const end = found < 0 ? output.length : found;
    const change = changeOf(output.subarray(start, end));
    if (change !== undefined) changes.push(change);
    start = end + 1;
  }
  return changes;
}

function changeOf(bytes: Uint8Array): GitChange | undefined {
  const text = textOf(bytes);
  if (text !== undefined) return changeIn(text);
  // Each byte as a character, so that places in the text are places in the bytes.
  const change = changeIn(Buffer.from(bytes).toString("latin1"));
  if (change === undefined || change.path.endsWith("/")) return change;
  const name = Buffer.from(change.path, "latin1");
  return { type: "raw", path: shownText(name), bytes: name };
}

const ORDINARY = /^1 .(.) (\S+) \d+ (\d+) (\d+) \S+ (\S+) (.+)$/s;

function changeIn(line: string): GitChange | undefined {
  if (line.startsWith("? ")) return untracked(line.slice(2));
  if (line.startsWith("u ")) return { type: "unclear", path: line.split(" ").slice(10).join(" ") };
  const [, inWorkTree, submodule = "", mode = "", , oid = "", path = ""] = ORDINARY.exec(line) ?? [];
  if (inWorkTree === undefined || inWorkTree === ".") return undefined;
  if (submodule.startsWith("S") || mode === "160000") return { type: "unclear", path };
  return { type: "tracked", path, mode: Number.parseInt(mode, 8), oid };
}

function untracked(path: string): GitChange {
  return { type: path.endsWith("/") ? "unclear" : "untracked", path };
}
