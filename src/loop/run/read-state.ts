import type { Repository } from "../git/repository.ts";
import { readWorkspaceState, type WorkspaceState } from "../git/workspace-state.ts";
import type { LiveRun } from "./live-run.ts";

/** git could not be asked. Thrown to the loop, which ends the run with it. */
export class WorkspaceFailure extends Error {}

/** How the workspace differs from where the run began, without the task's own files. */
export async function readState({
  repository,
  own,
  before,
}: Pick<LiveRun, "repository" | "own" | "before">): Promise<WorkspaceState> {
  const read = await readWorkspaceState(repository, { base: before.base, exclude: own.inRoot });
  if (!read.ok) throw new WorkspaceFailure(read.reason === "no-repository" ? noRepository(repository) : read.message);
  return read.state;
}

function noRepository({ root, gitDirectory }: Repository): string {
  return `${root} is no git repository any more: ${gitDirectory} was removed or broken. The files are as the agent left them. Bring it back from a copy or a remote and start again.`;
}
