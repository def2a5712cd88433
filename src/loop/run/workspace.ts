import { join } from "node:path";
import { switchBranch } from "../git/branch.ts";
import { findRepository, type Repository, readHead, resolveCommit } from "../git/repository.ts";
import { openShadowRepository } from "../git/shadow-repository.ts";
import { openWorktree } from "../git/worktree.ts";
import type { RunRequest, RunWorld } from "./run-request.ts";

export interface Workspace {
  ok: true;
  repository: Repository;
  /** False where Ralph keeps a repository of its own for a folder that is none. */
  isRepository: boolean;
  branch: string | undefined;
  /** What was current before, where the run made or changed the branch. */
  cameFrom: string | undefined;
  worktree: string | undefined;
  warnings: readonly string[];
}

export interface WorkspaceWish {
  world: RunWorld;
  folder: string;
  /** Where the agent's own worktree goes. */
  worktree: string | undefined;
  /** A run that goes on stays where it is. */
  resumes: boolean;
  branch: string | undefined;
}

/** The repository the agent works in, on its branch. */
export async function findWorkspace(
  request: RunRequest,
  wish: WorkspaceWish,
): Promise<Workspace | { ok: false; message: string }> {
  const { world, folder } = wish;
  const place = { directory: request.root, environment: world.environment, scratch: join(folder, "scratch") };
  const found = await findRepository(place);
  if (found.ok && found.repository.root === request.root) return onBranch(request, found.repository, wish);
  if (!found.ok && found.reason !== "no-repository") return found;
  if (request.worktree)
    return { ok: false, message: `${request.root} is no git repository, so it cannot have a worktree.` };
  const shadow = await openShadowRepository(place, join(folder, "shadow.git"));
  if (!shadow.ok) return shadow;
  const warning = `${request.root} is no git repository. Its history is kept in ${folder} instead, and nothing is committed here.`;
  return { ...workspace(shadow.repository), isRepository: false, warnings: [warning] };
}

function workspace(repository: Repository): Workspace {
  return {
    ok: true,
    repository,
    isRepository: true,
    branch: undefined,
    cameFrom: undefined,
    worktree: undefined,
    warnings: [],
  };
}

async function onBranch(
  request: RunRequest,
  repository: Repository,
  wish: WorkspaceWish,
): Promise<Workspace | { ok: false; message: string }> {
  const head = await readHead(repository);
  if (!head.ok) return head;
  const here = head.head;
  const wanted = wish.resumes ? wish.branch : request.branch;
  if (wish.worktree !== undefined)
    return inWorktree(request, repository, { ...wish, branch: wanted, commit: here.commit });
  if (wanted === undefined || wanted === here.branch) return { ...workspace(repository), branch: here.branch };
  if (request.baseBranch !== undefined && !wish.resumes) {
    const base = await startFrom(repository, request.baseBranch, wanted);
    if (base !== undefined) return base;
  }
  const switched = await switchBranch(repository, wanted);
  if (switched.type === "refused") return { ok: false, message: switched.message };
  const cameFrom = switched.type === "created" ? switched.from : undefined;
  return { ...workspace(repository), branch: wanted, cameFrom };
}

/** Makes a new branch begin at another one; one that is there stays as it is. */
async function startFrom(
  repository: Repository,
  base: string,
  branch: string,
): Promise<{ ok: false; message: string } | undefined> {
  if ((await resolveCommit(repository, `refs/heads/${branch}`)) !== undefined) return undefined;
  const commit = await resolveCommit(repository, base);
  if (commit === undefined)
    return { ok: false, message: `There is no branch or commit ${base} to begin at (--base-branch).` };
  const made = await repository.git({ arguments: ["branch", "--no-track", branch, commit] });
  return made.ok ? undefined : made;
}

interface WorktreeWish extends WorkspaceWish {
  commit: string | undefined;
}

async function inWorktree(
  request: RunRequest,
  repository: Repository,
  wish: WorktreeWish,
): Promise<Workspace | { ok: false; message: string }> {
  const { worktree = "", world, folder } = wish;
  const branch = wish.branch ?? `ralph/${request.task.name}`;
  const commit = request.baseBranch === undefined ? wish.commit : await resolveCommit(repository, request.baseBranch);
  const opened = await openWorktree(repository, {
    directory: worktree,
    branch,
    commit,
    place: { environment: world.environment, scratch: join(folder, "scratch") },
  });
  if (!opened.ok) return opened;
  return { ...workspace(opened.repository), branch, worktree: opened.repository.root, warnings: opened.problems };
}
