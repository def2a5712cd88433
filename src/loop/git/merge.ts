import { type GitFailure, gitText } from "./git.ts";
import { isAncestor } from "./land.ts";
import { type Repository, readSafeSettings, resolveCommit } from "./repository.ts";
import { listWorktrees } from "./worktree.ts";

// Finished work goes into another branch without a working tree being touched: the merge is made among objects, and the branch is
// moved only if it is still where it was.

export interface MergeWish {
  branch: string;
  /** The branch it is meant for. */
  target: string;
}

export type MergePlan =
  /** The target has it already. */
  | { type: "there" }
  /** `tree` differs from the branch's own where both sides have changes. */
  | { type: "ready"; from: string; commit: string; tree: string; isFastForward: boolean }
  /** Not by itself: why. */
  | { type: "by-hand"; message: string };

/** What merging would make. Only objects are written; no branch is moved. */
export async function planMerge(repository: Repository, { branch, target }: MergeWish): Promise<MergePlan> {
  const [work, from] = await Promise.all(
    [branch, target].map((name) => resolveCommit(repository, `refs/heads/${name}`)),
  );
  if (work === undefined) return byHand(`there is no branch ${branch}`);
  if (from === undefined) return byHand(`there is no branch ${target}`);
  const place = (await listWorktrees(repository)).find((worktree) => worktree.branch === `refs/heads/${target}`);
  if (place !== undefined) return byHand(`${target} is checked out in ${place.directory}`);
  if (await isAncestor(repository, work, from)) return { type: "there" };
  if (await isAncestor(repository, from, work)) {
    const tree = await repository.git({ arguments: ["rev-parse", "--verify", `${work}^{tree}`] });
    if (!tree.ok) return byHand(tree.message);
    return { type: "ready", from, commit: work, tree: gitText(tree), isFastForward: true };
  }
  return mergeBoth(repository, { branch, target, work, from });
}

interface BothSides extends MergeWish {
  work: string;
  from: string;
}

async function mergeBoth(repository: Repository, { branch, target, work, from }: BothSides): Promise<MergePlan> {
  const { settings, identity } = await readSafeSettings(repository);
  const merged = await repository.git({
    arguments: ["merge-tree", "--write-tree", "--no-messages", from, work],
    settings,
  });
  if (!merged.ok) return byHand("git cannot merge the two without conflicts");
  const tree = gitText(merged);
  const committed = await repository.git({
    arguments: ["commit-tree", tree, "-p", from, "-p", work, "-F", "-"],
    stdin: `Merge branch '${branch}' into ${target}\n`,
    variables: identity,
  });
  if (!committed.ok) return byHand(committed.message);
  return { type: "ready", from, commit: gitText(committed), tree, isFastForward: false };
}

/** Moves the target if it is still where the plan was made. */
export async function landMerge(
  repository: Repository,
  { branch, target }: MergeWish,
  { from, commit }: Extract<MergePlan, { type: "ready" }>,
): Promise<{ ok: true } | GitFailure> {
  const { identity } = await readSafeSettings(repository);
  const moved = await repository.git({
    arguments: [
      ...["update-ref", "--create-reflog", "-m", `ralph: merge ${branch}`],
      ...[`refs/heads/${target}`, commit, from],
    ],
    variables: identity,
  });
  return moved.ok ? { ok: true } : moved;
}

function byHand(message: string): MergePlan {
  return { type: "by-hand", message };
}
