import type { AgentEvent } from "../protocol/agent-events.ts";
import type { Ask, AskOption } from "../protocol/asks.ts";
import type { AgentPort } from "../rpc/agent-port.ts";
import { surface } from "./ralph-error.ts";

/** `true` is yes for once. `rules` are kept instead of those the ask suggests. */
export type AskReply = boolean | AskOption | { answer: AskOption; rules?: string[] };

export interface Question {
  question: string;
  /** Empty for a free answer. Words of one's own are always an answer. */
  options: readonly string[];
  /** More than one may be chosen. */
  multi: boolean;
}

/** Nothing said means declined. */
export type QuestionReply = string | readonly string[] | undefined;

/** How tools reach the person in front of the program. What is missing here nobody is asked. */
export interface ToolUIContext {
  /** A tool wants to do something no rule decides. The signal is aborted when the answer is not wanted any more. */
  onAsk?(ask: Ask, signal: AbortSignal): AskReply | Promise<AskReply>;
  /** The model wants to know something. */
  onQuestion?(question: Question, signal: AbortSignal): QuestionReply | Promise<QuestionReply>;
}

export interface AnswerCallbacks {
  use(context: ToolUIContext, hasUI: boolean): void;
  hasPerson(about: "asks" | "questions"): boolean;
  /** Puts what is asked to the program, and its answers to the agent. */
  note(event: AgentEvent, agent: Pick<AgentPort, "call">): void;
}

export function createAnswerCallbacks(first: ToolUIContext, firstHasUI: boolean): AnswerCallbacks {
  let context = first;
  let hasUI = firstHasUI;
  const waiting = new Map<string, AbortController>();
  const begin = (id: string) => {
    const stop = new AbortController();
    waiting.set(id, stop);
    return stop.signal;
  };
  const end = (id: string) => {
    waiting.get(id)?.abort();
    waiting.delete(id);
  };
  return {
    use(next, isThere) {
      context = next;
      hasUI = isThere;
    },
    hasPerson: (about) => hasUI && (about === "asks" ? context.onAsk : context.onQuestion) !== undefined,
    note(event, agent) {
      if (event.type === "ask-start") void putAsk(event.ask, { context, agent, signal: begin(event.ask.id) });
      if (event.type === "ask-end") end(event.askId);
      if (event.type === "question-start") void putQuestion(event, { context, agent, signal: begin(event.questionId) });
      if (event.type === "question-end") end(event.questionId);
    },
  };
}

interface Putting {
  context: ToolUIContext;
  agent: Pick<AgentPort, "call">;
  signal: AbortSignal;
}

/** A callback that fails, or says what the ask does not offer, has not said yes. */
async function putAsk(ask: Ask, { context, agent, signal }: Putting): Promise<void> {
  const answered = await called(async () => answerOf((await context.onAsk?.(ask, signal)) ?? false));
  const taken = await agent.call("answer", { askId: ask.id, ...(answered ?? { answer: "no" }) });
  if (taken.ok || taken.error.code !== "invalid") return;
  await agent.call("answer", { askId: ask.id, answer: "no" });
  surface(new Error(`onAsk: ${taken.error.message}`));
}

function answerOf(reply: AskReply): { answer: AskOption; rules?: string[] } {
  if (typeof reply === "boolean") return { answer: reply ? "yes" : "no" };
  return typeof reply === "string" ? { answer: reply } : reply;
}

type AskedQuestion = Extract<AgentEvent, { type: "question-start" }>;

async function putQuestion(asked: AskedQuestion, { context, agent, signal }: Putting): Promise<void> {
  const { questionId, question, options, multi } = asked;
  const reply = await called(async () => context.onQuestion?.({ question, options, multi }, signal));
  const answers = typeof reply === "string" ? [reply] : reply === undefined ? undefined : [...reply];
  await agent.call("answer_question", { questionId, ...(answers === undefined ? {} : { answers }) });
}

async function called<Value>(callback: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await callback();
  } catch (error) {
    surface(error);
    return undefined;
  }
}
