import { gitText } from "./git.ts";
import { isAncestor, landCandidate } from "./land.ts";
import { shownPath } from "./path-bytes.ts";
import { emptyTree, type Repository, resolveCommit } from "./repository.ts";
import { restoreFromTree } from "./restore-paths.ts";
import { compareTrees, readTree, type TreeDifference } from "./tree-entries.ts";
import { isUnder, sameValue, type WorkspaceState } from "./workspace-state.ts";

// An agent has git too. What the loop has proven must not be lost when it switches, resets or rewrites the branch.

export interface BranchWish {
  /** What has to be checked out; undefined for a HEAD without branch. */
  branch: string | undefined;
  /** What the branch named before, and has to build on. */
  since: string | undefined;
  /** The task's own files, which others look after. */
  exclude: readonly string[];
}

export type KeptBranch =
  | { type: "kept" }
  /** It is as it has to be again. Files of the agent were not touched. */
  | { type: "returned"; message: string }
  /** Nothing was done: a person has to look at it. */
  | { type: "lost"; message: string };

/** Makes sure that the branch of the run is checked out and still has what it had. `state` is that of the working tree now. */
export async function keepBranch(repository: Repository, state: WorkspaceState, wish: BranchWish): Promise<KeptBranch> {
  const { branch, commit } = state.head;
  const isHere = branch === wish.branch;
  if (isHere && commit === wish.since) return { type: "kept" };
  const builds =
    wish.since === undefined || (commit !== undefined && (await isAncestor(repository, wish.since, commit)));
  if (isHere) return builds ? { type: "kept" } : takeUpAgain(repository, state, wish);
  if (!builds)
    return lost(`The agent left ${nameOf(wish)} for ${nameOf({ branch })}, which does not build on it`, wish);
  return goBack(repository, state, wish);
}

/** Onto the branch of the run, with the commits that were made elsewhere. */
async function goBack(repository: Repository, { head }: WorkspaceState, wish: BranchWish): Promise<KeptBranch> {
  const { commit } = head;
  const message = `The agent left ${nameOf(wish)} for ${nameOf(head)}; ${nameOf(wish)} is checked out again, with what was done there.`;
  if (wish.branch === undefined) {
    const detached = await repository.git({ arguments: ["update-ref", "--no-deref", "HEAD", commit ?? ""] });
    return detached.ok ? { type: "returned", message } : lost(detached.message, wish);
  }
  const reference = `refs/heads/${wish.branch}`;
  const tip = await resolveCommit(repository, reference);
  if (commit !== undefined && tip !== commit) {
    if (tip !== undefined && !(await isAncestor(repository, tip, commit)))
      return lost(`The agent left ${nameOf(wish)} for ${nameOf(head)}, and both have commits of their own`, wish);
    const moved = await landCandidate(repository, { branch: wish.branch, from: tip, commit, reason: REASON });
    if (moved.type !== "landed") return lost(moved.message, wish);
  }
  const pointed = await repository.git({ arguments: ["symbolic-ref", "-m", REASON, "HEAD", reference] });
  return pointed.ok ? { type: "returned", message } : lost(pointed.message, wish);
}

const REASON = "ralph: back on the branch of the run";

/** The branch was reset or rewritten: it names what it named again, and files that went with it are put back. */
async function takeUpAgain(repository: Repository, state: WorkspaceState, wish: BranchWish): Promise<KeptBranch> {
  const { since = "", branch } = wish;
  const gone = await takenBack(repository, state, wish);
  if (gone === undefined) return lost(`The agent rewrote ${nameOf(wish)}`, wish);
  const kept = await readTree(repository, since);
  if (!kept.ok) return lost(kept.message, wish);
  const restored = await restoreFromTree(repository, { tree: since, entries: kept.entries, paths: gone });
  if (!restored.ok) return lost(restored.message, wish);
  const moved = await landCandidate(repository, { branch, from: state.head.commit, commit: since, reason: REASON });
  if (moved.type !== "landed") return lost(moved.message, wish);
  const files = gone.length === 0 ? "" : ` and these files are put back: ${listed(gone)}`;
  return {
    type: "returned",
    message: `The agent took ${nameOf(wish)} back behind ${since.slice(0, 12)} or rewrote it; it names that commit again${files}.`,
  };
}

/** Files the branch had changed and that are now as they were before that. What else is different is the agent's work. */
async function takenBack(
  repository: Repository,
  { head, entries }: WorkspaceState,
  { since = "", exclude }: BranchWish,
): Promise<string[] | undefined> {
  const none = emptyTree(repository);
  const common = await repository.git({ arguments: ["merge-base", since, head.commit ?? since] });
  const fork = common.ok ? gitText(common) : none;
  const [ours, theirs] = await Promise.all([
    compareTrees(repository, fork, since),
    compareTrees(repository, fork, head.commit ?? none),
  ]);
  if (!ours.ok || !theirs.ok) return undefined;
  const now = (path: string, { before }: TreeDifference) => {
    const known = entries.get(path);
    if (known !== undefined) return known.now;
    const changed = theirs.differences.get(path);
    return changed === undefined ? before : changed.after;
  };
  return [...ours.differences]
    .filter(([path, change]) => !isUnder(path, exclude) && sameValue(now(path, change), change.before))
    .map(([path]) => path);
}

function lost(what: string, wish: BranchWish): KeptBranch {
  const way = wish.branch === undefined ? `git switch --detach ${wish.since ?? ""}` : `git switch ${wish.branch}`;
  const message = `${what.replace(/\.$/, "")}. Nothing can be proven there: see what is worth keeping, then \`${way}\` and start again.`;
  return { type: "lost", message };
}

function nameOf({ branch }: { branch: string | undefined }): string {
  return branch ?? "a HEAD without branch";
}

const LISTED = 10;

function listed(paths: readonly string[]): string {
  const more = paths.length > LISTED ? ` and ${paths.length - LISTED} more` : "";
  return paths.slice(0, LISTED).map(shownPath).join(", ") + more;
}
