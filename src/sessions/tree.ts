import type { SessionEntry } from "../protocol/session-entries.ts";
import { type EntryList, isStore, readSteadily } from "./entries/entry-list.ts";

/** The entries of a session as the tree they form. */
export interface SessionTree {
  /** In the order of the file. */
  readonly entries: readonly SessionEntry[];
  get(id: string): SessionEntry | undefined;
  /** Null for the first entry. An entry whose parent was lost hangs on the readable entry before it in the file. */
  parentOf(id: string): string | null;
  /** In the order in which they were appended; of null the roots. */
  children(id: string | null): readonly SessionEntry[];
  /** From the root to this entry; empty for null and for an unknown id. */
  pathTo(id: string | null): SessionEntry[];
  /** The entry that was appended last, where work goes on unless another was chosen. */
  readonly lastId: string | null;
}

/** A later entry that repeats an id does not count. */
export function buildTree(entries: Iterable<SessionEntry>): SessionTree {
  const byId = new Map<string, SessionEntry>();
  const parents = new Map<string, string | null>();
  const unique: SessionEntry[] = [];
  let before: string | null = null;
  for (const entry of entries) {
    if (byId.has(entry.id)) continue;
    // A parent always stands before its child in the file, so there are no cycles.
    const known: boolean = entry.parentId === null || byId.has(entry.parentId);
    parents.set(entry.id, known ? entry.parentId : before);
    byId.set(entry.id, entry);
    unique.push(entry);
    before = entry.id;
  }
  const parentOf = (id: string) => parents.get(id) ?? null;
  let childLists: Map<string | null, SessionEntry[]> | undefined;
  return {
    entries: unique,
    get: (id) => byId.get(id),
    parentOf,
    children(id) {
      childLists ??= Map.groupBy(unique, (entry) => parentOf(entry.id));
      return childLists.get(id) ?? [];
    },
    pathTo(id) {
      const path: SessionEntry[] = [];
      for (let current = id; current !== null; current = parentOf(current)) {
        const entry = byId.get(current);
        if (entry === undefined) break;
        path.push(entry);
      }
      return path.reverse();
    },
    lastId: before,
  };
}

/** The branch that ends in the chosen entry, or in the one appended last. */
export function currentBranch(entries: EntryList, leafId?: string | null): SessionEntry[] {
  if (isStore(entries))
    return readSteadily(entries, () => entries.rowsTo(leafId).flatMap((row) => entries.read(row) ?? []));
  if (leafId === undefined && isLinear(entries)) return [...entries];
  const tree = buildTree(entries);
  return tree.pathTo(leafId === undefined ? tree.lastId : leafId);
}

/** Most sessions never branch; then the file is the branch. */
function isLinear(entries: readonly SessionEntry[]): boolean {
  return entries.every((entry, index) => entry.parentId === (entries[index - 1]?.id ?? null));
}

/** Where work goes on when it branches off: null is before the first entry. Undefined when there is no such entry. */
export function branchFrom(tree: SessionTree, entryId: string | null): { leafId: string | null } | undefined {
  return entryId === null || tree.get(entryId) !== undefined ? { leafId: entryId } : undefined;
}
