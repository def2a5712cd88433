import type { LoopEntry } from "../../../protocol/loop-entries.ts";
import type { VerdictName } from "../../../protocol/verdicts.ts";
import { counted, type Signs } from "./signs.ts";

type VerdictEntry = Extract<LoopEntry, { type: "verdict" }>;

export interface SummaryView {
  signs: Signs;
  /** What the commands that steer a run call it. */
  task: string;
}

/** The end of a run: what was decided and why, each story with its proof, what it took, and what is needed from a person. */
export function summaryLines(entry: VerdictEntry, { signs, task }: SummaryView): string[] {
  const stories = entry.stories.map((story) => `  ${storyLine(story, signs)}`);
  const need = NEEDED[entry.verdict]?.replaceAll("TASK", task);
  return [
    "",
    `${entry.verdict}: ${entry.reason}`,
    ...stories,
    `  ${usedUp(entry, signs)}`,
    ...(need === undefined ? [] : [`  What is needed: ${need}`]),
  ];
}

/** What a person can do now, with TASK for its name. Where it is undefined nothing is left to do. */
const NEEDED: Readonly<Record<VerdictName, string | undefined>> = {
  done: undefined,
  "blocked-on-human": 'answer with `ralph inject TASK "…"` or in progress.txt, then run it again.',
  stalled:
    'look at the last output with `ralph logs TASK`, then give a hint with `ralph inject TASK "…"` or make the story smaller.',
  flailing: "look at the failing checks above; a hint, a smaller story or another agent (--agent) may help.",
  "quota-wait": "run it again when the quota is free.",
  budget: "run it again to go on with fresh limits, or raise them.",
  "environment-broken": "repair what the reason names, then run it again.",
  stopped: "run it again to go on.",
  checkpointed: "run it again to go on from here.",
  failed: "look at `ralph logs TASK`, repair the cause, then run it again.",
};

function storyLine({ id, passes, verified, receipt }: VerdictEntry["stories"][number], signs: Signs): string {
  if (!passes) return `${signs.open} ${id} open`;
  if (!verified) return `${signs.passed} ${id} passes, unverified`;
  const proof =
    receipt === undefined
      ? ""
      : ` ${signs.dot} receipt ${receipt.id} ${signs.dot} commit ${receipt.commit.slice(0, 9)}`;
  return `${signs.passed} ${id} proven${proof}`;
}

function usedUp({ iterations, usage }: VerdictEntry, { dot }: Signs): string {
  const tokens = usage.inputTokens + usage.outputTokens;
  const parts = [
    counted(iterations, "iteration"),
    ...(tokens === 0 ? [] : [`${counted(tokens, "token")}`]),
    ...(usage.costUsd === undefined ? [] : [`${usage.costUsd.toFixed(2)} USD`]),
  ];
  return parts.join(` ${dot} `);
}
