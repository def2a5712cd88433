import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Repository } from "./repository.ts";

/** What git has begun and waits for a person with, by the file that says so. */
const OPERATIONS: readonly { file: string; what: string; finish: string; giveUp: string }[] = [
  { file: "MERGE_HEAD", what: "merge", finish: "git merge --continue", giveUp: "git merge --abort" },
  { file: "rebase-merge", what: "rebase", finish: "git rebase --continue", giveUp: "git rebase --abort" },
  { file: "rebase-apply", what: "rebase", finish: "git rebase --continue", giveUp: "git rebase --abort" },
  {
    file: "CHERRY_PICK_HEAD",
    what: "cherry-pick",
    finish: "git cherry-pick --continue",
    giveUp: "git cherry-pick --abort",
  },
  { file: "REVERT_HEAD", what: "revert", finish: "git revert --continue", giveUp: "git revert --abort" },
];

/** Commits of a loop would end up in the middle of it, and giving it up would take them along. Undefined where nothing is begun. */
export function unfinishedOperation({ gitDirectory, root }: Repository): string | undefined {
  const begun = OPERATIONS.find(({ file }) => existsSync(join(gitDirectory, file)));
  if (begun === undefined) return undefined;
  const { what, finish, giveUp } = begun;
  return `A ${what} is not finished in ${root}. Finish it with \`${finish}\`, give it up with \`${giveUp}\`, or use --worktree.`;
}
