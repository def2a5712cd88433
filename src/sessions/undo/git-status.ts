// The lines of `git status --porcelain=v2 -z`, as far as undo needs them.

/** A path whose file differs from the index, or is in none. Relative to the work tree. */
export type GitChange =
  | { type: "tracked"; path: string; mode: number; oid: string }
  | { type: "untracked"; path: string }
  /** A merge that waits for a person, a submodule, a repository inside: git says too little about it. */
  | { type: "unclear"; path: string };

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
  const lines = new TextDecoder().decode(output).split("\0");
  return lines.flatMap((line) => {
    const change = line === "" ? undefined : changeOf(line);
    return change === undefined ? [] : [change];
  });
}

const ORDINARY = /^1 .(.) (\S+) \d+ (\d+) (\d+) \S+ (\S+) (.+)$/s;

function changeOf(line: string): GitChange | undefined {
  if (line.startsWith("? ")) return untracked(line.slice(2));
  if (line.startsWith("u ")) return { type: "unclear", path: line.split(" ").slice(10).join(" ") };
  const [, inWorkTree, submodule = "", mode = "", , oid = "", path = ""] = ORDINARY.exec(line) ?? [];
  if (inWorkTree === undefined || inWorkTree === ".") return undefined;
  if (submodule.startsWith("S") || mode === "160000") return { type: "unclear", path };
  return { type: "tracked", path, mode: Number.parseInt(mode, 8), oid };
}

/** A name that is no UTF-8 cannot be written back under the same name. */
function untracked(path: string): GitChange {
  return path.endsWith("/") || path.includes("\uFFFD") ? { type: "unclear", path } : { type: "untracked", path };
}
