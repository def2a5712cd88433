import type { AssistantMessage, Message } from "../../protocol/messages.ts";
import type { ModelErrorKind } from "../../protocol/model-errors.ts";
import type { ModelEnd } from "../../protocol/model-events.ts";
import type { ModelRequest, StreamModel } from "../../protocol/model-request.ts";
import type { Model } from "../../protocol/models.ts";
import { rejectionText } from "../../sessions/compaction/summary-check.ts";
import { textTokens } from "../../sessions/compaction/token-estimate.ts";
import { trimOutline } from "../../sessions/compaction/trim-outline.ts";
import { viewedMessages } from "../../sessions/context.ts";
import type { Clock } from "../../system/clock.ts";
import { surveyWith } from "./compaction-survey.ts";
import type { Spending } from "./compactor.ts";
import { addSpending, type CompactionDraft, type CompactionTask, frameOf, rejectionOf } from "./summarise-history.ts";

// Lets the provider shorten the older messages itself. What it makes of them can be read by its own model alone, so it is only one
// way to see the conversation; whoever else goes on with it gets the messages. Nothing is stored here.

export interface ServerTask extends CompactionTask {
  model: Model;
  streamModel: StreamModel;
  request(messages: Message[]): ModelRequest;
  clock: Clock;
  signal: AbortSignal;
}

export type ServerOutcome = { spent?: Spending } & (
  | { type: "written"; draft: CompactionDraft }
  /** `isLasting`: asking again would end the same way. */
  | { type: "refused"; problem: string; isLasting: boolean }
  | { type: "interrupted" }
);

/** A summary takes less, so waiting longer for the provider is no help. */
const MOST_SECONDS = 120;

export async function compactAtServer(task: ServerTask): Promise<ServerOutcome> {
  const frame = frameOf(task, task.model);
  const hopeless = rejectionOf(task, { ...frame, summary: "" }, 0);
  if (hopeless !== undefined) return { type: "refused", problem: rejectionText(hopeless), isLasting: false };
  const { survey, cut } = task;
  const { compaction } = survey.view;
  const items = survey.view.items.slice(0, cut.place);
  const { messages } = viewedMessages({ items, ...(compaction && { compaction }) });
  const end = await askInTime(task, messages);
  if (task.signal.aborted) return withSpending({ type: "interrupted" }, task, end);
  const summary = trimOutline(
    compaction,
    items.map(({ message }) => message),
  );
  return withSpending(outcomeOf(task, { ...frame, summary }, end), task, end);
}

async function askInTime({ request, streamModel, clock, signal }: ServerTask, messages: Message[]): Promise<ModelEnd> {
  const { maxOutputTokens: _limit, outputSchema: _schema, toolChoice: _choice, ...asked } = request(messages);
  const late = new AbortController();
  const stopTimer = clock.timer(MOST_SECONDS * 1000, () => late.abort());
  const options = { signal: AbortSignal.any([signal, late.signal]), emit: () => {} };
  const end = await streamModel({ ...asked, stream: false, compact: true }, options);
  stopTimer();
  if (end.type === "done" || !late.signal.aborted) return end;
  return {
    ...end,
    error: { kind: "timeout", message: `it took longer than ${MOST_SECONDS} seconds`, retryable: true },
  };
}

type Plain =
  | { type: "written"; draft: CompactionDraft }
  | { type: "refused"; problem: string; isLasting: boolean }
  | { type: "interrupted" };

function outcomeOf(task: ServerTask, frame: CompactionDraft, end: ModelEnd): Plain {
  if (end.type === "error")
    return { type: "refused", problem: end.error.message, isLasting: LASTING.has(end.error.kind) };
  const items = itemsOf(end.message);
  if (items === undefined) return { type: "refused", problem: "the provider gave nothing back", isLasting: true };
  const { provider, api, id } = task.model;
  const draft: CompactionDraft = { ...frame, server: { provider, api, model: id, items } };
  const rejection = rejectionOf(task, draft, textTokens(items));
  if (rejection !== undefined) return { type: "refused", problem: rejectionText(rejection), isLasting: false };
  return { type: "written", draft: { ...draft, tokensAfter: surveyWith(task.survey, [draft]).size.tokens } };
}

const LASTING: ReadonlySet<ModelErrorKind> = new Set<ModelErrorKind>([
  "not-found",
  "invalid-request",
  "credentials",
  "bad-answer",
]);

function itemsOf({ content }: AssistantMessage): string | undefined {
  return content.flatMap((part) => (part.type === "thinking" ? (part.encrypted ?? []) : []))[0];
}

function withSpending(outcome: Plain, { model }: ServerTask, end: ModelEnd): ServerOutcome {
  const spent = addSpending(undefined, end, model);
  if (spent === undefined) return outcome;
  return outcome.type === "written"
    ? { type: "written", draft: { ...outcome.draft, ...spent }, spent }
    : { ...outcome, spent };
}
