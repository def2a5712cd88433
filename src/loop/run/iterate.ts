import type { AgentEnding } from "../../protocol/loop-entries.ts";
import type { Story } from "../../protocol/loop-tasks.ts";
import { stateDigest } from "../git/workspace-state.ts";
import type { RunnerName } from "../runners/runner.ts";
import { employAgent } from "./employ-agent.ts";
import { guardPaths } from "./guard-paths.ts";
import { endOf, falseClaims, recordOf, rememberFeedback } from "./iteration-findings.ts";
import { keepWorkspace } from "./keep-workspace.ts";
import { isInWorktree, type LiveRun, provenCommit } from "./live-run.ts";
import { nameCheats } from "./name-cheats.ts";
import { noteProgress } from "./note-progress.ts";
import { takeProgress } from "./own-files.ts";
import { type Proof, provenBefore, proveStory } from "./prove-story.ts";
import { readState } from "./read-state.ts";
import { restoreHarness } from "./restore-harness.ts";
import type { WatchedAgent } from "./watch-agent.ts";

export interface IterationPlan {
  story: Story;
  runner: RunnerName;
}

/** One agent on one story: its prompt, its work, what the harness finds of it. */
export async function iterate(run: LiveRun, { story, runner }: IterationPlan): Promise<void> {
  const { journal } = run;
  const start = await keepWorkspace(run, provenCommit(run));
  const { head } = start;
  const iteration = nextIteration(run);
  const { injected } = journal.state();
  await journal.append({
    type: "iteration-started",
    iteration,
    story: story.id,
    title: story.title,
    runner,
    injected: [...injected],
    ...(head.commit !== undefined && { since: head.commit }),
    tree: stateDigest(start),
  });
  const agent = await employAgent(run, { story, runner, iteration, injected });
  await journal.append({
    type: "agent-ended",
    iteration,
    ending: agent.ending,
    finalMessage: endOf(agent.finalMessage, LONGEST_MESSAGE),
    ...(agent.session !== undefined && { session: agent.session }),
    ...(agent.usage && { usage: agent.usage }),
  });
  if (agent.ending.type === "taken-over") await run.steering.park();
  await finishIteration(run, story, agent);
}

/** What is left of an iteration once its agent has ended, also where that was noticed only after a kill. */
export async function finishIteration(run: LiveRun, story: Story, agent: WatchedAgent): Promise<void> {
  const { journal } = run;
  const begun = journal.state().iteration;
  if (begun === undefined) throw new Error("No iteration has begun.");
  const { iteration } = begun;
  if (isInWorktree(run)) takeProgress(run.own, run.root);
  await nameCheats(run, story, await restoreHarness(run));
  const after = await keepWorkspace(run, begun.since);
  const outside = await guardPaths(run, iteration, after);
  // What was outside may have been taken back.
  const settled = run.request.allowedPaths.length === 0 ? after : await readState(run);
  const changed = stateDigest(settled) !== begun.tree;
  const isClaimed = agent.marker.type === "complete";
  const isUnchecked = run.checked.get(story.id) !== stateDigest(settled);
  const isAllowed = outside.length === 0;
  const isWorth = isAllowed && isWorthProving(agent.ending, { changed, isNew: isClaimed || isUnchecked });
  const proof =
    provenBefore(run, story) ??
    (isWorth ? await proveStory(run, { story, iteration, isClaimed, after: settled }) : undefined);
  await nameCheats(run, story, isAllowed ? falseClaims({ story, agent, proof, changed }) : []);
  const { cheats } = journal.state();
  // Landing changes nothing in the files; only what was sealed and edited is put back in them.
  const end = proof?.hasPutBack ? await readState(run) : settled;
  if (proof !== undefined && isSettled(story, proof)) run.checked.set(story.id, stateDigest(end));
  await noteProgress(run, { story, agent, proof, cheats, iteration });
  rememberFeedback(run, { story, agent, proof, cheats, changed });
  const record = recordOf(run, { story, agent, proof, cheats, changed, outside, end, iteration });
  await journal.append({ type: "iteration-ended", record });
}

function nextIteration({ journal }: LiveRun): number {
  return (journal.state().records.at(-1)?.iteration ?? 0) + 1;
}

/** Doing the same again would find the same. */
function isSettled({ checks }: Story, { results, environment }: Proof): boolean {
  const fails = results.some(({ exit, passesWithout }) => exit !== 0 || passesWithout === true);
  return environment === undefined && (checks.length === 0 || fails);
}

/** What changed nothing proves nothing new, unless the agent claims that it is done already or nobody has looked at it yet. */
function isWorthProving({ type }: AgentEnding, { changed, isNew }: { changed: boolean; isNew: boolean }): boolean {
  if (NOT_WORKED.has(type) || (type === "failed" && !changed)) return false;
  return changed || isNew;
}

const NOT_WORKED = new Set<AgentEnding["type"]>(["not-started", "refused", "quota", "stopped"]);

const LONGEST_MESSAGE = 20_000;
