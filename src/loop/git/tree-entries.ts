import type { GitFailure } from "./git.ts";
import { knownTree, rememberTree, type TreeListing } from "./known-trees.ts";
import { decodePath, splitNul } from "./path-bytes.ts";
import type { Repository } from "./repository.ts";
import type { TreeValue } from "./temporary-index.ts";

export type TreeEntries = TreeListing["entries"];

/** Every file of a commit or tree. */
export async function readTree(
  repository: Repository,
  tree: string,
): Promise<({ ok: true } & TreeListing) | GitFailure> {
  const known = knownTree(repository, tree);
  if (known !== undefined) return { ok: true, ...known };
  const listed = await repository.git({ arguments: ["ls-tree", "-r", "-t", "-z", "--full-tree", tree] });
  if (!listed.ok) return listed;
  const entries = new Map<string, TreeValue>();
  const folders = new Map<string, string>();
  for (const part of splitNul(listed.stdout)) {
    const tab = part.indexOf(TAB);
    const [mode = "", type, id = ""] = ascii(part.subarray(0, tab)).split(" ");
    const path = decodePath(part.subarray(tab + 1));
    if (type === "tree") folders.set(path, id);
    else entries.set(path, { mode, id });
  }
  rememberTree(repository, tree, { entries, folders });
  return { ok: true, entries, folders };
}

export interface TreeDifference {
  before: TreeValue | undefined;
  after: TreeValue | undefined;
}

type Differences = ReadonlyMap<string, TreeDifference>;

/** Paths that are not the same in two commits or trees. A renamed file is one that went and one that came. */
export async function compareTrees(
  repository: Repository,
  before: string,
  after: string,
): Promise<{ ok: true; differences: Differences } | GitFailure> {
  if (before === after) return { ok: true, differences: new Map() };
  const [known, other] = [knownTree(repository, before), knownTree(repository, after)];
  if (known !== undefined && other !== undefined) return { ok: true, differences: differencesOf(known, other) };
  const listed = await repository.git({
    arguments: ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-ext-diff", "--no-textconv", before, after],
  });
  return listed.ok ? { ok: true, differences: readDifferences(listed.stdout) } : listed;
}

/** Paths the index does not have as a commit has them; `after` is the index. */
export async function compareIndex(
  repository: Repository,
  commit: string,
): Promise<{ ok: true; differences: Differences } | GitFailure> {
  const listed = await repository.git({
    arguments: ["diff-index", "--cached", "-z", "--raw", "--no-renames", "--no-ext-diff", "--no-textconv", commit],
  });
  return listed.ok ? { ok: true, differences: readDifferences(listed.stdout) } : listed;
}

function differencesOf(first: TreeListing, second: TreeListing): Differences {
  const differences = new Map<string, TreeDifference>();
  for (const [path, before] of first.entries) {
    const after = second.entries.get(path);
    if (before !== after && (before.id !== after?.id || before.mode !== after.mode))
      differences.set(path, { before, after });
  }
  for (const [path, after] of second.entries)
    if (!first.entries.has(path)) differences.set(path, { before: undefined, after });
  return differences;
}

function readDifferences(output: Uint8Array): Differences {
  const differences = new Map<string, TreeDifference>();
  const parts = splitNul(output);
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [modeBefore = "", modeAfter = "", idBefore = "", idAfter = ""] = ascii(parts[at]).slice(1).split(" ");
    differences.set(decodePath(parts[at + 1] ?? new Uint8Array()), {
      before: treeValue(modeBefore, idBefore),
      after: treeValue(modeAfter, idAfter),
    });
  }
  return differences;
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
