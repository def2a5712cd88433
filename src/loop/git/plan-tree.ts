import { type GitObject, gitObject } from "./git-objects.ts";
import type { TreeListing } from "./known-trees.ts";
import { encodePath } from "./path-bytes.ts";
import type { Repository } from "./repository.ts";
import type { TreeEdits, TreeValue } from "./temporary-index.ts";

export interface PlannedTree {
  id: string;
  listing: TreeListing;
  /** The folders that are not as they were; nobody has stored them yet. */
  objects: readonly GitObject[];
}

/** A tree with some of its paths changed. A file takes the place of a folder of its name and the other way round. */
export function planTree(repository: Pick<Repository, "idLength">, tree: TreeListing, edits: TreeEdits): PlannedTree {
  const changed = new Set([""]);
  const entries = new Map(tree.entries);
  const folders = new Map(tree.folders);
  applyEdits({ entries, folders, changed }, edits);
  const contents = contentsOf(changed, entries, folders);
  const objects: GitObject[] = [];
  let id = "";
  // The deepest first: a folder's id is part of the one around it.
  for (const folder of [...changed].sort((first, second) => depth(second) - depth(first))) {
    const content = contents.get(folder) ?? [];
    const object = gitObject(repository, "tree", treeBytes(content));
    if (folder === "") id = object.id;
    else if (content.length === 0) folders.delete(folder);
    else {
      folders.set(folder, object.id);
      contents.get(parentOf(folder))?.push({ name: nameOf(folder), mode: FOLDER, id: object.id });
    }
    if (folder === "" || (content.length > 0 && tree.folders.get(folder) !== object.id)) objects.push(object);
  }
  return { id, listing: { entries, folders }, objects };
}

interface Draft {
  entries: Map<string, TreeValue>;
  folders: Map<string, string>;
  /** Folders whose own content is not the same any more; the top is "". */
  changed: Set<string>;
}

function applyEdits(draft: Draft, edits: TreeEdits): void {
  // What goes away goes first, so that it never stands in the way of what comes.
  for (const [path, value] of edits) if (value === undefined) takeOut(draft, path);
  for (const [path, value] of edits) {
    if (value === undefined) continue;
    if (draft.folders.has(path) || draft.changed.has(path)) emptyFolder(draft, path);
    for (let folder = parentOf(path); folder !== ""; folder = parentOf(folder)) takeOut(draft, folder);
    draft.entries.set(path, value);
    markChanged(draft, path);
  }
}

function takeOut(draft: Draft, path: string): void {
  if (draft.entries.delete(path)) markChanged(draft, path);
}

function emptyFolder({ entries, folders, changed }: Draft, folder: string): void {
  const isIn = (path: string) => path.startsWith(`${folder}/`);
  for (const path of entries.keys()) if (isIn(path)) entries.delete(path);
  for (const names of [folders, changed])
    for (const path of names.keys()) if (path === folder || isIn(path)) names.delete(path);
}

function markChanged({ changed }: Draft, path: string): void {
  for (let folder = parentOf(path); folder !== ""; folder = parentOf(folder)) changed.add(folder);
}

interface Content {
  name: string;
  mode: string;
  id: string;
}

/** What is in the changed folders, but for changed folders in them. */
function contentsOf(
  changed: ReadonlySet<string>,
  entries: ReadonlyMap<string, TreeValue>,
  folders: ReadonlyMap<string, string>,
): Map<string, Content[]> {
  const contents = new Map<string, Content[]>([...changed].map((folder) => [folder, []]));
  for (const [path, { mode, id }] of entries) contents.get(parentOf(path))?.push({ name: nameOf(path), mode, id });
  for (const [path, id] of folders) {
    if (!changed.has(path)) contents.get(parentOf(path))?.push({ name: nameOf(path), mode: FOLDER, id });
  }
  return contents;
}

/** As git writes modes of folders in trees: without the zero in front. */
const FOLDER = "40000";

/** Sorted as git does: by bytes, folders as if their names ended in `/`. */
function treeBytes(content: readonly Content[]): Buffer {
  const rows = content.map(({ name, mode, id }) => {
    const bytes = encodePath(name);
    return { bytes, key: mode === FOLDER ? Buffer.concat([bytes, SLASH]) : bytes, mode, id };
  });
  rows.sort((first, second) => Buffer.compare(first.key, second.key));
  return Buffer.concat(
    rows.flatMap(({ bytes, mode, id }) => [Buffer.from(`${mode} `), bytes, NUL, Buffer.from(id, "hex")]),
  );
}

const SLASH = Buffer.from("/");
const NUL = Buffer.of(0);

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function depth(folder: string): number {
  return folder === "" ? 0 : folder.split("/").length;
}
