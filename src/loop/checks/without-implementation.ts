import { planEdit } from "../git/edit-tree.ts";
import type { GitFailure } from "../git/git.ts";
import type { GitObject } from "../git/git-objects.ts";
import { emptyTree, type Repository } from "../git/repository.ts";
import { compareTrees, type TreeDifference } from "../git/tree-entries.ts";
import { isUnder } from "../git/workspace-state.ts";
import { isTestPath } from "./test-paths.ts";

export interface WithoutImplementation {
  /** The work, with everything but its tests as it was before. */
  tree: string;
  /** Folders of it that are in no repository: a checkout of it needs them. */
  objects: readonly GitObject[];
  /** What was put back. With nothing here there was no implementation. */
  takenAway: readonly string[];
  /** Tests that were not there before. */
  newTests: readonly string[];
  /** Tests that were there before and are changed or gone. */
  changedTests: readonly string[];
}

export interface WithoutRequest {
  tree: string;
  /** Where the work began. */
  since: string | undefined;
  /** The task's own files: neither test nor implementation. */
  exclude: readonly string[];
}

/** The tree in which a check that proves something fails. */
export async function treeWithoutImplementation(
  repository: Repository,
  { tree, since, exclude }: WithoutRequest,
): Promise<({ ok: true } & WithoutImplementation) | GitFailure> {
  const changed = await compareTrees(repository, since ?? emptyTree(repository), tree);
  if (!changed.ok) return changed;
  const selected = selectImplementation(changed.differences, exclude);
  const edits = new Map(selected.takenAway.map((path) => [path, changed.differences.get(path)?.before]));
  const planned = await planEdit(repository, { tree, edits });
  return planned.ok ? { ...planned, ...selected } : planned;
}

export function selectImplementation(
  differences: ReadonlyMap<string, TreeDifference>,
  exclude: readonly string[],
): Omit<WithoutImplementation, "tree" | "objects"> {
  const paths = [...differences.keys()].filter((path) => !isUnder(path, exclude)).sort();
  const tests = paths.filter(isTestPath);
  const isNew = (path: string) => differences.get(path)?.before === undefined;
  return {
    takenAway: paths.filter((path) => !isTestPath(path)),
    newTests: tests.filter(isNew),
    changedTests: tests.filter((path) => !isNew(path)),
  };
}
