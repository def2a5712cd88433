import type { Repository } from "./repository.ts";
import { restoreContent, restoreFromTree } from "./restore-paths.ts";
import { readTree } from "./tree-entries.ts";
import { isUnder, type WorkspaceState } from "./workspace-state.ts";

/** Changed paths that are not allowed. `allowed` has exact files and folders that end in `/`; with none everything is allowed. */
export function findViolations(changed: readonly string[], allowed: readonly string[]): string[] {
  const places = allowed.map((place) => place.trim().replace(/^(\.\/)+/, "")).filter((place) => place !== "");
  return places.length === 0 ? [] : changed.filter((path) => !isUnder(path, places));
}

export interface RevertRequest {
  paths: readonly string[];
  /** What they were; its contents were saved by `saveContents`. */
  before: WorkspaceState;
}

/** Puts paths back to what they were, a person's uncommitted content included. Says what could not be put back. */
export async function revertPaths(repository: Repository, { paths, before }: RevertRequest): Promise<string[]> {
  const problems: string[] = [];
  const committed: string[] = [];
  for (const path of paths) {
    const known = before.entries.get(path);
    if (!known?.isDirty) committed.push(path);
    else if (known.problem !== undefined) problems.push(`${path}: ${known.problem}`);
    else {
      const problem = await restoreContent(repository, path, known.now);
      if (problem !== undefined) problems.push(problem);
    }
  }
  const tree = before.head.commit;
  const read = tree === undefined ? { ok: true as const, entries: new Map() } : await readTree(repository, tree);
  if (!read.ok) return [...problems, read.message];
  const restored = await restoreFromTree(repository, { tree: tree ?? "", entries: read.entries, paths: committed });
  return restored.ok ? problems : [...problems, restored.message];
}
