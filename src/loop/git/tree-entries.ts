import type { GitFailure } from "./git.ts";
import { decodePath, splitNul } from "./path-bytes.ts";
import type { Repository } from "./repository.ts";
import type { TreeValue } from "./temporary-index.ts";

export type TreeEntries = ReadonlyMap<string, TreeValue>;

/** Every file of a commit or tree. */
export async function readTree(
  repository: Repository,
  tree: string,
): Promise<{ ok: true; entries: TreeEntries } | GitFailure> {
  const listed = await repository.git({ arguments: ["ls-tree", "-r", "-z", "--full-tree", tree] });
  if (!listed.ok) return listed;
  const entries = new Map<string, TreeValue>();
  for (const part of splitNul(listed.stdout)) {
    const tab = part.indexOf(TAB);
    const [mode = "", , id = ""] = ascii(part.subarray(0, tab)).split(" ");
    entries.set(decodePath(part.subarray(tab + 1)), { mode, id });
  }
  return { ok: true, entries };
}

export interface TreeDifference {
  before: TreeValue | undefined;
  after: TreeValue | undefined;
}

/** Paths that are not the same in two commits or trees. A renamed file is one that went and one that came. */
export async function compareTrees(
  repository: Repository,
  before: string,
  after: string,
): Promise<{ ok: true; differences: ReadonlyMap<string, TreeDifference> } | GitFailure> {
  if (before === after) return { ok: true, differences: new Map() };
  const listed = await repository.git({
    arguments: ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-ext-diff", "--no-textconv", before, after],
  });
  if (!listed.ok) return listed;
  const differences = new Map<string, TreeDifference>();
  const parts = splitNul(listed.stdout);
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [modeBefore = "", modeAfter = "", idBefore = "", idAfter = ""] = ascii(parts[at]).slice(1).split(" ");
    differences.set(decodePath(parts[at + 1] ?? new Uint8Array()), {
      before: treeValue(modeBefore, idBefore),
      after: treeValue(modeAfter, idAfter),
    });
  }
  return { ok: true, differences };
}

export async function readBlob(repository: Repository, id: string): Promise<Uint8Array | undefined> {
  const read = await repository.git({ arguments: ["cat-file", "blob", id] });
  return read.ok ? read.stdout : undefined;
}

/** Stores bytes as they are. */
export async function writeBlob(repository: Repository, bytes: Uint8Array): Promise<string | undefined> {
  const written = await repository.git({ arguments: ["hash-object", "-w", "--stdin"], stdin: bytes });
  return written.ok ? ascii(written.stdout).trim() : undefined;
}

const TAB = 9;

function ascii(bytes: Uint8Array = new Uint8Array()): string {
  return new TextDecoder("latin1").decode(bytes);
}

function treeValue(mode: string, id: string): TreeValue | undefined {
  return /^0+$/.test(mode) ? undefined : { mode, id };
}
