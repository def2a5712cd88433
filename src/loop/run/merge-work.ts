import { landMerge, type MergePlan, type MergeWish, planMerge } from "../git/merge.ts";
import type { LiveRun } from "./live-run.ts";
import { verifyAtHead } from "./verify-at-head.ts";

/** Brings finished work into the branch the task is meant for where that is wanted and harmless, or says how a person does it. */
export async function mergeWork(run: LiveRun): Promise<void> {
  const { task } = run.trusted;
  const branch = run.journal.state().run?.branch;
  const target = task.mergeTarget;
  if (!run.isRepository || branch === undefined || target === undefined || target === branch) return;
  const wish = { branch, target };
  if (task.autoMerge !== true) return tell(run, "info", `To merge it: ${commandFor(wish)}`);
  const plan = await planMerge(run.home, wish);
  if (plan.type === "there") return tell(run, "info", `${target} has the work of ${branch} already.`);
  const problem = plan.type === "by-hand" ? plan.message : await merge(run, wish, plan);
  if (problem === undefined) return tell(run, "info", `${branch} is merged into ${target}.`);
  return tell(run, "warning", `${branch} was not merged into ${target}: ${problem}. To do it: ${commandFor(wish)}`);
}

/** Why it was not done. */
async function merge(
  run: LiveRun,
  wish: MergeWish,
  plan: Extract<MergePlan, { type: "ready" }>,
): Promise<string | undefined> {
  const broken = plan.isFastForward ? [] : await brokenByMerge(run, plan);
  if (broken.length > 0) return `together with what is there, ${broken.join(", ")} would not pass any more`;
  if (run.journal.state().request === "stop") return "the run was stopped before";
  const moved = await landMerge(run.home, wish, plan);
  return moved.ok ? undefined : `the branch could not be moved (${moved.message})`;
}

/** Stories that were proven and do not pass on the merged files. */
async function brokenByMerge(run: LiveRun, { commit, tree, from }: Extract<MergePlan, { type: "ready" }>) {
  const { passed } = run.journal.state();
  const proven = run.trusted.task.stories.filter(({ id }) => passed.get(id)?.receipt !== undefined);
  const candidate = { commit, tree, parent: from, files: [], heldOut: [], warnings: [], isEmpty: true };
  const broken: string[] = [];
  for (const story of proven) if (!(await verifyAtHead(run, story, candidate)).passes) broken.push(story.id);
  return broken;
}

function commandFor({ branch, target }: MergeWish): string {
  return `git switch ${target} && git merge ${branch}`;
}

async function tell({ journal }: LiveRun, level: "info" | "warning", message: string): Promise<void> {
  await journal.append({ type: "notice", level, message });
}
