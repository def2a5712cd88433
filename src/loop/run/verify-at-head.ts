import type { Story } from "../../protocol/loop-tasks.ts";
import { type Verification, verifyStory } from "../checks/verify-story.ts";
import type { Candidate } from "../git/candidate.ts";
import { readHead, resolveCommit, treeOf } from "../git/repository.ts";
import { checkPlace } from "./check-place.ts";
import type { LiveRun } from "./live-run.ts";
import { NO_SEAL } from "./prove-story.ts";
import { WorkspaceFailure } from "./read-state.ts";

/** What the branch names now, as something that can be checked. Undefined where there is no commit. */
export async function headCandidate({ repository }: LiveRun): Promise<Candidate | undefined> {
  const head = await readHead(repository);
  if (!head.ok) throw new WorkspaceFailure(head.message);
  const { commit } = head.head;
  if (commit === undefined) return undefined;
  const tree = (await treeOf(repository, commit)) ?? "";
  const parent = await resolveCommit(repository, `${commit}^`);
  return { commit, tree, parent, files: [], heldOut: [], warnings: [], isEmpty: true };
}

/** Runs a story's checks on work that was there before. Whether they would fail without it cannot be known. */
export async function verifyAtHead(run: LiveRun, story: Story, candidate: Candidate): Promise<Verification> {
  const iteration = run.journal.state().records.length;
  const { result } = await run.steering.interruptible((signal) =>
    verifyStory(run.repository, {
      story,
      candidate,
      since: candidate.commit,
      base: run.seal.base,
      isOldWork: true,
      seal: run.seal.stories.get(story.id) ?? NO_SEAL,
      message: `${story.id}: checked`,
      setup: run.trusted.task.setup,
      exclude: run.own.inRoot,
      place: checkPlace(run, signal),
      receipt: { id: crypto.randomUUID().slice(0, 13), run: run.id, iteration },
      now: () => new Date(run.world.clock.now()).toISOString(),
    }),
  );
  const { commit, tree } = result.candidate;
  await run.journal.append({ type: "checks-ended", iteration, story: story.id, commit, tree, results: result.results });
  return result;
}
