import { switchBranch } from "./branch.ts";
import { type GitFailure, gitText } from "./git.ts";
import { commitsBetween, isAncestor } from "./land.ts";
import { shownPath } from "./path-bytes.ts";
import { type Repository, readHead, resolveCommit } from "./repository.ts";
import { restoreFromTree } from "./restore-paths.ts";
import { writeIndexEntries } from "./temporary-index.ts";
import { compareTrees, readTree, type TreeDifference } from "./tree-entries.ts";
import { readWorkspaceState, sameValue } from "./workspace-state.ts";

export interface RunName {
  task: string;
  run: string;
}

/** The tag that remembers where a run began. */
export function runTag({ task, run }: RunName): string {
  const part = (text: string) =>
    text
      .replace(/[^A-Za-z0-9._-]/g, "-")
      .replace(/\.{2,}/g, ".")
      .replace(/^\.|\.lock$|\.$/g, "-");
  return `ralph/${part(task)}/${part(run)}`;
}

/** Sets the tag; it stays where it is when it is there already. */
export async function tagRun(
  repository: Repository,
  name: RunName & { commit: string },
): Promise<{ ok: true; tag: string } | GitFailure> {
  const tag = runTag(name);
  if ((await resolveCommit(repository, `refs/tags/${tag}`)) !== undefined) return { ok: true, tag };
  const none = "0".repeat(repository.idLength);
  const made = await repository.git({ arguments: ["update-ref", `refs/tags/${tag}`, name.commit, none] });
  return made.ok ? { ok: true, tag } : made;
}

export interface UndoRequest {
  tag: string;
  /** The branch the run worked on; undefined where HEAD was detached. */
  branch: string | undefined;
  /** Commits that are known to be the run's: those it landed, and where the agent left the branch. */
  ofRun: readonly string[];
  /** The task's own files, which do not count. */
  exclude: readonly string[];
  /** Where the run came from, when it made the branch itself: gone back to, and the branch is removed. */
  returnTo?: string;
}

export type UndoPlan =
  | { type: "nothing"; message: string }
  | { type: "refused"; message: string }
  | {
      type: "ready";
      from: string;
      to: string;
      commits: { commit: string; subject: string }[];
      files: readonly string[];
      differences: ReadonlyMap<string, TreeDifference>;
    };

/** What undoing a run would do. Nothing is changed. */
export async function planUndo(repository: Repository, request: UndoRequest): Promise<UndoPlan> {
  const { tag, branch, ofRun } = request;
  const to = await resolveCommit(repository, `refs/tags/${tag}`);
  if (to === undefined) return refused(`The tag ${tag} is gone, so nobody knows where the run began.`);
  const current = await readHead(repository);
  if (!current.ok) return refused(current.message);
  const { head } = current;
  if (head.branch !== branch || head.commit === undefined) {
    return refused(
      `The run worked on ${branch ?? "a detached HEAD"}. Switch to it first: git switch ${branch ?? tag}.`,
    );
  }
  if (head.commit === to) return { type: "nothing", message: "The branch is where the run began; nothing to undo." };
  if (!(await isAncestor(repository, to, head.commit))) {
    return refused(`${branch ?? "HEAD"} does not come from ${tag} any more: its history was rewritten.`);
  }
  if (!ofRun.includes(head.commit)) return refused(await foreignCommits(repository, { to, tip: head.commit, ofRun }));
  return planFiles(repository, { request, from: head.commit, to });
}

/** Files first, then the index, the branch last: whoever is interrupted begins again. */
export async function undoRun(repository: Repository, request: UndoRequest): Promise<UndoPlan> {
  const plan = await planUndo(repository, request);
  if (plan.type !== "ready") return plan;
  const entries = await readTree(repository, plan.to);
  if (!entries.ok) return refused(entries.message);
  const paths = [...plan.differences.keys()];
  const files = await restoreFromTree(repository, { tree: plan.to, entries: entries.entries, paths });
  if (!files.ok) return refused(`The files could not be put back: ${files.message}`);
  const edits = new Map([...plan.differences].map(([path, { before }]) => [path, before]));
  const index = await writeIndexEntries(repository, edits);
  if (!index.ok) return refused(`The index could not be put back: ${index.message}`);
  await repository.git({ arguments: ["update-index", "-q", "--refresh"] });
  const moved = await repository.git({
    arguments: ["update-ref", "--no-deref", "-m", `ralph: undo ${request.tag}`, reference(request), plan.to, plan.from],
  });
  if (!moved.ok) return refused(`The branch could not be moved back: ${moved.message}`);
  return leaveRunBranch(repository, { request, plan });
}

function reference({ branch }: UndoRequest): string {
  return branch === undefined ? "HEAD" : `refs/heads/${branch}`;
}

interface FilesRequest {
  request: UndoRequest;
  from: string;
  to: string;
}

async function planFiles(repository: Repository, { request, from, to }: FilesRequest): Promise<UndoPlan> {
  const changed = await compareTrees(repository, to, from);
  if (!changed.ok) return refused(changed.message);
  const now = await readWorkspaceState(repository, { base: to, exclude: request.exclude });
  if (!now.ok) return refused(now.message);
  const inTheWay = [...changed.differences.keys()].filter((path) => {
    const entry = now.state.entries.get(path);
    return entry?.isDirty && !sameValue(entry.now, entry.base);
  });
  if (inTheWay.length > 0) {
    const names = inTheWay.slice(0, 10).map(shownPath).join(", ");
    return refused(`Files of the run have uncommitted changes: ${names}. Commit or stash them, then undo again.`);
  }
  const commits = await commitsBetween(repository, to, from);
  const files = [...changed.differences.keys()].sort();
  return { type: "ready", from, to, commits, files, differences: changed.differences };
}

interface Foreign {
  to: string;
  tip: string;
  ofRun: readonly string[];
}

async function foreignCommits(repository: Repository, { to, tip, ofRun }: Foreign): Promise<string> {
  const commits = await commitsBetween(repository, to, tip);
  const last = commits.findIndex(({ commit }) => ofRun.includes(commit));
  const others = commits.slice(0, last < 0 ? commits.length : last);
  const named = others.slice(0, 5).map(({ commit, subject }) => `${commit.slice(0, 8)} ${subject}`);
  return `${others.length} commits that are not the run's are on top: ${named.join("; ")}. Take them off first, or use git revert for the run's commits.`;
}

interface Leaving {
  request: UndoRequest;
  plan: UndoPlan & { type: "ready" };
}

async function leaveRunBranch(repository: Repository, { request, plan }: Leaving): Promise<UndoPlan> {
  const { returnTo, branch } = request;
  if (returnTo === undefined || branch === undefined || returnTo === branch) return plan;
  const switched = await switchBranch(repository, returnTo);
  if (switched.type !== "switched") return plan;
  await repository.git({ arguments: ["update-ref", "-d", `refs/heads/${branch}`, plan.to] });
  return plan;
}

/** The tags of a task's runs, newest first. */
export async function runTags(repository: Repository, task: string): Promise<string[]> {
  const prefix = `refs/tags/${runTag({ task, run: "" })}`;
  const listed = await repository.git({ arguments: ["for-each-ref", "--format=%(refname)", prefix] });
  if (!listed.ok) return [];
  return gitText(listed)
    .split("\n")
    .filter(Boolean)
    .map((name) => name.replace(/^refs\/tags\//, ""))
    .reverse();
}

function refused(message: string): UndoPlan & { type: "refused" } {
  return { type: "refused", message };
}
