import type { Verdict } from "../../protocol/verdicts.ts";
import { compareStates } from "../git/workspace-state.ts";
import { closeWorktree } from "../git/worktree.ts";
import { leftBehind, storeLeft } from "./left-behind.ts";
import type { LiveRun } from "./live-run.ts";
import { mergeWork } from "./merge-work.ts";
import { writeProgress } from "./note-progress.ts";
import { readState, WorkspaceFailure } from "./read-state.ts";

/** What follows from a verdict, before it is told: where the work is and goes, what was left behind, a note for whoever comes next. */
export async function concludeRun(run: LiveRun, verdict: Verdict): Promise<void> {
  try {
    await storeLeft(run.runFolder, leftBehind({ before: run.before, end: await readState(run) }));
    if (verdict.verdict === "done") await mergeWork(run);
    await tellPlace(run, verdict);
  } catch (error) {
    if (!(error instanceof WorkspaceFailure)) throw error;
    await run.journal.append({ type: "notice", level: "warning", message: error.message });
  }
  if (run.request.kind !== "run") return;
  const { records } = run.journal.state();
  await writeProgress(run, `Run ${run.id}: ${verdict.verdict} after iteration ${records.at(-1)?.iteration ?? 0}`, [
    `- ${verdict.reason}`,
  ]);
}

async function tellPlace(run: LiveRun, { verdict }: Verdict): Promise<void> {
  const { journal, request, isRepository } = run;
  const { branch, worktree } = journal.state().run ?? {};
  if (branch === undefined || !isRepository) return;
  const tell = (message: string) => journal.append({ type: "notice", level: "info", message });
  if (worktree === undefined) {
    if (verdict === "done" && request.branch !== undefined)
      await tell(`The work is on the branch ${branch}, which stays checked out.`);
    return;
  }
  if (verdict !== "done") {
    await tell(`The worktree is kept: ${worktree}, on the branch ${branch}.`);
    return;
  }
  const closed = await closeWorktree(run.home, worktree, await nothingLost(run));
  if (closed.type === "removed") await tell(`The work is on the branch ${branch}; its worktree was removed.`);
  else await tell(`The work is on the branch ${branch}. The worktree ${closed.reason}.`);
}

/** Files of a worktree that are elsewhere too: the task's own, and those that were copied there and stayed as they were. */
async function nothingLost(run: LiveRun): Promise<string[]> {
  const { before, own } = run;
  const changed = new Set(compareStates(before, await readState(run)));
  return [...own.inRoot, ...[...before.entries.keys()].filter((path) => !changed.has(path))];
}
