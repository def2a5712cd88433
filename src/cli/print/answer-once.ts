import type { AgentEvent, AgentOutcome, AgentTotals } from "../../protocol/agent-events.ts";
import type { Effort } from "../../protocol/effort.ts";
import type { UserMessage } from "../../protocol/messages.ts";
import type { ModelEnd } from "../../protocol/model-events.ts";
import type { StreamModel } from "../../protocol/model-request.ts";
import type { CacheRetention, Model } from "../../protocol/models.ts";

export interface Question {
  model: Model;
  effort: Effort;
  stream: boolean;
  system: { base: string; dynamic?: string };
  message: UserMessage;
  maxOutputTokens?: number;
  cacheRetention?: CacheRetention;
  sessionId: string;
}

export interface AnswerOptions {
  streamModel: StreamModel;
  signal: AbortSignal;
  emit: (event: AgentEvent) => void;
  mayRestart: () => boolean;
  costOf: (end: ModelEnd) => number | undefined;
}

/** One prompt, one answer, told as agent events. */
export async function answerOnce(question: Question, options: AnswerOptions): Promise<AgentOutcome> {
  const { model, effort, message } = question;
  const { emit } = options;
  emit({
    type: "agent-start",
    version: 1,
    sessionId: question.sessionId,
    model: `${model.provider}/${model.id}`,
    effort,
  });
  emit({ type: "message-start", role: "user" });
  emit({ type: "message-end", message });
  emit({ type: "turn-start", turn: 1 });
  emit({ type: "message-start", role: "assistant" });
  const end = await options.streamModel(
    { ...question, messages: [message], tools: [] },
    {
      signal: options.signal,
      mayRestart: options.mayRestart,
      emit: (event) => emit({ type: "message-update", event }),
    },
  );
  const answer = end.type === "done" ? end.message : undefined;
  if (answer !== undefined) emit({ type: "message-end", message: answer });
  if (answer?.stopReason === "tool-use") emit({ type: "notice", level: "warning", text: UNOFFERED_TOOLS });
  emit({ type: "turn-end", turn: 1, ...(answer === undefined ? {} : { message: answer }) });
  const outcome = outcomeOf(end);
  emit({ type: "agent-end", outcome, totals: totalsOf(end, options.costOf(end)) });
  return outcome;
}

const UNOFFERED_TOOLS = "The model asked for tools, and none were offered: nothing was run.";

function outcomeOf(end: ModelEnd): AgentOutcome {
  if (end.type === "error") {
    return end.error.kind === "aborted" ? { type: "interrupted" } : { type: "failed", error: end.error };
  }
  if (end.message.stopReason === "length") return { type: "truncated" };
  return end.message.stopReason === "refusal" ? { type: "refused" } : { type: "done" };
}

function totalsOf(end: ModelEnd, cost: number | undefined): AgentTotals {
  const usage = (end.type === "done" ? end.message : end.partial)?.usage;
  return {
    turns: 1,
    usage: usage ?? { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    ...(cost === undefined ? {} : { cost }),
  };
}
