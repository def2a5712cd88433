import { existsSync } from "node:fs";
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
  if (read.ok) return read.state;
  if (!existsSync(repository.root)) throw new WorkspaceFailure(noFolder(repository));
  if (read.reason === "no-repository") throw new WorkspaceFailure(noRepository(repository));
  const { base } = before;
  const isOther = base !== undefined && !(await repository.git({ arguments: ["cat-file", "-e", base] })).ok;
  throw new WorkspaceFailure(isOther ? otherRepository(repository, base) : read.message);
}

function noRepository({ root, gitDirectory }: Repository): string {
  return `${root} is no git repository any more: ${gitDirectory} was removed or broken. The files are as the agent left them. Bring it back from a copy or a remote and start again.`;
}

function noFolder({ root }: Repository): string {
  return `${root}, where the agent worked, was removed. What has landed is on its branch; start again for the rest.`;
}

function otherRepository({ root, gitDirectory }: Repository, base: string): string {
  return `${gitDirectory} is not the repository it was: the commit ${base.slice(0, 12)} the run began with is gone. The files of ${root} are as the agent left them. Bring the repository back from a copy or a remote and start again.`;
}
