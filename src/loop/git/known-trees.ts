import type { Repository } from "./repository.ts";
import type { TreeValue } from "./temporary-index.ts";

// The trees of an iteration differ by a few files from those of the one before. What is known of a tree is remembered under its
// id, also of one that Ralph made itself, so that git is not started to say it again.

/** All of a tree, by paths from its top. */
export interface TreeListing {
  entries: ReadonlyMap<string, TreeValue>;
  /** The ids of its folders. */
  folders: ReadonlyMap<string, string>;
}

interface Memory {
  trees: Map<string, TreeListing>;
  /** The tree of a commit. */
  commits: Map<string, string>;
}

const MOST_TREES = 8;
const MOST_FILES = 400_000;
const MOST_COMMITS = 100;

const MEMORIES = new WeakMap<Repository, Memory>();

/** `id` is that of a tree or a commit. */
export function knownTree(repository: Repository, id: string): TreeListing | undefined {
  const { trees } = memoryOf(repository);
  const tree = knownTreeId(repository, id) ?? id;
  const listing = trees.get(tree);
  if (listing === undefined) return undefined;
  // What was used last is forgotten last.
  trees.delete(tree);
  trees.set(tree, listing);
  return listing;
}

export function knownTreeId(repository: Repository, commit: string): string | undefined {
  return memoryOf(repository).commits.get(commit);
}

/** Names that can mean something else later are not remembered. */
export function rememberTree(repository: Repository, id: string, listing: TreeListing): void {
  if (id.length !== repository.idLength || !/^[0-9a-f]+$/.test(id)) return;
  const { trees } = memoryOf(repository);
  trees.delete(id);
  trees.set(id, listing);
  let files = 0;
  for (const { entries } of trees.values()) files += entries.size;
  for (const [oldest, { entries }] of trees) {
    if (trees.size <= MOST_TREES && files <= MOST_FILES) return;
    trees.delete(oldest);
    files -= entries.size;
  }
}

export function rememberCommit(repository: Repository, commit: string, tree: string): void {
  const { commits } = memoryOf(repository);
  commits.set(commit, tree);
  for (const oldest of commits.keys()) {
    if (commits.size <= MOST_COMMITS) return;
    commits.delete(oldest);
  }
}

function memoryOf(repository: Repository): Memory {
  const known = MEMORIES.get(repository);
  if (known !== undefined) return known;
  const memory: Memory = { trees: new Map(), commits: new Map() };
  MEMORIES.set(repository, memory);
  return memory;
}
