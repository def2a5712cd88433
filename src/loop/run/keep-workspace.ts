import { keepBranch } from "../git/keep-branch.ts";
import { shownPath } from "../git/path-bytes.ts";
import type { Repository } from "../git/repository.ts";
import { restoreContent, saveWorkingFile, standsInTheWay } from "../git/restore-paths.ts";
import { readWorkingFile } from "../git/working-file.ts";
import type { PathState, WorkspaceState } from "../git/workspace-state.ts";
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

/** Changes of the person's that are simply gone (`git reset --hard`, `git clean`, `rm`) were saved when the run began. */
async function bringBack(run: LiveRun, state: WorkspaceState): Promise<boolean> {
  const { repository, before, journal } = run;
  const gone = [...before.entries].filter(
    ([path, known]) =>
      known.isDirty &&
      known.problem === undefined &&
      isGone(repository, path, { before: known, entry: state.entries.get(path) }),
  );
  const back: string[] = [];
  for (const [path, { now }] of gone) {
    await keepWhatGoes(run, path);
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

/** A file the agent made of the person's folder cannot stay beside what was in it; git keeps its content. */
async function keepWhatGoes({ repository, journal }: LiveRun, path: string): Promise<void> {
  const inTheWay = standsInTheWay(repository, path);
  if (inTheWay === undefined) return;
  const id = await saveWorkingFile(repository, inTheWay);
  const kept = id === undefined ? "" : ` \`git cat-file blob ${id}\` prints it.`;
  const message = `${shownPath(inTheWay)}, which the agent made, is not part of the work and was removed: ${shownPath(path)} with your changes has to be there.${kept}`;
  await journal.append({ type: "notice", level: "warning", message });
}

/**
 * As if the person had done nothing, or not there at all. What the agent put in its place is the agent's work, and what git was
 * told not to look at any more is still there.
 */
function isGone(repository: Repository, path: string, { before, entry }: Change): boolean {
  if (standsInTheWay(repository, path) !== undefined) return before.now !== undefined;
  const file = readWorkingFile(repository, path);
  if (file.type === "gone") return before.now !== undefined;
  if (entry !== undefined || before.base === undefined) return false;
  return !("value" in file) || file.value.id !== before.now?.id;
}

interface Change {
  before: PathState;
  /** Undefined where the path is as it was at the base. */
  entry: PathState | undefined;
}

const LISTED = 10;
