import type { Story } from "../../protocol/loop-tasks.ts";
import type { Verification } from "../checks/verify-story.ts";
import type { Candidate } from "../git/candidate.ts";
import { gitText } from "../git/git.ts";
import { parseTask } from "../tasks/read-task.ts";
import { markStory, settleStory } from "./land-story.ts";
import type { LiveRun } from "./live-run.ts";
import { headCandidate, verifyAtHead } from "./verify-at-head.ts";

// What prd.json says passes is a claim. Where there are checks they are run; where there are none the claim is kept and labelled.

/** To be called when a run begins, before any agent. */
export async function proveClaims(run: LiveRun): Promise<void> {
  const onBranch = await passingOnBranch(run);
  const claimed = run.trusted.task.stories.filter(
    ({ id, passes, checks }) =>
      !run.journal.state().passed.has(id) && (passes || (checks.length > 0 && onBranch.has(id))),
  );
  const head = claimed.some(({ checks }) => checks.length > 0) ? await headCandidate(run) : undefined;
  for (const story of claimed) {
    if (run.journal.state().request === "stop") return;
    await proveClaim(run, story, head);
  }
}

/** What the branch's own prd.json says passes: the person may have given that of another branch, where nothing has landed. */
async function passingOnBranch({ repository, own, seal, trusted }: LiveRun): Promise<ReadonlySet<string>> {
  if (own.prdInRoot === undefined || seal.base === undefined) return new Set();
  const read = await repository.git({ arguments: ["cat-file", "blob", `${seal.base}:${own.prdInRoot}`] });
  const parsed = read.ok ? parseTask(gitText(read), trusted.task) : undefined;
  return new Set(parsed?.ok ? parsed.task.stories.flatMap(({ id, passes }) => (passes ? [id] : [])) : []);
}

async function proveClaim(run: LiveRun, story: Story, head: Candidate | undefined): Promise<void> {
  const iteration = run.journal.state().records.length;
  if (story.checks.length === 0) return settleStory(run, { story: story.id, iteration });
  const checked = head === undefined ? undefined : await verifyAtHead(run, story, head);
  if (checked?.wasStopped) return;
  const receipt = checked?.receipt;
  if (receipt !== undefined) {
    await run.journal.append({ type: "receipt", receipt });
    await settleStory(run, { story: story.id, iteration, receipt });
    return;
  }
  if (story.passes) await reopen(run, story, { reason: "prd.json says it passes, but its checks do not", checked });
}

/**
 * Before a run is done, everything that was proven on an older commit is checked once more on the newest: a later story may have
 * broken it. `again`: something is open again, or a person took over meanwhile.
 */
export async function recheckAll(run: LiveRun): Promise<"all-pass" | "again" | "stopped"> {
  const head = await headCandidate(run);
  const { passed, recheckedTree } = run.journal.state();
  if (head === undefined || recheckedTree === head.tree) return "all-pass";
  const older = run.trusted.task.stories.filter(({ id }) => {
    const receipt = passed.get(id)?.receipt;
    return receipt !== undefined && receipt.tree !== head.tree;
  });
  let allPass = true;
  for (const story of older) {
    const checked = await verifyAtHead(run, story, head);
    if (checked.wasStopped) return run.journal.state().request === "stop" ? "stopped" : "again";
    if (checked.passes) continue;
    allPass = false;
    await reopen(run, story, { reason: "a later change broke it", checked });
  }
  if (!allPass) return "again";
  const stories = older.map(({ id }) => id);
  await run.journal.append({ type: "rechecked", commit: head.commit, tree: head.tree, stories });
  return "all-pass";
}

interface Reopening {
  reason: string;
  checked: Verification | undefined;
}

async function reopen(run: LiveRun, story: Story, { reason, checked }: Reopening): Promise<void> {
  const failed = checked?.results.filter(({ exit }) => exit !== 0) ?? [];
  const iteration = run.journal.state().records.length;
  const failing = failed.map(({ command }) => command);
  await run.journal.append({ type: "story-reopened", iteration, story: story.id, reason, failing });
  await markStory(run, story.id, false);
  run.feedback.set(story.id, { failed, cheats: [], remarks: [`It counted as done, but ${reason}.`] });
}
