import type { LoopEntry } from "../../protocol/loop-entries.ts";
import type { Story } from "../../protocol/loop-tasks.ts";
import type { Verdict } from "../../protocol/verdicts.ts";
import { decideNext } from "../rules/decide-next.ts";
import type { LoopHistory, NextStep } from "../rules/history.ts";
import { spending } from "../rules/spending.ts";
import { RUNNER_NAMES, type RunnerName } from "../runners/runner.ts";
import { JournalFailure } from "../state/loop-journal.ts";
import { chooseStory } from "../tasks/choose-story.ts";
import { readMarker } from "../transcripts/completion-marker.ts";
import { concludeRun } from "./conclude-run.ts";
import { finishIteration, iterate } from "./iterate.ts";
import { markPassed, settleLanding } from "./land-story.ts";
import type { LiveRun } from "./live-run.ts";
import { writeProgress } from "./note-progress.ts";
import { openRun } from "./open-run.ts";
import { proveClaims, recheckAll } from "./prove-claims.ts";
import { WorkspaceFailure } from "./read-state.ts";
import type { RunRequest, RunWorld } from "./run-request.ts";

export type VerdictEntry = Extract<LoopEntry, { type: "verdict" }>;

export type RunResult =
  | { ok: true; verdict: VerdictEntry }
  /** Nothing was begun: another loop works on the task, the repository cannot be used, … */
  | { ok: false; message: string };

/** Runs a fresh agent on story after story until the harness itself decides that it is over, and why. */
export async function runLoop(request: RunRequest, world: RunWorld): Promise<RunResult> {
  const opened = await openRun(request, world);
  if (!opened.ok) return opened;
  const { run } = opened;
  try {
    // A signal that came before anybody could hear it.
    if (world.signal.aborted) await run.steering.stop();
    const verdict = await decide(run);
    await opened.leave();
    await concludeRun(run, verdict);
    const entry = await run.journal.append(verdictEvent(run, verdict));
    if (entry.type !== "verdict") throw new Error("A verdict was stored as something else.");
    await opened.over(entry);
    return { ok: true, verdict: entry };
  } catch (error) {
    if (error instanceof JournalFailure) return { ok: false, message: `The run cannot be kept: ${error.message}` };
    throw error;
  } finally {
    await opened.close();
  }
}

async function decide(run: LiveRun): Promise<Verdict> {
  try {
    await goOnWhereItStopped(run);
    await proveClaims(run);
    return await workUntilDecided(run);
  } catch (error) {
    if (error instanceof WorkspaceFailure) return { verdict: "environment-broken", reason: error.message };
    throw error;
  }
}

/** A run that was killed: what it had proven is settled, and the iteration it was in is finished without its agent. */
async function goOnWhereItStopped(run: LiveRun): Promise<void> {
  await markPassed(run);
  await settleLanding(run);
  const { iteration, agentEnded } = run.journal.state();
  if (iteration === undefined) return;
  const story = storiesOf(run).find(({ id }) => id === iteration.story);
  if (story === undefined) return;
  const finalMessage = agentEnded?.finalMessage ?? "";
  await finishIteration(run, story, {
    ending: agentEnded?.ending ?? { type: "lost" },
    marker: readMarker({ finalMessage }),
    finalMessage,
    questions: [],
    denied: [],
    ...(agentEnded?.usage && { usage: agentEnded.usage }),
    endsAsking: false,
  });
}

async function workUntilDecided(run: LiveRun): Promise<Verdict> {
  for (;;) {
    await run.steering.park();
    const choice = chooseStory(storiesOf(run));
    const history = historyOf(run, choice.type === "story" ? choice.story : undefined);
    const step = decideNext(history);
    if (step.type === "stop") {
      const verdict = step.verdict.verdict === "done" ? await confirmed(run, step.verdict) : step.verdict;
      if (verdict !== undefined) return verdict;
    } else if (step.type === "wait") {
      await waitFor(run, step);
    } else if (choice.type !== "story") {
      return { verdict: "blocked-on-human", reason: blockedStories(choice) };
    } else {
      await beforeIteration(run, step.runner);
      if (hasRequest(run) || run.steering.isTakenOver) continue;
      await iterate(run, { story: choice.story, runner: runnerNamed(step.runner) });
    }
  }
}

/** Undefined where the loop goes round once more. */
async function confirmed(run: LiveRun, done: Verdict): Promise<Verdict | undefined> {
  const result = await recheckAll(run);
  if (result === "all-pass") return done;
  if (result === "again") return undefined;
  return { verdict: "stopped", reason: "A person stopped it while all that passes was checked once more." };
}

/** The stories of the task, passing where the journal says so: what the file says is only a claim. */
function storiesOf({ trusted, journal }: LiveRun): Story[] {
  const { passed } = journal.state();
  return trusted.task.stories.map((story) => ({ ...story, passes: passed.has(story.id) }));
}

function historyOf(run: LiveRun, story: Story | undefined): LoopHistory {
  const { records, passed, request, resumedAt } = run.journal.state();
  const { task } = run.trusted;
  const order = story === undefined ? undefined : run.request.runnersFor(story);
  return {
    records,
    limits: run.request.limits,
    runners: order?.ok ? order.runners : [],
    failoverThreshold: task.failoverThreshold,
    stories: {
      total: task.stories.length,
      open: task.stories.filter(({ id }) => !passed.has(id)).map(({ id }) => id),
      verified: [...passed.values()].filter(({ verified }) => verified).length,
    },
    ...(resumedAt !== undefined && { resumedAt: Date.parse(resumedAt) }),
    ...(request !== undefined && { request }),
    now: run.world.clock.now(),
  };
}

function runnerNamed(name: string): RunnerName {
  const known = RUNNER_NAMES.find((one) => one === name);
  if (known === undefined) throw new Error(`There is no runner ${name}.`);
  return known;
}

function hasRequest({ journal }: LiveRun): boolean {
  return journal.state().request !== undefined;
}

/** The pause between two iterations, a change of runners told, and the person asked where they want to be. */
async function beforeIteration(run: LiveRun, runner: string): Promise<void> {
  const { journal, request, steering } = run;
  const last = journal.state().records.at(-1);
  if (last !== undefined && last.runner !== runner && last.ending.type !== "finished") {
    const reason = "message" in last.ending ? last.ending.message : last.ending.type;
    await journal.append({ type: "failover", from: last.runner, to: runner, reason });
    await writeProgress(
      run,
      `${last.runner} hands over to ${runner} after iteration ${last.iteration} (run ${run.id})`,
      [`- ${reason}`],
    );
  }
  if (await wantsToQuit(run)) await steering.stop();
  else if (last !== undefined) await sleep(run, request.sleepSeconds * 1000);
}

/** What the person says between two iterations, where they want to be asked. A wish from elsewhere ends the question. */
async function wantsToQuit({ world, steering }: LiveRun): Promise<boolean> {
  const { pause } = world;
  if (pause === undefined) return false;
  const { result, cause } = await steering.interruptible(pause);
  return cause === undefined && result === "quit";
}

async function waitFor(run: LiveRun, { until, why, reason }: Extract<NextStep, { type: "wait" }>): Promise<void> {
  const { journal, world } = run;
  if (why === "breaker") await journal.append({ type: "breaker", state: "open", reason });
  await journal.append({ type: "waiting", until: new Date(until).toISOString(), reason });
  await sleep(run, until - world.clock.now());
  if (why === "breaker" && !hasRequest(run)) await journal.append({ type: "breaker", state: "half-open", reason });
}

/** Ends early when somebody wants something. */
async function sleep({ world, steering, journal }: LiveRun, ms: number): Promise<void> {
  if (ms <= 0 || journal.state().request !== undefined || steering.isTakenOver) return;
  const controller = new AbortController();
  const woken = steering.nextWish().then(() => controller.abort());
  await Promise.race([world.clock.sleep(ms, controller.signal), woken]);
  controller.abort();
}

type Blocked = Exclude<ReturnType<typeof chooseStory<Story>>, { type: "story" }>;

function blockedStories(choice: Blocked): string {
  if (choice.type === "all-pass") return "No story is open.";
  const parts = choice.blocked.map(({ story, waitsFor }) => `${story.id} waits for ${waitsFor.join(", ")}`);
  return `No open story can be begun: ${parts.join("; ")}.`;
}

function verdictEvent(run: LiveRun, verdict: Verdict): Omit<VerdictEntry, "time"> {
  const { records, passed, iteration } = run.journal.state();
  const { inputTokens, outputTokens, costUsd } = spending(records);
  return {
    type: "verdict",
    ...verdict,
    stories: run.trusted.task.stories.map(({ id }) => {
      const known = passed.get(id);
      const receipt = known?.receipt;
      return { id, passes: known !== undefined, verified: known?.verified ?? false, ...(receipt && { receipt }) };
    }),
    // One that could not be finished, because the workspace broke, was one all the same.
    iterations: records.length + (iteration === undefined ? 0 : 1),
    usage: { inputTokens, outputTokens, ...(costUsd !== undefined && { costUsd }) },
  };
}
