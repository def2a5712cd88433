import type { AgentEvent, CompactionResult } from "../../protocol/agent-events.ts";
import type { SessionEntry } from "../../protocol/session-entries.ts";
import { heldAt, isDue, sizeReason } from "../../sessions/compaction/compaction-trigger.ts";
import { changesInForce } from "../../sessions/compaction/history-view.ts";
import { PRUNE_TO } from "../../sessions/compaction/prune-results.ts";
import { spelled } from "../../sessions/compaction/spelled-number.ts";
import type { EntryDraft } from "../../sessions/session.ts";
import { addUsage } from "../../sessions/totals.ts";
import {
  cutOf,
  overflowing,
  type PrunedDraft,
  pruningOf,
  type Survey,
  surveySession,
  surveyWith,
} from "./compaction-survey.ts";
import type { Compactor, CompactorOptions, CompactorState, Spending } from "./compactor.ts";
import { type SummaryOutcome, summariseHistory } from "./summarise-history.ts";
import { createToolReadings } from "./tool-readings.ts";
import { planTrim } from "./trim-history.ts";

// What is decided is stored in one go at the end; until then nothing has changed, so whoever stops or kills it in between finds
// the conversation as it was.

/** Undefined while there is room. */
export async function shortenWhenDue(
  state: CompactorState,
  signal: AbortSignal,
): Promise<CompactionResult | undefined> {
  const survey = surveyNow(state.options);
  const { tokens } = survey.size;
  if (!isDue(tokens, survey.thresholds, heldAt(survey.branch))) return undefined;
  return run(state, survey, { trigger: "automatic", reason: sizeReason(tokens, survey.thresholds), signal });
}

/** A provider refused the conversation. */
export function shortenRefused(state: CompactorState, signal: AbortSignal): Promise<CompactionResult> {
  const survey = overflowing(surveyNow(state.options), state.options.model());
  const reason = `the provider refused the conversation as too long, at about ${spelled(survey.size.tokens)} tokens`;
  return run(state, survey, { trigger: "overflow", reason, signal });
}

export function shortenForPerson(
  state: CompactorState,
  wish: { focus?: string; signal: AbortSignal },
): Promise<CompactionResult> {
  const survey = surveyNow(state.options);
  const reason = `asked for by the person; the conversation is at ${spelled(survey.size.tokens)} of ${spelled(survey.thresholds.window)} tokens`;
  return run(state, survey, { trigger: "person", reason, ...wish });
}

function surveyNow({ session, model, settings, request, toolName }: CompactorOptions): Survey {
  return surveySession({ session, model: model(), settings, request, readings: createToolReadings(toolName) });
}

type Trigger = Extract<AgentEvent, { type: "compaction-start" }>["trigger"];

interface Cause {
  trigger: Trigger;
  reason: string;
  focus?: string;
  signal: AbortSignal;
}

async function run(state: CompactorState, survey: Survey, cause: Cause): Promise<CompactionResult> {
  const { tell } = state.options;
  if (state.isRunning) return { type: "failed", problem: "another compaction is running" };
  state.isRunning = true;
  tell({ type: "compaction-start", trigger: cause.trigger, reason: cause.reason, tokens: survey.size.tokens });
  const result = await shorten(state, survey, cause).finally(() => {
    state.isRunning = false;
  });
  tell({ type: "compaction-end", result });
  return result;
}

/** The cheapest that helps: a larger window, shorter tool results, a summary. */
async function shorten(state: CompactorState, survey: Survey, cause: Cause): Promise<CompactionResult> {
  const { options } = state;
  const promoted = cause.trigger === "person" ? undefined : await options.promote?.();
  if (promoted !== undefined) return { type: "promoted", model: `${promoted.provider}/${promoted.id}` };
  if (cause.signal.aborted) return { type: "interrupted" };
  const cut = cutOf(survey, cause.trigger === "person");
  const pruning = pruningOf(survey, cut?.place ?? 0, PRUNE_TO);
  if (cause.trigger !== "person" && pruning !== undefined && pruning.tokensAfter < survey.thresholds.roomy)
    return storePruning(options, pruning);
  if (cut === undefined) return withoutSummary(state, survey, { cause, pruning, outcome: TOO_LITTLE });
  const outcome = await summariseHistory({
    survey,
    cut,
    allowed: cause.trigger === "person" ? survey.size.tokens : survey.thresholds.trigger,
    summariser: {
      ...(options.summariser ?? { model: options.model(), streamModel: options.streamModel }),
      request: options.request,
    },
    signal: cause.signal,
    ...(cause.focus === undefined ? {} : { focus: cause.focus }),
  });
  state.spent = bothSpent(state.spent, outcome.spent);
  if (outcome.type !== "written") return withoutSummary(state, survey, { cause, pruning, outcome });
  const { draft, spent } = outcome;
  const result: CompactionResult = {
    type: "summarised",
    messages: cut.place,
    tokensBefore: draft.tokensBefore,
    tokensAfter: draft.tokensAfter ?? draft.tokensBefore,
    ...(spent?.cost === undefined ? {} : { cost: spent.cost }),
  };
  return store(options, [draft], result);
}

type Unwritten = Exclude<SummaryOutcome, { type: "written" }>;

const TOO_LITTLE: Unwritten = { type: "rejected", problem: "there are too few messages to summarise" };

interface Fallback {
  cause: Cause;
  pruning: PrunedDraft | undefined;
  outcome: Unwritten;
}

/** There is no summary. What was paid for it is kept in the session all the same. */
async function withoutSummary(
  state: CompactorState,
  survey: Survey,
  { cause, pruning, outcome }: Fallback,
): Promise<CompactionResult> {
  const { options } = state;
  if (outcome.type === "interrupted" || (cause.trigger === "person" && outcome.type === "failed")) {
    const problem = outcome.type === "failed" ? outcome.problem : "interrupted";
    // Zero tokens: the next attempt need not wait for the conversation to grow.
    if (outcome.spent !== undefined) await store(options, [failedDraft(problem, 0, outcome.spent)], NOTHING);
    return outcome.type === "failed" ? { type: "failed", problem } : { type: "interrupted" };
  }
  const { problem } = outcome;
  const after = surveyWith(survey, pruning === undefined ? [] : [pruning]);
  const isTooMuch = cause.trigger === "overflow" || after.size.tokens >= survey.thresholds.limit;
  const trim = isTooMuch && cause.trigger !== "person" ? planTrim(survey, problem) : undefined;
  if (trim !== undefined) {
    const failed = failedDraft(problem, trim.tokens, outcome.spent);
    return store(options, [...trim.drafts, failed], trim.result);
  }
  const failed = failedDraft(problem, after.size.tokens, outcome.spent);
  if (pruning === undefined) return store(options, [failed], { type: "failed", problem });
  return store(options, [pruning, failed], prunedResult(pruning, problem));
}

const NOTHING: CompactionResult = { type: "interrupted" };

function failedDraft(reason: string, tokens: number, spent: Spending | undefined): EntryDraft {
  return { type: "compaction-failed", reason, tokens, ...spent };
}

function storePruning(options: CompactorOptions, pruning: PrunedDraft): Promise<CompactionResult> {
  return store(options, [pruning], prunedResult(pruning));
}

function prunedResult({ entryIds, tokensBefore, tokensAfter }: PrunedDraft, problem?: string): CompactionResult {
  const results = entryIds.length;
  return { type: "pruned", results, tokensBefore, tokensAfter, ...(problem === undefined ? {} : { problem }) };
}

/** `result` holds only once everything is stored. */
async function store(
  { session }: CompactorOptions,
  drafts: EntryDraft[],
  result: CompactionResult,
): Promise<CompactionResult> {
  const stored = await Promise.all(drafts.map((draft) => session.append(draft)));
  const failure = stored.find((one) => !one.ok);
  return failure === undefined || failure.ok ? result : { type: "failed", problem: failure.message };
}

function bothSpent(one: Spending | undefined, other: Spending | undefined): Spending | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const cost = one.cost === undefined ? other.cost : one.cost + (other.cost ?? 0);
  return { usage: addUsage(one.usage, other.usage), ...(cost === undefined ? {} : { cost }) };
}

export async function undoLast(options: CompactorOptions): ReturnType<Compactor["undo"]> {
  const survey = surveyNow(options);
  const targetIds = lastStep(survey.branch);
  if (targetIds.length === 0) return { ok: false, message: "No compaction of this conversation is left to undo." };
  const draft = { type: "compaction-undone" as const, targetIds, tokens: 0 };
  const { tokens } = surveyWith(survey, [draft]).size;
  const stored = await options.session.append({ ...draft, tokens });
  return stored.ok ? { ok: true, tokens } : { ok: false, message: stored.message };
}

/** What a trim shortened before it cut belongs to it. */
function lastStep(branch: readonly SessionEntry[]): string[] {
  const changes = changesInForce(branch);
  const last = changes.at(-1);
  const before = changes.at(-2);
  if (last === undefined) return [];
  const isTrim = last.type === "compaction" && last.model === undefined;
  return isTrim && before?.type === "pruned" && last.parentId === before.id ? [before.id, last.id] : [last.id];
}
