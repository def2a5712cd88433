import type { Story } from "../../protocol/loop-tasks.ts";
import type { Receipt } from "../../protocol/receipts.ts";
import type { Candidate } from "../git/candidate.ts";
import { type LandResult, landCandidate } from "../git/land.ts";
import { readBranch, resolveCommit } from "../git/repository.ts";
import { isUnder } from "../git/workspace-state.ts";
import type { UnsettledLanding } from "../state/fold-journal.ts";
import { parseJson } from "../tasks/json-document.ts";
import { changeStory, writeVerdict } from "../tasks/write-task.ts";
import { storeTask } from "./before-state.ts";
import type { LiveRun } from "./live-run.ts";

export interface Landing {
  story: Story;
  iteration: number;
  candidate: Candidate;
  /** Absent where no check proves the story. */
  receipt?: Receipt;
}

/** Moves the branch to the proven commit, then says so in prd.json and the journal. */
export async function landStory(run: LiveRun, { story, iteration, candidate, receipt }: Landing): Promise<LandResult> {
  const head = await readBranch(run.repository);
  const { branch } = run.before.head;
  if (!head.ok || head.branch !== branch) {
    const message = `${story.id} is not landed: ${head.ok ? `${branch ?? "the commit of the run"} is not checked out any more` : head.message}.`;
    await run.journal.append({ type: "notice", level: "warning", message });
    return { type: "moved", message };
  }
  if (receipt === undefined)
    await run.journal.append({ type: "landing", iteration, story: story.id, commit: candidate.commit });
  const landed = await landCandidate(run.repository, {
    branch,
    from: candidate.parent,
    commit: candidate.commit,
    reason: `ralph: ${story.id}`,
    keepsStaged: keepsStaged(run),
  });
  if (landed.type !== "landed") {
    await run.journal.append({ type: "notice", level: "warning", message: landed.message });
    return landed;
  }
  if (landed.warning !== undefined)
    await run.journal.append({ type: "notice", level: "warning", message: landed.warning });
  await settleStory(run, { story: story.id, iteration, commit: candidate.commit, ...(receipt && { receipt }) });
  return landed;
}

export interface Settlement {
  story: string;
  iteration: number;
  /** Absent for a claim that was there before. */
  commit?: string;
  receipt?: Receipt;
}

export async function settleStory(run: LiveRun, { story, iteration, commit, receipt }: Settlement): Promise<void> {
  await run.journal.append({
    type: "story-passed",
    iteration,
    story,
    verified: receipt !== undefined,
    ...(receipt && { receipt: receipt.id }),
    ...(commit !== undefined && { commit }),
  });
  await markStory(run, story, true);
}

/** A run that was killed between the journal and prd.json: the file is brought in line. */
export async function markPassed(run: LiveRun): Promise<void> {
  for (const story of run.journal.state().passed.keys()) {
    const { document } = run.trusted;
    const isMarked = document === undefined || changeStory(document, { story, passes: true }) === document.text;
    if (!isMarked) await markStory(run, story, true);
  }
}

/** Says in prd.json whether a story passes. The file and what the harness remembers of it change together. */
export async function markStory(run: LiveRun, story: string, passes: boolean): Promise<void> {
  const { own, trusted, journal, runFolder } = run;
  if (own.prd === undefined || trusted.document === undefined) return;
  const written = await writeVerdict(trusted.task, { trusted: trusted.document, change: { story, passes } });
  if (!written.ok) {
    const message = `${own.prd} could not be written: ${written.message} The journal has it all the same.`;
    await journal.append({ type: "notice", level: "warning", message });
    return;
  }
  run.trusted = { ...trusted, document: written.document };
  await storeTask(runFolder, written.document.text);
}

/** A run that was killed while a story landed: the rest is done now, and done twice it is done once. */
export async function settleLanding(run: LiveRun): Promise<void> {
  const { unsettled } = run.journal.state();
  if (unsettled === undefined) return;
  const { story, iteration, commit, receipt } = unsettled;
  const landed = await landAgain(run, unsettled);
  if (landed.type !== "landed") {
    const message = `${story} was about to land, but its commit could not be landed: ${landed.message} It is checked again.`;
    await run.journal.append({ type: "notice", level: "warning", message });
    return;
  }
  await settleStory(run, { story, iteration, commit, ...(receipt && { receipt }) });
}

async function landAgain(run: LiveRun, { story, commit }: UnsettledLanding): Promise<LandResult> {
  const { repository, before } = run;
  const head = await readBranch(repository);
  const { branch } = before.head;
  if (!head.ok) return { type: "failed", message: head.message };
  if (head.branch !== branch)
    return { type: "moved", message: `${branch ?? "the commit of the run"} is not checked out.` };
  const from = await resolveCommit(repository, `${commit}^`);
  const reason = `ralph: ${story}`;
  return landCandidate(repository, { branch, from, commit, reason, keepsStaged: keepsStaged(run) });
}

/** What the person had changed before the run may be staged, and so may the task's own files. */
function keepsStaged({ before, own }: LiveRun): (path: string) => boolean {
  return (path) => before.entries.get(path)?.isDirty === true || isUnder(path, own.inRoot);
}

/** `text` as the harness keeps it. */
export function documentOf(text: string) {
  const parsed = parseJson(text);
  return parsed.ok ? parsed.document : undefined;
}
