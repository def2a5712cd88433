import type { Usage } from "../protocol/messages.ts";
import type { SessionEntry } from "../protocol/session-entries.ts";

/** What a session has used so far, on all branches: what was left behind was paid for, too. */
export interface SessionTotals {
  /** Answers of models. */
  turns: number;
  usage: Usage;
  /** US dollars, of the answers whose price was known; absent when there was none. */
  cost?: number;
  /** Answers that used tokens and whose price was not known. */
  unpricedTurns: number;
  /** The longest prompt of one answer, in tokens, with what came from the cache. */
  largestPrompt: number;
}

export function sessionTotals(entries: readonly SessionEntry[]): SessionTotals {
  const totals: SessionTotals = {
    turns: 0,
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    unpricedTurns: 0,
    largestPrompt: 0,
  };
  for (const entry of entries) {
    if (entry.type !== "message" || entry.message.role !== "assistant") continue;
    const { usage } = entry.message;
    totals.turns++;
    totals.usage = addUsage(totals.usage, usage);
    totals.largestPrompt = Math.max(totals.largestPrompt, usage.input + usage.cacheRead + usage.cacheWrite);
    if (entry.cost !== undefined) totals.cost = (totals.cost ?? 0) + entry.cost;
    else if (usage.input + usage.output + usage.cacheRead + usage.cacheWrite > 0) totals.unpricedTurns++;
  }
  return totals;
}

function addUsage(one: Usage, other: Usage): Usage {
  const cacheWriteLong = addOptional(one.cacheWriteLong, other.cacheWriteLong);
  const reasoning = addOptional(one.reasoning, other.reasoning);
  return {
    input: one.input + other.input,
    output: one.output + other.output,
    cacheRead: one.cacheRead + other.cacheRead,
    cacheWrite: one.cacheWrite + other.cacheWrite,
    ...(cacheWriteLong !== undefined && { cacheWriteLong }),
    ...(reasoning !== undefined && { reasoning }),
  };
}

function addOptional(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined && other === undefined ? undefined : (one ?? 0) + (other ?? 0);
}
