import type { IterationRecord } from "../../protocol/loop-entries.ts";
import type { LoopHistory, NextStep } from "./history.ts";

// Runners that fail: the next of the list takes over, and when all have failed the breaker opens. After a pause one try is made
// (half-open); a few of those, and the run is over. The state is computed from this run's history: a run that was cut
// off goes on with the next try.

/** Tries after the breaker opened. */
const PROBES = 2;

/** What a runner that cannot be used at all needs is not another try. */
const HOPELESS = new Set(["not-started", "refused"]);

/** Undefined while there is no failure that decides anything but the runner. */
export function failureStep(history: LoopHistory): NextStep | undefined {
  const { runners, failoverThreshold, limits, now, resumedAt = 0 } = history;
  const tail = failuresAtEnd(history.records);
  const place = placeInList(tail, runners, failoverThreshold);
  if (place.type === "runner") return undefined;
  if (place.isHopeless) return brokenEnvironment(tail);
  const probes = place.failuresSince;
  if (probes > PROBES) return failedRun(tail);
  const failedAt = Date.parse(tail.at(-1)?.endedAt ?? "");
  const until = failedAt + limits.coolDownSeconds * 1000 * 2 ** (probes - 1);
  if (now >= until || failedAt < resumedAt) return undefined;
  const reason = `${said(tail)} One more try follows.`;
  return { type: "wait", until, why: "breaker", reason };
}

/** Whose turn it is. A probe begins again with the first. */
export function runnerInTurn({ records, runners, failoverThreshold }: LoopHistory): string {
  const place = placeInList(failuresAtEnd(records), runners, failoverThreshold);
  return (place.type === "runner" ? place.runner : runners[0]) ?? "";
}

/** An agent that was ended for silence or for its time has failed only where it changed nothing. */
export function isFailure({ ending, changed }: IterationRecord): boolean {
  if (ending.type === "failed" || HOPELESS.has(ending.type)) return true;
  return (ending.type === "idle" || ending.type === "timed-out") && !changed;
}

function failuresAtEnd(records: readonly IterationRecord[]): readonly IterationRecord[] {
  const telling = records.filter(({ ending }) => !SAYS_NOTHING.has(ending.type));
  const lastGood = telling.findLastIndex((record) => !isFailure(record));
  return telling.slice(lastGood + 1);
}

/** Somebody else ended it, or waiting cures it: neither adds to a row of failures nor breaks it. */
const SAYS_NOTHING = new Set<IterationRecord["ending"]["type"]>(["quota", "stopped", "taken-over", "lost"]);

type Place =
  | { type: "runner"; runner: string }
  /** `failuresSince`: the one that opened the breaker and those of the tries after it. */
  | { type: "all-failed"; failuresSince: number; isHopeless: boolean };

function placeInList(tail: readonly IterationRecord[], runners: readonly string[], threshold: number): Place {
  let index = 0;
  let failures = 0;
  let hopeless = 0;
  for (const [at, record] of tail.entries()) {
    failures++;
    const isHopeless = HOPELESS.has(record.ending.type);
    if (!isHopeless && failures < threshold) continue;
    index++;
    failures = 0;
    if (isHopeless) hopeless++;
    if (index >= runners.length) {
      return { type: "all-failed", failuresSince: tail.length - at, isHopeless: hopeless === runners.length };
    }
  }
  return { type: "runner", runner: runners[index] ?? "" };
}

function brokenEnvironment(tail: readonly IterationRecord[]): NextStep {
  return { type: "stop", verdict: { verdict: "environment-broken", reason: said(tail) } };
}

function failedRun(tail: readonly IterationRecord[]): NextStep {
  const reason = `${said(tail)} It was tried ${PROBES} times more after a pause.`;
  return { type: "stop", verdict: { verdict: "failed", reason } };
}

function said(tail: readonly IterationRecord[]): string {
  const last = tail.at(-1);
  const runners = [...new Set(tail.map(({ runner }) => runner))].join(", ");
  const howOften = tail.length === 1 ? "failed" : `failed ${tail.length} times in a row`;
  return `${runners} ${howOften}${last === undefined ? "." : `: ${endingInWords(last)}`}`;
}

function endingInWords({ ending }: IterationRecord): string {
  switch (ending.type) {
    case "idle":
      return `no output for ${ending.afterSeconds} seconds (--idle-timeout).`;
    case "timed-out":
      return `not finished after ${ending.afterSeconds} seconds (--iteration-timeout).`;
    case "failed":
    case "not-started":
    case "refused":
      return sentence(ending.message);
    default:
      return `${ending.type}.`;
  }
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
