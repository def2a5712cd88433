import type { AgentUsage, IterationRecord, LoopLimits } from "../../protocol/loop-entries.ts";

/**
 * What a run has used up. Waiting for a quota and the time a killed run lay still do not count, and neither does an iteration
 * that only found the quota used up.
 */
export interface Spending extends AgentUsage {
  iterations: number;
  minutes: number;
}

export function spending(records: readonly IterationRecord[]): Spending {
  const worked = records.filter(({ ending }) => ending.type !== "quota");
  const totals: Spending = { iterations: worked.length, minutes: 0, inputTokens: 0, outputTokens: 0 };
  for (const { startedAt, endedAt, usage } of records) {
    totals.minutes += Math.max(0, Date.parse(endedAt) - Date.parse(startedAt)) / 60_000;
    totals.inputTokens += usage?.inputTokens ?? 0;
    totals.outputTokens += usage?.outputTokens ?? 0;
    if (usage?.costUsd !== undefined) totals.costUsd = (totals.costUsd ?? 0) + usage.costUsd;
  }
  return totals;
}

/** The first limit that is used up, in words. */
export function exhaustedLimit(used: Spending, limits: LoopLimits): string | undefined {
  const rows: [used: number, limit: number | undefined, words: (limit: number) => string][] = [
    [used.iterations, limits.iterations, (limit) => `${limit} iterations (--max-iterations)`],
    [used.minutes, limits.minutes, (limit) => `${limit} minutes (--max-minutes)`],
    [used.inputTokens + used.outputTokens, limits.tokens, (limit) => `${limit} tokens (--max-tokens)`],
    [used.costUsd ?? 0, limits.costUsd, (limit) => `${limit} USD (--max-cost)`],
  ];
  for (const [amount, limit, words] of rows) if (limit !== undefined && amount >= limit) return words(limit);
  return undefined;
}
