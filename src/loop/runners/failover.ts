import type { AgentEnding } from "../../protocol/loop-entries.ts";

// When the next agent takes over. A pure function of what happened in this run, so that a resumed run decides the same.

export interface PastRun {
  runner: string;
  ending: AgentEnding;
}

export interface FailoverInput {
  /** In the order they take over. */
  runners: readonly string[];
  /** Oldest first, also of runners that are not in the list. */
  history: readonly PastRun[];
  /** How many failures in a row are too many. */
  threshold: number;
}

export type FailoverChoice =
  | { type: "use"; runner: string; takesOver?: { from: string; reason: string } }
  | { type: "all-failed"; reason: string };

/** The first runner of the list that did not fail too often in a row. One that did is out for the rest of the run. */
export function chooseAfterFailures({ runners, history, threshold }: FailoverInput): FailoverChoice {
  const out = runners.map((runner) => ({ runner, ...failuresOf(runner, history) }));
  const chosen = out.find(({ failures }) => failures < threshold);
  const describe = ({ runner, failures, last }: (typeof out)[number]) =>
    `${runner} failed ${failures} times in a row${last === undefined ? "" : `: ${last}`}`;
  if (chosen === undefined) return { type: "all-failed", reason: out.map(describe).join("; ") || "There is no agent." };
  const previous = out.find(({ runner, failures }) => runner === history.at(-1)?.runner && failures >= threshold);
  if (previous === undefined) return { type: "use", runner: chosen.runner };
  const takesOver = { from: previous.runner, reason: describe(previous) };
  return { type: "use", runner: chosen.runner, takesOver };
}

function failuresOf(runner: string, history: readonly PastRun[]): { failures: number; last?: string } {
  let failures = 0;
  let last: string | undefined;
  for (const { ending } of history.filter((past) => past.runner === runner)) {
    const meaning = MEANING[ending.type];
    if (meaning === "worked") failures = 0;
    if (meaning !== "failed") continue;
    failures++;
    last =
      "message" in ending ? ending.message : `no output for ${"afterSeconds" in ending ? ending.afterSeconds : 0} s`;
  }
  return last === undefined ? { failures } : { failures, last };
}

/** What an ending says about the agent's ability to work; `nothing` neither adds to a row of failures nor breaks it. */
const MEANING: Readonly<Record<AgentEnding["type"], "worked" | "failed" | "nothing">> = {
  // It came to its own end. Whether the story is proven is for the checks, not for this.
  finished: "worked",
  failed: "failed",
  "not-started": "failed",
  refused: "failed",
  // An agent that hangs without a word cannot be told from one that cannot reach its model: another may do better.
  idle: "failed",
  // It was at work until the end: a large story is no fault of the agent, and another one would not be faster for sure.
  "timed-out": "nothing",
  // Waiting cures it.
  quota: "nothing",
  // Somebody else ended it.
  stopped: "nothing",
  "taken-over": "nothing",
  lost: "nothing",
};
