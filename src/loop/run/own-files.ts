import { copyFileSync, mkdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { Task } from "../../protocol/loop-tasks.ts";

/** What the loop itself reads and writes in the task's folder. Changes there are neither progress nor the agent's work. */
export interface OwnFiles {
  /** Absolute; undefined where there is no prd.json. */
  prd: string | undefined;
  progress: string;
  /** The same as paths from the root, where they lie inside of it. */
  prdInRoot: string | undefined;
  progressInRoot: string | undefined;
  /** All of them, with the progress files that were set aside. */
  inRoot: readonly string[];
}

/** `root` is that of the person's own working tree, also where the agent works in another one. */
export function ownFiles(task: Task, root: string, hasFile: boolean): OwnFiles {
  const folder = hasFile ? dirname(task.file) : task.directory;
  const inside = (path: string) => {
    const way = relative(root, path);
    return way.startsWith("..") ? undefined : way;
  };
  const prd = hasFile ? task.file : undefined;
  const progress = join(folder, "progress.txt");
  const all = [...(prd === undefined ? [] : [prd]), progress, ...SET_ASIDE.map((name) => join(folder, name))];
  return {
    prd,
    progress,
    prdInRoot: prd === undefined ? undefined : inside(prd),
    progressInRoot: inside(progress),
    inRoot: all.flatMap((path) => inside(path) ?? []),
  };
}

/** progress.txt is set aside under numbered names; beyond these they count as work, which harms nobody. */
const SET_ASIDE = Array.from({ length: 99 }, (_, index) => `progress-${index + 1}.txt`);

/** The agent's own copies in a worktree: given before it starts, and what it wrote about its progress taken after it. */
export function lendOwnFiles({ prd, progress, prdInRoot, progressInRoot }: OwnFiles, worktree: string): void {
  if (prd !== undefined && prdInRoot !== undefined) copy(prd, join(worktree, prdInRoot));
  if (progressInRoot !== undefined) copy(progress, join(worktree, progressInRoot));
}

export function takeProgress({ progress, progressInRoot }: OwnFiles, worktree: string): void {
  if (progressInRoot !== undefined) copy(join(worktree, progressInRoot), progress);
}

/** What is not there is not copied. */
function copy(from: string, to: string): void {
  try {
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(from, to);
  } catch {
    // see above
  }
}
