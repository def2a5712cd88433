import { shownPath } from "./path-bytes.ts";
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
  const isPersons = (path: string) => before.entries.get(path)?.isDirty === true;
  const tree = before.head.commit;
  const read = tree === undefined ? { ok: true as const, entries: new Map() } : await readTree(repository, tree);
  if (!read.ok) return [read.message];
  const committed = paths.filter((path) => !isPersons(path));
  // What an agent has put in the place of a person's folder, or into that of a person's file, goes before theirs comes.
  const restored = await restoreFromTree(repository, { tree: tree ?? "", entries: read.entries, paths: committed });
  const problems = restored.ok ? [] : [restored.message];
  for (const path of paths.filter(isPersons)) {
    const problem = await restorePersons(repository, path, before);
    if (problem !== undefined) problems.push(problem);
  }
  return problems;
}

async function restorePersons(
  repository: Repository,
  path: string,
  { entries }: WorkspaceState,
): Promise<string | undefined> {
  const known = entries.get(path);
  if (known?.problem !== undefined) return `${shownPath(path)}: ${known.problem}`;
  return restoreContent(repository, path, known?.now);
}
