import { switchBranch } from "./branch.ts";
import type { GitFailure } from "./git.ts";
import { revertPaths } from "./guard.ts";
import { commitsBetween, isAncestor } from "./land.ts";
import { foldersOf, shownPath } from "./path-bytes.ts";
import { type Repository, readHead, readSafeSettings, resolveCommit } from "./repository.ts";
import { restoreFromTree } from "./restore-paths.ts";
import { writeIndexEntries } from "./temporary-index.ts";
import { compareTrees, readTree, type TreeDifference } from "./tree-entries.ts";
import { isUnder, readWorkspaceState, sameValue, type WorkspaceState } from "./workspace-state.ts";
import { listWorktrees } from "./worktree.ts";

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
  /** The task's own files: they stay as they are in the working tree. */
  exclude: readonly string[];
  /** What the run's agents left uncommitted or made of the person's changes, and nobody changed since; how things were before. */
  left?: { paths: readonly string[]; before: WorkspaceState };
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
      /** The branch is not checked out: no file changes. */
      isElsewhere: boolean;
    };

type ReadyPlan = Extract<UndoPlan, { type: "ready" }>;

/** What undoing a run would do. Nothing is changed. */
export async function planUndo(repository: Repository, request: UndoRequest): Promise<UndoPlan> {
  const { tag, branch, ofRun, left, returnTo } = request;
  const to = await resolveCommit(repository, `refs/tags/${tag}`);
  if (to === undefined) return refused(`The tag ${tag} is gone, so nobody knows where the run began.`);
  const found = await findTip(repository, branch);
  if (found.type !== "tip") return found;
  const { tip, isElsewhere } = found;
  const isUnchanged = tip === to && (isElsewhere || (left?.paths.length ?? 0) === 0);
  if (isUnchanged && returnTo === undefined)
    return { type: "nothing", message: "The branch is where the run began; nothing to undo." };
  if (!(await isAncestor(repository, to, tip))) {
    return refused(`${branch ?? "HEAD"} does not come from ${tag} any more: its history was rewritten.`);
  }
  if (tip !== to && !ofRun.includes(tip)) return refused(await foreignCommits(repository, { to, tip, ofRun }));
  return planFiles(repository, { request, from: tip, to, isElsewhere });
}

type Tip = { type: "tip"; tip: string; isElsewhere: boolean };

/** What the run's branch names. One that is checked out nowhere can be moved without any file. */
async function findTip(repository: Repository, branch: string | undefined): Promise<Tip | UndoPlan> {
  const current = await readHead(repository);
  if (!current.ok) return refused(current.message);
  const { head } = current;
  if (head.branch === branch && head.commit !== undefined) return { type: "tip", tip: head.commit, isElsewhere: false };
  if (branch === undefined) return refused("The run worked on a detached HEAD, and now a branch is checked out.");
  const tip = await resolveCommit(repository, `refs/heads/${branch}`);
  if (tip === undefined)
    return { type: "nothing", message: `The branch ${branch} of the run is gone; nothing to undo.` };
  const place = (await listWorktrees(repository)).find((worktree) => worktree.branch === `refs/heads/${branch}`);
  if (place !== undefined) return refused(`${branch} is checked out in ${place.directory}. Undo it there.`);
  return { type: "tip", tip, isElsewhere: true };
}

/** Files first, then the index, the branch last: whoever is interrupted begins again. */
export async function undoRun(repository: Repository, request: UndoRequest): Promise<UndoPlan> {
  const plan = await planUndo(repository, request);
  if (plan.type !== "ready") return plan;
  const problem = plan.isElsewhere ? undefined : await putFilesBack(repository, request, plan);
  if (problem !== undefined) return refused(problem);
  const moved = await repository.git({
    arguments: ["update-ref", "--no-deref", "-m", `ralph: undo ${request.tag}`, reference(request), plan.to, plan.from],
  });
  if (!moved.ok) return refused(`The branch could not be moved back: ${moved.message}`);
  await leaveRunBranch(repository, request, plan);
  return plan;
}

async function putFilesBack(
  repository: Repository,
  { exclude, left }: UndoRequest,
  { to, differences }: ReadyPlan,
): Promise<string | undefined> {
  const entries = await readTree(repository, to);
  if (!entries.ok) return entries.message;
  const paths = [...differences.keys()].filter((path) => !isUnder(path, exclude));
  const files = await restoreFromTree(repository, { tree: to, entries: entries.entries, paths });
  if (!files.ok) return `The files could not be put back: ${files.message}`;
  const problems = left === undefined ? [] : await revertPaths(repository, { ...left, paths: leftIn(left, paths) });
  if (problems.length > 0) return `The files could not be put back: ${problems.join("; ")}`;
  const edits = new Map([...differences].map(([path, { before }]) => [path, before]));
  const index = await writeIndexEntries(repository, edits);
  if (!index.ok) return `The index could not be put back: ${index.message}`;
  await repository.git({ arguments: ["update-index", "-q", "--refresh"] });
  return undefined;
}

/** Also files that are the run's commits' now and had changes of the person's before: those are what comes back. */
function leftIn({ paths, before }: NonNullable<UndoRequest["left"]>, committed: readonly string[]): string[] {
  const isPersons = (path: string) => {
    const earlier = before.entries.get(path);
    return earlier?.isDirty === true && earlier.problem === undefined;
  };
  return [...new Set([...paths, ...committed.filter(isPersons)])];
}

function reference({ branch }: UndoRequest): string {
  return branch === undefined ? "HEAD" : `refs/heads/${branch}`;
}

interface FilesRequest {
  request: UndoRequest;
  from: string;
  to: string;
  isElsewhere: boolean;
}

async function planFiles(repository: Repository, { request, from, to, isElsewhere }: FilesRequest): Promise<UndoPlan> {
  const { exclude } = request;
  const left = isElsewhere ? [] : (request.left?.paths ?? []);
  const changed = await compareTrees(repository, to, from);
  if (!changed.ok) return refused(changed.message);
  const { differences } = changed;
  const committed = [...differences.keys()];
  const foreign = isElsewhere
    ? []
    : await uncommitted(repository, { to, exclude, committed, left, before: request.left?.before });
  if (typeof foreign === "string") return refused(foreign);
  if (foreign.length > 0) {
    const names = foreign.slice(0, 10).map(shownPath).join(", ");
    return refused(`Files of the run have uncommitted changes: ${names}. Commit or stash them, then undo again.`);
  }
  const commits = await commitsBetween(repository, to, from);
  const files = [...new Set([...differences.keys(), ...left])].filter((path) => !isUnder(path, exclude)).sort();
  return { type: "ready", from, to, commits, files, differences, isElsewhere };
}

interface UncommittedRequest {
  to: string;
  exclude: readonly string[];
  committed: readonly string[];
  left: readonly string[];
  before: WorkspaceState | undefined;
}

/** What somebody changed since: files of the run's commits, and files that stand where one of the run's is put back. */
async function uncommitted(repository: Repository, request: UncommittedRequest): Promise<string[] | string> {
  const { to, exclude, committed, left, before } = request;
  const now = await readWorkspaceState(repository, { base: to, exclude });
  if (!now.ok) return now.message;
  const ofRun = new Set(committed);
  const known = new Set(left);
  const folders = new Set([...committed, ...left].flatMap(foldersOf));
  const isInTheWay = (path: string) =>
    ofRun.has(path) || folders.has(path) || foldersOf(path).some((folder) => ofRun.has(folder) || known.has(folder));
  return [...now.state.entries].flatMap(([path, entry]) => {
    const earlier = before?.entries.get(path);
    const asItWas = earlier?.isDirty ? earlier.now : entry.base;
    const isForeign = entry.isDirty && !known.has(path) && !sameValue(entry.now, asItWas);
    return isForeign && isInTheWay(path) ? [path] : [];
  });
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

/** A branch the run made is removed, unless it cannot be left. */
async function leaveRunBranch(
  repository: Repository,
  { returnTo, branch }: UndoRequest,
  { to, isElsewhere }: ReadyPlan,
): Promise<void> {
  if (returnTo === undefined || branch === undefined || returnTo === branch) return;
  if (!isElsewhere && !(await goBackTo(repository, returnTo))) return;
  await repository.git({ arguments: ["update-ref", "-d", `refs/heads/${branch}`, to] });
}

/** A branch, or the commit where HEAD was detached. */
async function goBackTo(repository: Repository, name: string): Promise<boolean> {
  if ((await resolveCommit(repository, `refs/heads/${name}`)) !== undefined)
    return (await switchBranch(repository, name)).type === "switched";
  const { settings } = await readSafeSettings(repository);
  return (await repository.git({ arguments: ["switch", "--quiet", "--detach", name], settings })).ok;
}

function refused(message: string): UndoPlan & { type: "refused" } {
  return { type: "refused", message };
}
