import { shortensConversations } from "../../llm/server-compaction.ts";
import type { AgentEvent, CompactionResult } from "../../protocol/agent-events.ts";
import type { Model } from "../../protocol/models.ts";
import { heldAt, isDue, sizeReason } from "../../sessions/compaction/compaction-trigger.ts";
import { changesInForce } from "../../sessions/compaction/history-view.ts";
import { PRUNE_TO } from "../../sessions/compaction/prune-results.ts";
import { spelled } from "../../sessions/compaction/spelled-number.ts";
import type { EntryDraft } from "../../sessions/session.ts";
import { addUsage } from "../../sessions/totals.ts";
import { compactAtServer } from "./compact-at-server.ts";
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
import {
  type CompactionDraft,
  type CompactionTask,
  type SummaryOutcome,
  summariseHistory,
} from "./summarise-history.ts";
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
  const { trigger, reason } = cause;
  const way = asksServer(state, cause) ? { way: "server" as const } : {};
  tell({ type: "compaction-start", trigger, reason, tokens: survey.size.tokens, ...way });
  const result = await shorten(state, survey, cause).finally(() => {
    state.isRunning = false;
  });
  tell({ type: "compaction-end", result });
  return result;
}

/** What a person cares about can only be told to whoever writes a summary. */
function asksServer({ options, withoutServer }: CompactorState, { focus = "" }: Cause): boolean {
  const model = options.model();
  if (options.settings.server === "off" || focus.trim() !== "" || withoutServer.has(nameOf(model))) return false;
  return shortensConversations(model);
}

function nameOf({ provider, id }: Model): string {
  return `${provider}/${id}`;
}

/** The cheapest that helps: a larger window, shorter tool results, what the provider makes of it, a summary. */
async function shorten(state: CompactorState, survey: Survey, cause: Cause): Promise<CompactionResult> {
  const { options } = state;
  const promoted = cause.trigger === "person" ? undefined : await options.promote?.();
  if (promoted !== undefined) return { type: "promoted", model: nameOf(promoted) };
  if (cause.signal.aborted) return { type: "interrupted" };
  const cut = cutOf(survey, cause.trigger === "person");
  const pruning = pruningOf(survey, cut?.place ?? 0, PRUNE_TO);
  if (cause.trigger !== "person" && pruning !== undefined && pruning.tokensAfter < survey.thresholds.roomy)
    return storePruning(options, pruning);
  if (cut === undefined) return withoutSummary(state, survey, { cause, pruning, outcome: TOO_LITTLE });
  const allowed = cause.trigger === "person" ? survey.size.tokens : survey.thresholds.trigger;
  const outcome = await replaceMessages(state, cause, { survey, cut, allowed });
  state.spent = bothSpent(state.spent, outcome.spent);
  if (outcome.type !== "written") return withoutSummary(state, survey, { cause, pruning, outcome });
  return store(options, [outcome.draft], writtenResult(outcome.draft, cut.place));
}

/** By the provider where it can; whatever goes wrong there, the model writes a summary. */
async function replaceMessages(state: CompactorState, cause: Cause, task: CompactionTask): Promise<SummaryOutcome> {
  const { options } = state;
  const { request, streamModel, clock } = options;
  const own = { model: options.model(), streamModel };
  const served = asksServer(state, cause)
    ? await compactAtServer({ ...task, ...own, request, clock, signal: cause.signal })
    : undefined;
  if (served !== undefined && served.type !== "refused") return served;
  if (served !== undefined) tellRefused(state, served);
  // What a provider compacted before can be read by its own model alone.
  const isOpaque = task.survey.view.compaction?.server !== undefined;
  const outcome = await summariseHistory({
    ...task,
    summariser: { ...(isOpaque ? own : (options.summariser ?? own)), request },
    signal: cause.signal,
    ...(cause.focus === undefined ? {} : { focus: cause.focus }),
  });
  return served?.spent === undefined ? outcome : withEarlier(outcome, served.spent);
}

function tellRefused(
  { options, withoutServer }: CompactorState,
  { problem, isLasting }: { problem: string; isLasting: boolean },
): void {
  if (isLasting) withoutServer.add(nameOf(options.model()));
  const text = `The provider did not compact the conversation (${problem}), so the model is asked for a summary.`;
  options.tell({ type: "notice", level: "info", text });
}

function withEarlier(outcome: SummaryOutcome, earlier: Spending): SummaryOutcome {
  const spent = bothSpent(earlier, outcome.spent) ?? earlier;
  return outcome.type === "written"
    ? { ...outcome, draft: { ...outcome.draft, ...spent }, spent }
    : { ...outcome, spent };
}

function writtenResult(
  { tokensBefore, tokensAfter, cost, server }: CompactionDraft,
  messages: number,
): CompactionResult {
  return {
    type: "summarised",
    messages,
    tokensBefore,
    tokensAfter: tokensAfter ?? tokensBefore,
    ...(cost === undefined ? {} : { cost }),
    ...(server === undefined ? {} : { way: "server" }),
  };
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

/**
 * The provider does not take back what it made of the conversation: keys change, accounts do. The messages themselves are sent
 * from then on, or a summary of them where they are too many. False where nothing it made was sent.
 */
export async function dropUnreadable(state: CompactorState, signal: AbortSignal): Promise<boolean> {
  const { options } = state;
  const survey = surveyNow(options);
  const { compaction } = survey.view;
  if (compaction?.server === undefined) return false;
  state.withoutServer.add(nameOf(options.model()));
  const draft = { type: "compaction-undone" as const, targetIds: [compaction.id], tokens: 0 };
  const { tokens } = surveyWith(survey, [draft]).size;
  const stored = await options.session.append({ ...draft, tokens });
  if (!stored.ok) return false;
  const text =
    "The provider could not read what it had compacted, so that is undone and the messages themselves are sent.";
  options.tell({ type: "notice", level: "warning", text });
  if (options.isEnabled() && tokens >= survey.thresholds.trigger) {
    const reason = sizeReason(tokens, survey.thresholds);
    await run(state, surveyNow(options), { trigger: "automatic", reason, signal });
  }
  return true;
}

export async function undoLast(options: CompactorOptions): ReturnType<Compactor["undo"]> {
  const survey = surveyNow(options);
  const targetIds = lastStep(survey);
  if (targetIds.length === 0) return { ok: false, message: "No compaction of this conversation is left to undo." };
  const draft = { type: "compaction-undone" as const, targetIds, tokens: 0 };
  const { tokens } = surveyWith(survey, [draft]).size;
  const stored = await options.session.append({ ...draft, tokens });
  return stored.ok ? { ok: true, tokens } : { ok: false, message: stored.message };
}

/** What a trim shortened before it cut belongs to it. */
function lastStep({ branch, reader }: Survey): string[] {
  const changes = changesInForce(branch, reader);
  const last = changes.at(-1);
  const before = changes.at(-2);
  if (last === undefined) return [];
  const isTrim = last.type === "compaction" && last.model === undefined;
  return isTrim && before?.type === "pruned" && last.parentId === before.id ? [before.id, last.id] : [last.id];
}
