import type { IterationRecord } from "../../protocol/loop-entries.ts";
import type { LoopHistory, NextStep } from "./history.ts";

const FIRST_PAUSE_MINUTES = 5;
const LONGEST_PAUSE_MINUTES = 60;
const MINUTE = 60_000;

/** A used-up quota is waited for, until the time the agent named or a growing pause, but never longer than the limit in all. */
export function quotaStep({ records, limits, now }: LoopHistory): NextStep | undefined {
  const last = records.at(-1);
  if (last?.ending.type !== "quota") return undefined;
  const lastOther = records.findLastIndex(({ ending }) => ending.type !== "quota");
  const row = records.slice(lastOther + 1);
  const since = Date.parse(row[0]?.endedAt ?? last.endedAt);
  const until = freeAgain(last, row.length);
  if (until <= now) return undefined;
  const message = last.ending.message.replace(/[.\s]+$/, "");
  if (until - since > limits.waitMinutes * MINUTE) {
    const reason = `${message}. That is longer than the ${limits.waitMinutes} minutes a run waits (--max-wait). Start it again later.`;
    return { type: "stop", verdict: { verdict: "quota-wait", reason, until: new Date(until).toISOString() } };
  }
  return { type: "wait", until, why: "quota", reason: `${message}.` };
}

function freeAgain({ ending, endedAt }: IterationRecord, times: number): number {
  const named = ending.type === "quota" && ending.until !== undefined ? Date.parse(ending.until) : Number.NaN;
  if (!Number.isNaN(named)) return named;
  const pause = Math.min(FIRST_PAUSE_MINUTES * 2 ** (times - 1), LONGEST_PAUSE_MINUTES);
  return Date.parse(endedAt) + pause * MINUTE;
}
