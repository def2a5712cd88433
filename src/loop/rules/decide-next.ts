import type { IterationRecord } from "../../protocol/loop-entries.ts";
import type { Verdict } from "../../protocol/verdicts.ts";
import { failureStep, isFailure, runnerInTurn } from "./failures.ts";
import type { LoopHistory, NextStep } from "./history.ts";
import { circlingIterations, idleIterations, prematureClaims, returnsToOldStates } from "./progress.ts";
import { quotaStep } from "./quota.ts";
import { exhaustedLimit, spending } from "./spending.ts";

const IDLE_LIMIT = 3;
const CLAIM_LIMIT = 3;
const CIRCLE_LIMIT = 6;
const RETURN_LIMIT = 3;
/** The same refusal this often in a row is a question to a person. */
const DENIED_LIMIT = 2;

/**
 * Whether the loop goes on, waits or is over: a pure function of what was measured. Done comes first, so that the last allowed
 * iteration can still finish the work; the limits come last.
 */
export function decideNext(history: LoopHistory): NextStep {
  for (const rule of RULES) {
    const step = rule(history);
    if (step !== undefined) return step;
  }
  return { type: "go-on", runner: runnerInTurn(history) };
}

type Rule = (history: LoopHistory) => NextStep | undefined;

const RULES: readonly Rule[] = [
  allPass,
  requested,
  asked,
  outsideGuard,
  checksCannotRun,
  refused,
  claimsOnly,
  nothingChanges,
  inCircles,
  limitReached,
  quotaStep,
  failureStep,
];

function allPass({ stories }: LoopHistory): NextStep | undefined {
  const { open, total, verified } = stories;
  if (open.length > 0) return undefined;
  const isOne = total === 1;
  const what = isOne ? "The story passes" : `All ${total} stories pass`;
  if (verified === total) return stop("done", `${what}, ${isOne ? "" : "each "}proven by its checks.`);
  return stop("done", `${what}, ${verified} proven by checks, ${total - verified} unverified.`);
}

function requested({ request, stories }: LoopHistory): NextStep | undefined {
  if (request === undefined) return undefined;
  const left = `${stories.open.length} of ${stories.total} stories are open.`;
  if (request === "stop") return stop("stopped", `A person stopped it. ${left}`);
  return stop("checkpointed", `A person paused it; the next run goes on from here. ${left}`);
}

function asked({ records }: LoopHistory): NextStep | undefined {
  const last = records.at(-1);
  if (last?.question === undefined) return undefined;
  return stop("blocked-on-human", `${storyOf(last)}needs an answer: ${last.question}`);
}

function outsideGuard({ records }: LoopHistory): NextStep | undefined {
  const outside = records.at(-1)?.outside ?? [];
  if (outside.length === 0) return undefined;
  return stop("failed", `The agent changed files outside of what it may (--allowed-paths): ${listed(outside)}.`);
}

function checksCannotRun({ records }: LoopHistory): NextStep | undefined {
  const problem = records.at(-1)?.environment;
  return problem === undefined ? undefined : stop("environment-broken", problem);
}

function refused({ records }: LoopHistory): NextStep | undefined {
  const lastOnes = records.slice(-DENIED_LIMIT);
  const denied = records.at(-1)?.denied ?? [];
  if (lastOnes.length < DENIED_LIMIT || !lastOnes.every(isHeldUp)) return undefined;
  return stop(
    "blocked-on-human",
    `The agent may not do what it needs: ${listed(denied)}. Allow it with a rule, or do it yourself.`,
  );
}

function isHeldUp({ denied = [], changed, receipts }: IterationRecord): boolean {
  return denied.length > 0 && !changed && receipts.length === 0;
}

function claimsOnly({ records }: LoopHistory): NextStep | undefined {
  const claims = prematureClaims(records);
  const last = records.at(-1);
  if (claims < CLAIM_LIMIT || last === undefined) return undefined;
  return stop("stalled", `The agent said ${claims} times in a row that it was done, but ${whatIsMissing(last)}`);
}

function nothingChanges({ records }: LoopHistory): NextStep | undefined {
  const last = records.at(-1);
  // Failing runners have their own rule, with another runner and a pause; a quota is no lack of progress.
  const idle = idleIterations(records.filter((record) => !isFailure(record) && record.ending.type !== "quota"));
  if (last === undefined || isFailure(last) || last.ending.type === "quota" || idle < IDLE_LIMIT) return undefined;
  return stop("stalled", `${idle} iterations in a row changed nothing: ${whatIsMissing(last)}`);
}

function inCircles({ records }: LoopHistory): NextStep | undefined {
  const last = records.at(-1);
  if (last === undefined) return undefined;
  const returns = returnsToOldStates(records);
  if (returns >= RETURN_LIMIT)
    return stop("flailing", `The work goes back and forth between the same states; ${whatIsMissing(last)}`);
  const circling = circlingIterations(records);
  if (circling < CIRCLE_LIMIT) return undefined;
  return stop(
    "flailing",
    `${circling} iterations changed files and brought ${last.story ?? "the work"} no further: ${whatIsMissing(last)}`,
  );
}

function limitReached({ records, limits }: LoopHistory): NextStep | undefined {
  const limit = exhaustedLimit(spending(records), limits);
  const last = records.at(-1);
  if (limit === undefined) return undefined;
  return stop(
    "budget",
    `The limit of ${limit} is reached. ${last === undefined ? "" : `Open: ${listed(last.open)}.`}`.trim(),
  );
}

function whatIsMissing({ failing, story, open }: IterationRecord): string {
  if (failing.length > 0)
    return `${listed(failing)} ${failing.length === 1 ? "does" : "do"} not prove ${story ?? "a story"} yet.`;
  return `${listed(open)} ${open.length === 1 ? "is" : "are"} open.`;
}

function storyOf({ story }: IterationRecord): string {
  return story === undefined ? "The agent " : `${story} `;
}

const LISTED = 5;

function listed(items: readonly string[]): string {
  const shown = items.slice(0, LISTED).join(", ");
  return items.length > LISTED ? `${shown} and ${items.length - LISTED} more` : shown;
}

function stop(verdict: Verdict["verdict"], reason: string): NextStep {
  return { type: "stop", verdict: { verdict, reason } };
}
