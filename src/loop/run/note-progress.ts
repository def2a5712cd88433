import type { Cheat } from "../../protocol/loop-entries.ts";
import type { Story } from "../../protocol/loop-tasks.ts";
import { appendProgress } from "../tasks/progress-file.ts";
import type { LiveRun } from "./live-run.ts";
import type { Proof } from "./prove-story.ts";
import type { WatchedAgent } from "./watch-agent.ts";

export interface ProgressNote {
  story: Story;
  agent: WatchedAgent;
  proof: Proof | undefined;
  cheats: readonly Cheat[];
  iteration: number;
}

/** What the next agent, and a person, reads in progress.txt about an iteration. */
export async function noteProgress(run: LiveRun, note: ProgressNote): Promise<void> {
  if (run.request.kind !== "run") return;
  const { story, agent, proof, cheats, iteration } = note;
  const failing = proof?.results.filter(({ exit }) => exit !== 0) ?? [];
  const lines = [
    `- ${outcomeWords(note)}`,
    ...failing.map(({ command, exit }) => `- ${command} failed with exit ${exit}`),
    ...cheats.map(({ kind, detail }) => `- ${kind}: ${detail}`),
    ...(agent.ending.type === "finished" ? [] : [`- the agent ${agent.ending.type}`]),
  ];
  await writeProgress(run, `Iteration ${iteration}: ${story.id} ${story.title} (run ${run.id})`, lines);
}

export async function writeProgress(run: LiveRun, heading: string, lines: readonly string[]): Promise<void> {
  const written = await appendProgress(run.own.progress, { heading, lines });
  if (written.ok) return;
  await run.journal.append({ type: "notice", level: "warning", message: written.message });
}

function outcomeWords({ story, proof }: ProgressNote): string {
  if (proof?.hasPassed)
    return proof.receipts.length > 0 ? `${story.id} is proven by its checks` : `${story.id} passes, unverified`;
  return `${story.id} is open`;
}
