import type { Check, Story } from "../../protocol/loop-tasks.ts";
import type { CheckResult } from "../../protocol/receipts.ts";
import { readTextFile } from "../../system/text-file.ts";
import type { StorySeal } from "../checks/seal.ts";
import { type Verification, verifyStory } from "../checks/verify-story.ts";
import { type Candidate, commitMessage, makeCandidate } from "../git/candidate.ts";
import type { LandResult } from "../git/land.ts";
import { shownPath } from "../git/path-bytes.ts";
import { restoreFromTree } from "../git/restore-paths.ts";
import { readTree } from "../git/tree-entries.ts";
import type { WorkspaceState } from "../git/workspace-state.ts";
import { changeStory } from "../tasks/write-task.ts";
import { checkPlace } from "./check-place.ts";
import { landStory } from "./land-story.ts";
import { beforeTheWork, type LiveRun } from "./live-run.ts";
import { nameCheats } from "./name-cheats.ts";

export interface Proof {
  hasPassed: boolean;
  results: readonly CheckResult[];
  /** Ids of new receipts. */
  receipts: readonly string[];
  /** Why nothing could be proven here. */
  environment?: string;
  /** The checks pass, but as they did before anything was done. */
  passedBefore: boolean;
  /** Files of the workspace were put back. */
  hasPutBack: boolean;
}

export interface ProofRequest {
  story: Story;
  iteration: number;
  /** The agent says it is finished. */
  isClaimed: boolean;
  /** The workspace after the agent. */
  after: WorkspaceState;
}

const NOTHING: Proof = { hasPassed: false, results: [], receipts: [], passedBefore: false, hasPutBack: false };
export const NO_SEAL: StorySeal = { files: new Map(), scripts: [], programs: new Map() };

/** Makes a commit of the agent's work, runs the story's checks on it, and lands it where they prove the story. */
export async function proveStory(run: LiveRun, request: ProofRequest): Promise<Proof> {
  const { story } = request;
  const id = crypto.randomUUID().slice(0, 13);
  const message = commitMessage(story, [
    story.checks.length === 0 ? "No check proves it." : `Checks: ${story.checks.map(checkWords).join("; ")}`,
    `Receipt: ${id}`,
  ]);
  const made = await makeCandidate(run.repository, {
    before: run.before,
    after: request.after,
    since: beforeTheWork(run),
    exclude: run.own.inRoot,
    overrides: overridesOf(run, story),
    message,
  });
  if (!made.ok) return { ...NOTHING, environment: made.message };
  await tellHeldOut(run, made.candidate);
  if (story.checks.length === 0) return unverified(run, request, { candidate: made.candidate, proof: NOTHING });
  const verification = await check(run, request, { candidate: made.candidate, message, id });
  return judge(run, request, verification);
}

/** What a run that was killed after a story had passed, and before the iteration was over, had proven. */
export function provenBefore({ journal }: LiveRun, story: Story): Proof | undefined {
  const known = journal.state().passed.get(story.id);
  if (known === undefined) return undefined;
  const { receipt } = known;
  return {
    ...NOTHING,
    hasPassed: true,
    results: receipt?.checks ?? [],
    receipts: receipt === undefined ? [] : [receipt.id],
  };
}

export function checkWords(check: Check): string {
  return check.type === "run" ? check.run : `exists ${check.exists}`;
}

interface Checked {
  candidate: Candidate;
  message: string;
  id: string;
}

async function check(run: LiveRun, { story, iteration }: ProofRequest, checked: Checked): Promise<Verification> {
  const { candidate, message, id } = checked;
  const commands = story.checks.map(checkWords);
  await run.journal.append({ type: "checks-started", iteration, story: story.id, commit: candidate.commit, commands });
  const { result } = await run.steering.interruptible((signal) =>
    verifyStory(run.repository, {
      story,
      candidate,
      since: beforeTheWork(run),
      base: run.seal.base,
      isOldWork: false,
      seal: run.seal.stories.get(story.id) ?? NO_SEAL,
      message,
      setup: run.trusted.task.setup,
      exclude: run.own.inRoot,
      place: checkPlace(run, signal),
      receipt: { id, run: run.id, iteration },
      now: () => new Date(run.world.clock.now()).toISOString(),
    }),
  );
  const { results } = result;
  const { commit, tree } = result.candidate;
  await run.journal.append({ type: "checks-ended", iteration, story: story.id, commit, tree, results });
  for (const message of result.notices) await run.journal.append({ type: "notice", level: "info", message });
  await nameCheats(run, story, result.cheats);
  await putBackSealed(run, result);
  return result;
}

async function judge(run: LiveRun, request: ProofRequest, verification: Verification): Promise<Proof> {
  const { results, candidate, passes, verified, receipt, environmentProblem } = verification;
  const proof: Proof = {
    ...NOTHING,
    results,
    hasPutBack: verification.putBack.length > 0,
    ...(environmentProblem !== undefined && { environment: environmentProblem }),
    passedBefore: !verified && candidate.isEmpty && results.length > 0 && results.every(({ exit }) => exit === 0),
  };
  if (!passes || verification.wasStopped) return proof;
  if (!verified || receipt === undefined) return unverified(run, request, { candidate, proof });
  await run.journal.append({ type: "receipt", receipt });
  const landed = await landStory(run, { ...request, candidate, receipt });
  return landed.type === "landed" ? { ...proof, hasPassed: true, receipts: [receipt.id] } : notLanded(landed, proof);
}

interface Unproven {
  candidate: Candidate;
  proof: Proof;
}

/** Where no check proves a story, the agent's word counts together with a change, and the story is labelled so. */
async function unverified(run: LiveRun, request: ProofRequest, { candidate, proof }: Unproven): Promise<Proof> {
  if (!request.isClaimed || candidate.isEmpty) return proof;
  const landed = await landStory(run, { ...request, candidate });
  return landed.type === "landed" ? { ...proof, hasPassed: true } : notLanded(landed, proof);
}

/** Where somebody else moved the branch, the next iteration builds on theirs. Where it cannot be moved at all, no agent can help. */
function notLanded(landed: Exclude<LandResult, { type: "landed" }>, proof: Proof): Proof {
  return landed.type === "failed" ? { ...proof, environment: landed.message } : proof;
}

/** What the harness writes into the commit for the task's own files, in place of whatever the agent made of them. */
function overridesOf({ own, trusted }: LiveRun, story: Story): Map<string, string | Uint8Array> {
  const overrides = new Map<string, string | Uint8Array>();
  const { document } = trusted;
  const changed = document && changeStory(document, { story: story.id, passes: true });
  if (own.prdInRoot !== undefined && changed !== undefined) overrides.set(own.prdInRoot, changed);
  const progress = readTextFile(own.progress, { maxBytes: MAX_PROGRESS_BYTES });
  if (own.progressInRoot !== undefined && progress.ok) overrides.set(own.progressInRoot, progress.text);
  return overrides;
}

const MAX_PROGRESS_BYTES = 4_000_000;

async function tellHeldOut({ journal }: LiveRun, { heldOut, warnings }: Candidate): Promise<void> {
  for (const { path, why, advice = "Commit or stash it, or use --worktree." } of heldOut.slice(0, MOST_NOTICES)) {
    const message = `${shownPath(path)} is not part of the work that is checked: ${why}. ${advice}`;
    await journal.append({ type: "notice", level: "warning", message });
  }
  for (const message of warnings.slice(0, MOST_NOTICES))
    await journal.append({ type: "notice", level: "warning", message });
}

const MOST_NOTICES = 5;

/** The next agent finds sealed files as they were. */
async function putBackSealed({ repository }: LiveRun, { putBack, candidate }: Verification): Promise<void> {
  if (putBack.length === 0) return;
  const read = await readTree(repository, candidate.tree);
  if (read.ok) await restoreFromTree(repository, { tree: candidate.tree, entries: read.entries, paths: putBack });
}
