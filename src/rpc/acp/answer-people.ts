import {
  type AgentContext,
  methods,
  type PermissionOption,
  type RequestPermissionOutcome,
  type RequestPermissionRequest,
  type ToolCallUpdate,
} from "@agentclientprotocol/sdk";
import type { AgentEvent } from "../../protocol/agent-events.ts";
import type { Ask } from "../../protocol/asks.ts";
import type { AcpAgent } from "./acp-host.ts";
import { permissionAnswer, permissionOptions } from "./permission-request.ts";
import { buttonAnswer, formAnswers, type Question, questionButtons, questionForm } from "./questions.ts";
import type { SessionUpdates } from "./session-updates.ts";
import { shapeOf } from "./tool-shapes.ts";

/** Puts what an agent asks to the person at the editor, and gives the answers back. */
export interface PeopleAnswers {
  onEvent(event: AgentEvent): void;
  /** Takes back what waits. */
  stop(): void;
}

export interface AnswerPeopleOptions {
  agent: AcpAgent;
  client: AgentContext;
  updates: SessionUpdates;
  askText(ask: Ask): string;
  hasForms: boolean;
  /** What came before a question is on its way to the editor. */
  told(): Promise<void>;
}

export function answerPeople(options: AnswerPeopleOptions): PeopleAnswers {
  const waiting = new Map<string, AbortController>();
  const put = (id: string, question: (signal: AbortSignal) => Promise<void>) => {
    const stop = new AbortController();
    waiting.set(id, stop);
    void question(stop.signal).finally(() => waiting.delete(id));
  };
  return {
    onEvent(event) {
      if (event.type === "ask-start") put(event.ask.id, (signal) => putAsk(options, event.ask, signal));
      else if (event.type === "question-start") put(event.questionId, (signal) => putQuestion(options, event, signal));
      else if (event.type === "ask-end") waiting.get(event.askId)?.abort();
      else if (event.type === "question-end") waiting.get(event.questionId)?.abort();
    },
    stop() {
      for (const controller of waiting.values()) controller.abort();
    },
  };
}

/** An editor that cannot be asked says no. */
async function putAsk(options: AnswerPeopleOptions, ask: Ask, signal: AbortSignal): Promise<void> {
  const { agent, updates, askText } = options;
  const call = updates.callOf(ask);
  const toolCallId = call === undefined ? `ask-${ask.id}` : updates.nameOf(call.id);
  const text = [askText(ask), ask.warning, ask.reason].filter((line) => line !== undefined).join("\n");
  const { title, kind } = call === undefined ? { title: ask.summary, kind: "other" as const } : shapeOf(call, "/");
  const diff = call === undefined ? [] : updates.diffOf(call.id);
  const toolCall: ToolCallUpdate = {
    toolCallId,
    title,
    kind,
    status: "pending",
    content: [{ type: "content", content: { type: "text", text } }, ...diff],
    ...(call === undefined ? {} : { rawInput: call.input }),
  };
  const outcome = await choose(options, { toolCall, permissions: permissionOptions(ask) }, signal);
  if (signal.aborted) return;
  await agent.call("answer", { askId: ask.id, answer: permissionAnswer(outcome, ask) });
}

interface Choice {
  toolCall: ToolCallUpdate;
  permissions: PermissionOption[];
}

async function choose(
  { agent, client, told }: AnswerPeopleOptions,
  { toolCall, permissions }: Choice,
  signal: AbortSignal,
): Promise<RequestPermissionOutcome> {
  await told();
  const params: RequestPermissionRequest = { sessionId: agent.sessionId, toolCall, options: permissions };
  const wish = { cancellationSignal: signal, stopWaitingOnCancel: true };
  return client.request(methods.client.session.requestPermission, params, wish).then(
    ({ outcome }) => outcome,
    () => ({ outcome: "cancelled" }),
  );
}

async function putQuestion(options: AnswerPeopleOptions, question: Question, signal: AbortSignal): Promise<void> {
  const { questionId } = question;
  const answers = options.hasForms
    ? await askForm(options, question, signal)
    : await askButtons(options, question, signal);
  if (signal.aborted) return;
  await options.agent.call("answer_question", { questionId, ...(answers === undefined ? {} : { answers }) });
}

async function askForm({ agent, client, told }: AnswerPeopleOptions, question: Question, signal: AbortSignal) {
  await told();
  const wish = { cancellationSignal: signal, stopWaitingOnCancel: true };
  return client
    .request(methods.client.elicitation.create, questionForm(question, agent.sessionId), wish)
    .then(formAnswers, () => undefined);
}

async function askButtons(options: AnswerPeopleOptions, question: Question, signal: AbortSignal) {
  const permissions = questionButtons(question);
  if (permissions === undefined) return undefined;
  const toolCall = { toolCallId: `question-${question.questionId}`, title: question.question };
  const outcome = await choose(options, { toolCall, permissions }, signal);
  return outcome.outcome === "selected" ? buttonAnswer(outcome.optionId, question) : undefined;
}
