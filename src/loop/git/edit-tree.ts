import { type GitFailure, gitText } from "./git.ts";
import { type GitObject, storeObjects } from "./git-objects.ts";
import { rememberTree, type TreeListing } from "./known-trees.ts";
import { planTree } from "./plan-tree.ts";
import type { Repository } from "./repository.ts";
import { type TreeEdits, type TreeValue, withTemporaryIndex, writeIndexEntries } from "./temporary-index.ts";
import { readTree } from "./tree-entries.ts";

export interface TreeEdit {
  /** A tree or a commit; undefined for nothing. */
  tree: string | undefined;
  edits: TreeEdits;
  /** Contents the edits name that nobody has stored yet. */
  blobs?: readonly GitObject[];
}

export interface EditedTree {
  ok: true;
  tree: string;
  /** Paths git does not take: a folder that is `.git` on some system. */
  refused: readonly string[];
}

/** The id of a tree with some of its paths changed, and stored. */
export async function editTree(repository: Repository, edit: TreeEdit): Promise<EditedTree | GitFailure> {
  const planned = await planEdit(repository, edit);
  if (!planned.ok) return planned;
  const stored = await storeObjects(repository, planned.objects);
  return stored.ok ? { ok: true, tree: planned.tree, refused: planned.refused } : stored;
}

/** The same, with what still has to be stored for it. */
export async function planEdit(
  repository: Repository,
  { tree, edits, blobs = [] }: TreeEdit,
): Promise<(EditedTree & { objects: readonly GitObject[] }) | GitFailure> {
  if (![...edits].every(isPlain)) return editThroughIndex(repository, { tree, edits, blobs });
  const read = tree === undefined ? { ok: true as const, ...EMPTY } : await readTree(repository, tree);
  if (!read.ok) return read;
  const { id, listing, objects } = planTree(repository, read, edits);
  rememberTree(repository, id, listing);
  return { ok: true, tree: id, refused: [], objects: [...blobs, ...objects] };
}

const EMPTY: TreeListing = { entries: new Map(), folders: new Map() };

/**
 * Whether no git on any system refuses the path. Names that could stand for `.git` somewhere, and links in the place of git's own
 * files, are git's to judge, which it does for whatever comes into an index.
 */
function isPlain([path, value]: [string, TreeValue | undefined]): boolean {
  if (value === undefined) return true;
  const isLink = value.mode === "120000";
  return path.split("/").every((name) => {
    if (name === "" || ODD.test(name)) return false;
    return !LIKE_GIT.test(name) || (!isLink && BESIDE_GIT.test(name));
  });
}

const ODD = /^\.{1,2}$|[\\:\p{Cc}\p{Cf}]|[. ]$/u;
const LIKE_GIT = /^\.?git/i;
/** `.gitignore`, `.github`, `git-log.ts`; not `git~1`. */
const BESIDE_GIT = /^\.?git[\w-]+(\.[\w-]+)*$/i;

async function editThroughIndex(repository: Repository, { tree, edits, blobs = [] }: TreeEdit) {
  const stored = await storeObjects(repository, blobs);
  if (!stored.ok) return stored;
  const written = await withTemporaryIndex(repository, tree, async (indexFile) => {
    const edited = await writeIndexEntries(repository, edits, indexFile);
    return edited.ok ? repository.git({ arguments: ["write-tree"], indexFile }) : edited;
  });
  if (!written.ok) return written;
  const made = await readTree(repository, gitText(written));
  if (!made.ok) return made;
  // git passes over names it does not take and says so only to people.
  const refused = [...edits].flatMap(([path, value]) => (value && !made.entries.has(path) ? [path] : []));
  return { ok: true as const, tree: gitText(written), refused, objects: [] };
}
