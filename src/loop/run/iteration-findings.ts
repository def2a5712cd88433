import type { Cheat, IterationRecord } from "../../protocol/loop-entries.ts";
import type { Story } from "../../protocol/loop-tasks.ts";
import type { CheckResult } from "../../protocol/receipts.ts";
import { stateDigest, type WorkspaceState } from "../git/workspace-state.ts";
import type { LiveRun } from "./live-run.ts";
import { checkWords, type Proof } from "./prove-story.ts";
import type { WatchedAgent } from "./watch-agent.ts";

// What the harness makes of an iteration: false claims, questions, what the next agent is told, and the record the stop rules see.

export interface Findings {
  story: Story;
  agent: WatchedAgent;
  proof: Proof | undefined;
  changed: boolean;
}

export function falseClaims({ story, agent, proof, changed }: Findings): Cheat[] {
  if (agent.marker.type !== "complete" || proof?.hasPassed) return [];
  if (proof?.passedBefore) return [];
  const failing = proof?.results.filter(({ exit }) => exit !== 0).map(({ command }) => command) ?? [];
  if (!changed)
    return [{ kind: "empty-claim", detail: `The agent says ${story.id} is done, but nothing was changed.` }];
  const why = failing.length > 0 ? `${failing.join(", ")} fails` : "nothing proves it";
  return [{ kind: "premature-marker", detail: `The agent says ${story.id} is done, but ${why}.` }];
}

/** For the next agent on the story. */
export function rememberFeedback(run: LiveRun, found: Findings & { cheats: readonly Cheat[] }): void {
  const { story, agent, proof, cheats, changed } = found;
  if (proof?.hasPassed) {
    run.feedback.delete(story.id);
    return;
  }
  const remarks = [
    ...(agent.ending.type === "idle" || agent.ending.type === "timed-out"
      ? [`The agent before you was ended after ${agent.ending.afterSeconds} seconds.`]
      : []),
    ...(changed ? [] : ["Nothing was changed."]),
  ];
  run.feedback.set(story.id, {
    failed: proof === undefined ? (run.feedback.get(story.id)?.failed ?? []) : unproven(proof),
    cheats: [...cheats],
    remarks,
  });
}

export interface RecordParts extends Findings {
  cheats: readonly Cheat[];
  outside: readonly string[];
  end: WorkspaceState;
  iteration: number;
}

export function recordOf(run: LiveRun, parts: RecordParts): IterationRecord {
  const { story, agent, proof, cheats, changed, outside, end, iteration } = parts;
  const { passed, iteration: begun } = run.journal.state();
  const question = questionOf(parts);
  return {
    iteration,
    story: story.id,
    runner: begun?.runner ?? "",
    startedAt: begun?.time ?? "",
    endedAt: new Date(run.world.clock.now()).toISOString(),
    ending: agent.ending,
    tree: stateDigest(end),
    changed,
    failing: failingChecks(parts, run),
    open: run.trusted.task.stories.filter(({ id }) => !passed.has(id)).map(({ id }) => id),
    receipts: [...(proof?.receipts ?? [])],
    marker: agent.marker.type === "complete",
    ...(question !== undefined && { question }),
    ...(agent.denied.length > 0 && { denied: [...agent.denied] }),
    cheats: [...cheats],
    ...(agent.usage && { usage: agent.usage }),
    ...(proof?.environment !== undefined && { environment: proof.environment }),
    ...(outside.length > 0 && { outside: [...outside] }),
  };
}

/** Checks that fail, or pass just as well without the work. */
function unproven({ results }: Proof): CheckResult[] {
  return results.filter(({ exit, passesWithout }) => exit !== 0 || passesWithout === true);
}

/** Where no check was run, what failed before on this story still does. */
function failingChecks({ story, proof }: Findings, { journal, feedback }: LiveRun): string[] {
  if (proof?.hasPassed) return [];
  const before = journal.state().records.at(-1);
  if (proof === undefined && before?.story === story.id) return before.failing;
  const failing = proof === undefined ? feedback.get(story.id)?.failed : unproven(proof);
  return (failing ?? []).map(({ command }) => command).sort();
}

/** What a person has to answer or do before anything can go on. Prose counts only where the agent did nothing else. */
function questionOf({ story, agent, proof, changed }: Findings): string | undefined {
  if (proof?.hasPassed) return undefined;
  if (agent.marker.type === "blocked") return agent.marker.needs || "The agent says it is blocked, but not by what.";
  if (agent.questions.length > 0) return agent.questions.join(" ");
  if (proof?.passedBefore && agent.ending.type === "finished") {
    const checks = story.checks.map(checkWords).join(", ");
    return `its checks (${checks}) passed before anything was done, so they prove nothing. Set "passes": true if it is done, or give a check that fails first.`;
  }
  if (changed || agent.ending.type !== "finished" || !agent.endsAsking) return undefined;
  return cut(
    agent.finalMessage
      .trim()
      .split(/\n\s*\n/)
      .at(-1) ?? "",
    LONGEST_QUESTION,
  );
}

const LONGEST_QUESTION = 1000;

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}

/** The end, where the marker stands. */
export function endOf(text: string, length: number): string {
  return text.length <= length ? text : `…${text.slice(1 - length)}`;
}
