import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { switchBranch } from "../git/branch.ts";
import { findRepository, type Head, type Repository, readHead, resolveCommit } from "../git/repository.ts";
import { openShadowRepository } from "../git/shadow-repository.ts";
import { unfinishedOperation } from "../git/unfinished-operation.ts";
import { closeStaleWorktrees, listWorktrees, openWorktree } from "../git/worktree.ts";
import { ownFiles } from "./own-files.ts";
import type { RunRequest, RunWorld } from "./run-request.ts";

export interface Workspace {
  ok: true;
  repository: Repository;
  /** The person's own; another one only where the agent has a worktree. */
  home: Repository;
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
    home: repository,
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
  if (wish.worktree !== undefined) return inWorktree(request, repository, { ...wish, branch: wanted, here });
  const unfinished = unfinishedOperation(repository);
  if (unfinished !== undefined) return { ok: false, message: unfinished };
  if (wanted === undefined || wanted === here.branch) return { ...workspace(repository), branch: here.branch };
  const started = wish.resumes ? { ok: true as const, isNew: false } : await startFrom(repository, request, wanted);
  if (!started.ok) return started;
  const switched = await switchBranch(repository, wanted);
  if (switched.type === "refused") return { ok: false, message: switched.message };
  const isNew = started.isNew || switched.type === "created";
  return { ...workspace(repository), branch: wanted, cameFrom: isNew ? (here.branch ?? here.commit) : undefined };
}

/** Makes a new branch begin at another one; one that is there stays as it is. */
async function startFrom(
  repository: Repository,
  { baseBranch }: RunRequest,
  branch: string,
): Promise<{ ok: true; isNew: boolean } | { ok: false; message: string }> {
  if (baseBranch === undefined || (await resolveCommit(repository, `refs/heads/${branch}`)) !== undefined)
    return { ok: true, isNew: false };
  const commit = await resolveCommit(repository, baseBranch);
  if (commit === undefined) return { ok: false, message: noBase(baseBranch) };
  const made = await repository.git({ arguments: ["branch", "--no-track", branch, commit] });
  return made.ok ? { ok: true, isNew: true } : made;
}

function noBase(name: string): string {
  return `There is no branch or commit ${name} to begin at (--base-branch).`;
}

interface WorktreeWish extends WorkspaceWish {
  here: Head;
}

async function inWorktree(
  request: RunRequest,
  repository: Repository,
  wish: WorktreeWish,
): Promise<Workspace | { ok: false; message: string }> {
  const { world, folder, here } = wish;
  const { baseBranch } = request;
  const branch = wish.branch ?? `ralph/${request.task.name}`;
  const commit = baseBranch === undefined ? here.commit : await resolveCommit(repository, baseBranch);
  if (baseBranch !== undefined && commit === undefined) return { ok: false, message: noBase(baseBranch) };
  const opened = await openWorktree(repository, {
    directory: wish.resumes ? (wish.worktree ?? "") : await placeFor(request, repository, { ...wish, branch }),
    branch,
    commit,
    place: { environment: world.environment, scratch: join(folder, "scratch") },
  });
  if (!opened.ok) return opened;
  return {
    ...workspace(opened.repository),
    home: repository,
    branch,
    cameFrom: opened.madeBranch ? (here.branch ?? here.commit) : undefined,
    worktree: opened.repository.root,
    warnings: opened.problems,
  };
}

/** What earlier runs left is removed where nothing would be lost; one that was kept with this branch in it is gone on with. */
async function placeFor(request: RunRequest, repository: Repository, wish: WorktreeWish): Promise<string> {
  const { worktree = "", branch } = wish;
  const parent = dirname(worktree);
  if (!existsSync(parent)) return worktree;
  const folder = realpathSync(parent);
  const elsewhere = ownFiles(request.task, request.root, request.document !== undefined).inRoot;
  await closeStaleWorktrees(repository, { folder, inUse: [], elsewhere });
  const kept = (await listWorktrees(repository)).find(
    (known) => dirname(known.directory) === folder && known.branch === `refs/heads/${branch}`,
  );
  return kept?.directory ?? worktree;
}
