import { keepBranch } from "../git/keep-branch.ts";
import { shownPath } from "../git/path-bytes.ts";
import { restoreContent } from "../git/restore-paths.ts";
import type { WorkspaceState } from "../git/workspace-state.ts";
import type { LiveRun } from "./live-run.ts";
import { readState, WorkspaceFailure } from "./read-state.ts";

/** The workspace on the run's own branch, with the person's uncommitted work in it, whatever an agent did with git. */
export async function keepWorkspace(run: LiveRun, since: string | undefined): Promise<WorkspaceState> {
  const found = await readState(run);
  const { repository, before, own, journal } = run;
  const kept = await keepBranch(repository, found, { branch: before.head.branch, since, exclude: own.inRoot });
  if (kept.type === "lost") throw new WorkspaceFailure(kept.message);
  if (kept.type === "returned") await journal.append({ type: "notice", level: "warning", message: kept.message });
  const state = kept.type === "returned" ? await readState(run) : found;
  return (await bringBack(run, state)) ? readState(run) : state;
}

/** Changes of the person's that are simply gone (`git reset --hard`, `git stash`, `git clean`) were saved when the run began. */
async function bringBack({ repository, before, journal }: LiveRun, state: WorkspaceState): Promise<boolean> {
  const gone = [...before.entries].filter(
    ([path, { isDirty, problem }]) => isDirty && problem === undefined && !state.entries.has(path),
  );
  const back: string[] = [];
  for (const [path, { now }] of gone) {
    const problem = await restoreContent(repository, path, now);
    if (problem === undefined) back.push(shownPath(path));
    else await journal.append({ type: "notice", level: "warning", message: `Your changes are gone: ${problem}.` });
  }
  if (back.length === 0) return false;
  const names = `${back.slice(0, LISTED).join(", ")}${back.length > LISTED ? ` and ${back.length - LISTED} more` : ""}`;
  const message = `Uncommitted changes of yours were gone after the agent and are there again: ${names}.`;
  await journal.append({ type: "notice", level: "warning", message });
  return true;
}

const LISTED = 10;
