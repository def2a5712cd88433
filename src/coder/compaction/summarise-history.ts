import { billOf } from "../../models/prices.ts";
import type { AssistantMessage, Message } from "../../protocol/messages.ts";
import type { ModelEnd } from "../../protocol/model-events.ts";
import type { ModelRequest, StreamModel } from "../../protocol/model-request.ts";
import type { Model } from "../../protocol/models.ts";
import type { Cut } from "../../sessions/compaction/compaction-cut.ts";
import { pinnedParts } from "../../sessions/compaction/pins.ts";
import { prunedMessage } from "../../sessions/compaction/prune-results.ts";
import { foldRejection, type Rejection, readSummary, rejectionText } from "../../sessions/compaction/summary-check.ts";
import { messagesTokens, partsTokens, textTokens } from "../../sessions/compaction/token-estimate.ts";
import { foldContext, viewedMessages } from "../../sessions/context.ts";
import type { EntryDraft } from "../../sessions/session.ts";
import { addUsage } from "../../sessions/totals.ts";
import prompt from "./compaction-prompt.md" with { type: "text" };
import { pinsOf, type Survey, surveyWith } from "./compaction-survey.ts";
import type { Spending } from "./compactor.ts";

// Asks a model for the summary and lets it through only if it passes the checks. Nothing is stored here.

export interface Summariser {
  model: Model;
  streamModel: StreamModel;
  request(messages: Message[]): ModelRequest;
}

/** What is to be replaced, whoever does it. */
export interface CompactionTask {
  survey: Survey;
  cut: Cut;
  /** What the conversation must be below afterwards. */
  allowed: number;
}

export interface SummaryTask extends CompactionTask {
  /** What matters most to the person who asked for it. */
  focus?: string;
  summariser: Summariser;
  signal: AbortSignal;
}

export type CompactionDraft = Extract<EntryDraft, { type: "compaction" }>;

export type SummaryOutcome = { spent?: Spending } & (
  | { type: "written"; draft: CompactionDraft }
  /** Summaries came and none was good enough. */
  | { type: "rejected"; problem: string }
  /** No summary came. */
  | { type: "failed"; problem: string }
  | { type: "interrupted" }
);

const MOST_ATTEMPTS = 2;

/** A rejected summary is asked for once more, with the reason. */
export async function summariseHistory(task: SummaryTask): Promise<SummaryOutcome> {
  const frame = frameOf(task, task.summariser.model);
  const hopeless = rejectionOf(task, { ...frame, summary: "" }, 0);
  if (hopeless !== undefined) return { type: "rejected", problem: rejectionText(hopeless) };
  let spent: Spending | undefined;
  let attempt: Attempt = { shrink: false };
  for (let number = 1; number <= MOST_ATTEMPTS; number++) {
    const messages = messagesFor(task, attempt);
    if (messages === undefined) break;
    const end = await ask(task, messages);
    spent = addSpending(spent, end, task.summariser.model);
    const outcome = outcomeOf(task, frame, end);
    if (outcome.type !== "again") return withSpending(outcome, spent);
    attempt = outcome.attempt;
  }
  const problem = attempt.problem ?? "the conversation is too large to be summarised in one request";
  return withSpending({ type: attempt.isFailure ? "failed" : "rejected", problem }, spent);
}

interface Attempt {
  /** What was wrong with the one before. */
  problem?: string;
  isFailure?: boolean;
  /** Only what is to be summarised is sent, with its tool results shortened. */
  shrink: boolean;
}

type Plain =
  | { type: "written"; draft: CompactionDraft }
  | { type: "failed" | "rejected"; problem: string }
  | { type: "interrupted" };

function withSpending(outcome: Plain, spent: Spending | undefined): SummaryOutcome {
  if (spent === undefined) return outcome;
  if (outcome.type !== "written") return { ...outcome, spent };
  return { type: "written", draft: { ...outcome.draft, ...spent }, spent };
}

/** Everything of the entry but the summary. */
export function frameOf({ survey, cut }: CompactionTask, model: Model): Omit<CompactionDraft, "summary"> {
  return {
    type: "compaction",
    firstKeptId: cut.firstKeptId,
    tokensBefore: survey.size.tokens,
    pinned: pinnedParts(pinsOf(survey, cut.firstKeptId)),
    model: `${model.provider}/${model.id}`,
  };
}

function outcomeOf(
  task: SummaryTask,
  frame: Omit<CompactionDraft, "summary">,
  end: ModelEnd,
): Plain | { type: "again"; attempt: Attempt } {
  if (end.type === "error") {
    if (end.error.kind === "aborted") return { type: "interrupted" };
    const problem = end.error.message;
    return end.error.kind === "context-overflow"
      ? { type: "again", attempt: { problem, isFailure: true, shrink: true } }
      : { type: "failed", problem };
  }
  const checked = checkAnswer(task, frame, end.message);
  if (checked.ok) return { type: "written", draft: checked.draft };
  return { type: "again", attempt: { problem: rejectionText(checked.rejection), shrink: false } };
}

function checkAnswer(
  task: SummaryTask,
  frame: Omit<CompactionDraft, "summary">,
  answer: AssistantMessage,
): { ok: true; draft: CompactionDraft } | { ok: false; rejection: Rejection } {
  const read = readSummary(answer);
  if (!read.ok) return read;
  const draft: CompactionDraft = { ...frame, summary: read.text };
  const rejection = rejectionOf(task, draft, textTokens(read.text));
  if (rejection !== undefined) return { ok: false, rejection };
  return { ok: true, draft: { ...draft, tokensAfter: surveyWith(task.survey, [draft]).size.tokens } };
}

/** `tokens` is what stands for the messages, beside the pins. */
export function rejectionOf(
  { survey, cut, allowed }: CompactionTask,
  draft: CompactionDraft,
  tokens: number,
): Rejection | undefined {
  const after = surveyWith(survey, [draft]);
  const { compaction, items } = survey.view;
  const replaced = viewedMessages({ items: items.slice(0, cut.place), ...(compaction && { compaction }) }).messages;
  return foldRejection({
    messages: foldContext(after.branch, survey.reader).messages,
    tokens: after.size.tokens,
    allowed,
    pinned: draft.pinned ?? [],
    added: tokens + partsTokens(draft.pinned ?? []),
    replaced: messagesTokens(replaced),
  });
}

/** For the summary and what a model thinks before it. */
const ANSWER_TOKENS = 8000;
const MOST_ANSWER_PART = 0.2;
const SHORTER_AND_SHORTER = [2000, 500, 100];

/** The whole conversation, as the provider has it in its cache, where that fits; else only what is to be summarised. */
function messagesFor(task: SummaryTask, attempt: Attempt): Message[] | undefined {
  const { survey, cut, summariser } = task;
  const { compaction, items } = survey.view;
  const window = Math.min(summariser.model.contextWindow, survey.thresholds.window);
  const room = window - Math.min(ANSWER_TOKENS, Math.floor(window * MOST_ANSWER_PART));
  const whole = wish(
    task,
    attempt,
    `The last ${items.length - cut.place} messages before this one stay word for word.`,
  );
  if (!attempt.shrink && survey.size.tokens + messagesTokens([whole]) <= room)
    return [...foldContext(survey.branch, survey.reader).messages, whole];
  const part = wish(task, attempt, "More messages follow, which you do not see; they stay word for word.");
  for (const keep of SHORTER_AND_SHORTER) {
    const short = items.slice(0, cut.place).map((item) => ({ ...item, message: prunedMessage(item.message, keep) }));
    const { messages } = viewedMessages({ items: short, ...(compaction && { compaction }) });
    const tokens = (survey.overhead + messagesTokens([...messages, part])) * survey.size.factor;
    if (tokens <= room) return [...messages, part];
  }
  return undefined;
}

function wish({ focus = "" }: SummaryTask, { problem, isFailure }: Attempt, scope: string): Message {
  const paragraphs = [
    prompt.trim(),
    scope,
    ...(focus.trim() === "" ? [] : [`The person says what matters most: ${focus.trim()}`]),
    ...(problem === undefined || isFailure ? [] : [`Your last summary was rejected: ${problem}. Write it again.`]),
  ];
  return { role: "user", content: [{ type: "text", text: paragraphs.join("\n\n") }] };
}

/** A limit somebody set for answers would cut the summary. */
function ask({ summariser, signal }: SummaryTask, messages: Message[]): Promise<ModelEnd> {
  const { maxOutputTokens: _, ...asked } = summariser.request(messages);
  return summariser.streamModel({ ...asked, toolChoice: "none" }, { signal, emit: () => {} });
}

export function addSpending(
  before: Spending | undefined,
  end: ModelEnd,
  { cost: prices }: Model,
): Spending | undefined {
  const usage = (end.type === "done" ? end.message : end.partial)?.usage;
  if (usage === undefined || Object.values(usage).every((count) => count === 0)) return before;
  const cost = billOf(usage, prices)?.dollars;
  const dollars = cost === undefined ? before?.cost : (before?.cost ?? 0) + cost;
  return {
    usage: before === undefined ? usage : addUsage(before.usage, usage),
    ...(dollars === undefined ? {} : { cost: dollars }),
  };
}
