import type { AgentEvent, CompactionResult } from "../protocol/agent-events.ts";
import type { Effort } from "../protocol/effort.ts";
import type { ToolCallPart } from "../protocol/messages.ts";
import type { ModelEvent } from "../protocol/model-events.ts";
import { answerEvent, grownParts } from "./answer-parts.ts";
import type { SessionEvent } from "./session-event-shapes.ts";
import { wireAssistant, wireMessage, wireToolResult, wireUsage } from "./wire-messages.ts";
import type { WireAssistantMessage, WireMessage, WireStopReason, WireToolResultMessage } from "./wire-shapes.ts";

// What the agent reports, told as the events of the wire. Every start has its end: an answer that failed without a word ends with
// an error, and a tool call that was not run begins and ends at once.

export interface SessionEventState {
  /** `provider/id` of the model that works. */
  model: string;
  effort: Effort | undefined;
  /** What was said since the prompt, newest last, as far as `MAX_END_CHARACTERS` goes. */
  messages: readonly WireMessage[];
  characters: number;
  omitted: number;
  /** The answer of this turn, once it has ended, and the results of its calls. */
  answered: WireAssistantMessage | undefined;
  toolResults: readonly WireToolResultMessage[];
  /** The answer that grows. */
  answer: { parts: readonly string[]; cutBy?: { reason: WireStopReason; message: string } } | undefined;
  /** Calls of the newest answer, by id, and which of them began. */
  calls: ReadonlyMap<string, ToolCallPart>;
  begun: ReadonlySet<string>;
  /** The attempt that is made again. */
  retry: number | undefined;
  compaction: "automatic" | "overflow" | "person" | undefined;
}

/** Of the messages that come once more with `agent_end`. Older ones are left out and counted; `message_end` had them all. */
export const MAX_END_CHARACTERS = 4_000_000;

export function startOfSessionEvents(): SessionEventState {
  return {
    model: "",
    effort: undefined,
    messages: [],
    characters: 0,
    omitted: 0,
    answered: undefined,
    toolResults: [],
    answer: undefined,
    calls: new Map(),
    begun: new Set(),
    retry: undefined,
    compaction: undefined,
  };
}

export interface SessionEventStep {
  state: SessionEventState;
  events: SessionEvent[];
}

export function stepSessionEvents(state: SessionEventState, event: AgentEvent): SessionEventStep {
  switch (event.type) {
    case "agent-start":
      return told({ ...between(state), model: event.model }, { type: "agent_start" });
    case "turn-start":
      return told({ ...state, answered: undefined, toolResults: [] }, { type: "turn_start" });
    case "message-start":
      return event.role === "assistant" ? beginAnswer(closeAnswer(state)) : told(state);
    case "message-update":
      return growAnswer(state, event.event);
    case "message-end":
      return endMessage(state, event.message);
    case "tool-start":
      return beginTool(state, event.call);
    case "tool-update":
      return told(state, toolUpdate(state, event));
    case "tool-end":
      return endTool(state, event);
    case "compaction-start":
      return beginCompaction(state, event);
    case "compaction-end":
      return endCompaction(state, event.result);
    case "rules-triggered":
      return then(closeAnswer(state), (closed) => told(closed, triggered(event)));
    case "turn-end":
      return endTurn(closeAnswer(state));
    case "state-changed":
      return changedEffort(state, event.state.effort);
    case "notice":
      return told(state, { type: "notice", level: event.level, message: event.text });
    case "agent-end":
      return endAgent(closeAnswer(state), event);
    default:
      return told(state);
  }
}

function told(state: SessionEventState, ...events: SessionEvent[]): SessionEventStep {
  return { state, events };
}

function then({ state, events }: SessionEventStep, next: (state: SessionEventState) => SessionEventStep) {
  const step = next(state);
  return { state: step.state, events: [...events, ...step.events] };
}

const GROWING = { role: "assistant", content: [] } as { role: "assistant"; content: [] };

function beginAnswer(before: SessionEventStep): SessionEventStep {
  return then(before, (state) =>
    told({ ...state, answer: { parts: [] } }, { type: "message_start", message: GROWING }),
  );
}

/** An answer nobody ended has failed: nothing of it stays in the conversation. */
function closeAnswer(state: SessionEventState): SessionEventStep {
  if (state.answer === undefined) return told(state);
  const { reason = "error", message: errorMessage = "The answer did not come." } = state.answer.cutBy ?? {};
  const answered = failedAnswer(state, reason, errorMessage);
  return told({ ...state, answer: undefined, answered }, { type: "message_end", message: answered });
}

function failedAnswer(
  { model }: SessionEventState,
  stopReason: WireStopReason,
  errorMessage: string,
): WireAssistantMessage {
  const slash = model.indexOf("/");
  return {
    role: "assistant",
    content: [],
    api: "",
    provider: model.slice(0, Math.max(slash, 0)),
    model: model.slice(slash + 1),
    usage: wireUsage(),
    stopReason,
    errorMessage,
  };
}

function growAnswer(state: SessionEventState, event: ModelEvent): SessionEventStep {
  if (event.type === "usage") return told(state);
  if (state.answer === undefined) return then(beginAnswer(told(state)), (begun) => growAnswer(begun, event));
  switch (event.type) {
    case "attempt-retry":
      return beginAnswer(
        then(closeAnswer(cut(state, "error", event.error.message)), (closed) => retried(closed, event)),
      );
    case "done":
      return endRetry(state);
    case "error": {
      const reason = event.error.kind === "aborted" ? "aborted" : "error";
      return endRetry(cut(state, reason, event.error.message), event.error.message);
    }
    default: {
      const parts = grownParts(state.answer.parts, event);
      const grown = { ...state, answer: { ...state.answer, parts } };
      return told(grown, {
        type: "message_update",
        message: GROWING,
        assistantMessageEvent: answerEvent(parts, event),
      });
    }
  }
}

function cut(state: SessionEventState, reason: WireStopReason, message: string): SessionEventState {
  return { ...state, answer: { parts: [], ...state.answer, cutBy: { reason, message } } };
}

function retried(state: SessionEventState, event: Extract<ModelEvent, { type: "attempt-retry" }>): SessionEventStep {
  const { attempt, delayMs, error } = event;
  return told(
    { ...state, retry: attempt },
    { type: "auto_retry_start", attempt, delayMs, errorMessage: error.message },
  );
}

function endRetry(state: SessionEventState, finalError?: string): SessionEventStep {
  if (state.retry === undefined) return told(state);
  const failure = finalError === undefined ? {} : { finalError };
  return told(
    { ...state, retry: undefined },
    { type: "auto_retry_end", success: finalError === undefined, attempt: state.retry, ...failure },
  );
}

type MessageEnd = Extract<AgentEvent, { type: "message-end" }>["message"];

function endMessage(state: SessionEventState, message: MessageEnd): SessionEventStep {
  if (message.role !== "assistant") return whole(state, wireMessage(message));
  const { reason, message: errorMessage } = state.answer?.cutBy ?? {};
  const wire: WireAssistantMessage =
    reason === undefined || errorMessage === undefined
      ? wireAssistant(message)
      : { ...wireAssistant(message), stopReason: reason, errorMessage };
  const calls = message.content.filter((part) => part.type === "tool-call");
  const ended: SessionEventState = {
    ...kept(state, wire),
    answer: undefined,
    answered: wire,
    calls: new Map(calls.map((call) => [call.id, call])),
    begun: new Set(),
  };
  const begins: SessionEvent[] = state.answer === undefined ? [{ type: "message_start", message: GROWING }] : [];
  return told(ended, ...begins, { type: "message_end", message: wire });
}

/** A message that comes in one piece. */
function whole(state: SessionEventState, message: WireMessage): SessionEventStep {
  return told(kept(state, message), { type: "message_start", message }, { type: "message_end", message });
}

function kept(state: SessionEventState, message: WireMessage): SessionEventState {
  const messages = [...state.messages, message];
  let characters = state.characters + charactersOf(message);
  let left = 0;
  for (; characters > MAX_END_CHARACTERS && left < messages.length; left++) {
    const oldest = messages[left];
    characters -= oldest === undefined ? 0 : charactersOf(oldest);
  }
  return { ...state, messages: messages.slice(left), characters, omitted: state.omitted + left };
}

const PART_OVERHEAD = 100;

function charactersOf({ content }: WireMessage): number {
  return content.reduce((sum, part) => {
    if (part.type === "text") return sum + PART_OVERHEAD + part.text.length;
    if (part.type === "thinking") return sum + PART_OVERHEAD + part.thinking.length;
    return sum + PART_OVERHEAD + (part.type === "image" ? part.data.length : JSON.stringify(part.arguments).length);
  }, PART_OVERHEAD);
}

function beginTool(state: SessionEventState, { id, name, input }: Pick<ToolCallPart, "id" | "name" | "input">) {
  const begun = new Set([...state.begun, id]);
  return told({ ...state, begun }, { type: "tool_execution_start", toolCallId: id, toolName: name, args: input });
}

function toolUpdate(
  { calls }: SessionEventState,
  { toolCallId, text }: Extract<AgentEvent, { type: "tool-update" }>,
): SessionEvent {
  const { name = "", input = {} } = calls.get(toolCallId) ?? {};
  const partialResult = { content: [{ type: "text" as const, text }] };
  return { type: "tool_execution_update", toolCallId, toolName: name, args: input, partialResult };
}

function endTool(
  state: SessionEventState,
  { toolCallId, result, durationMs }: Extract<AgentEvent, { type: "tool-end" }>,
): SessionEventStep {
  const { toolName, isError } = result;
  const wire = wireToolResult(result);
  const call = state.calls.get(toolCallId) ?? { id: toolCallId, name: toolName, input: {} };
  const begun = state.begun.has(toolCallId) ? told(state) : beginTool(state, call);
  const ended: SessionEvent = {
    type: "tool_execution_end",
    toolCallId,
    toolName,
    result: { content: wire.content },
    isError,
    durationMs,
  };
  return then(
    then(begun, (open) => told({ ...open, toolResults: [...open.toolResults, wire] }, ended)),
    (closed) => whole(closed, wire),
  );
}

/** A compaction somebody asked for is told by the answer to whoever asked. */
function beginCompaction(
  state: SessionEventState,
  { trigger, reason: message, tokens }: Extract<AgentEvent, { type: "compaction-start" }>,
): SessionEventStep {
  const begun = { ...state, compaction: trigger };
  if (trigger === "person") return told(begun);
  const reason = trigger === "overflow" ? "overflow" : "threshold";
  return told(begun, { type: "auto_compaction_start", reason, message, tokens });
}

function endCompaction(state: SessionEventState, result: CompactionResult): SessionEventStep {
  const trigger = state.compaction;
  const ended = { ...state, compaction: undefined };
  if (trigger === "person" || trigger === undefined) return told(ended);
  const errorMessage = "problem" in result ? result.problem : undefined;
  const hasChanged = result.type !== "failed" && result.type !== "interrupted";
  return told(ended, {
    type: "auto_compaction_end",
    ...(hasChanged ? { result } : {}),
    aborted: result.type === "interrupted",
    willRetry: trigger === "overflow" && hasChanged,
    ...(errorMessage === undefined ? {} : { errorMessage }),
  });
}

function triggered({ rules, stopped, toolCallId }: Extract<AgentEvent, { type: "rules-triggered" }>): SessionEvent {
  const call = toolCallId === undefined ? {} : { toolCallId };
  return { type: "ttsr_triggered", rules, interrupted: stopped, ...call };
}

function endTurn(before: SessionEventStep): SessionEventStep {
  return then(before, (state) => {
    const message = state.answered === undefined ? {} : { message: state.answered };
    return told(state, { type: "turn_end", ...message, toolResults: [...state.toolResults] });
  });
}

/** The first state that is seen changes nothing. */
function changedEffort(state: SessionEventState, effort: Effort): SessionEventStep {
  const isNew = state.effort !== undefined && state.effort !== effort;
  const events: SessionEvent[] = isNew ? [{ type: "thinking_level_changed", thinkingLevel: effort }] : [];
  return told({ ...state, effort }, ...events);
}

function endAgent(before: SessionEventStep, { outcome, totals }: Extract<AgentEvent, { type: "agent-end" }>) {
  return then(before, (state) => {
    const omitted = state.omitted === 0 ? {} : { omitted: state.omitted };
    const end: SessionEvent = { type: "agent_end", messages: [...state.messages], ...omitted, outcome, totals };
    return told(between(state), end);
  });
}

/** What is known from one prompt to the next. */
function between({ effort, model, compaction }: SessionEventState): SessionEventState {
  return { ...startOfSessionEvents(), effort, model, compaction };
}
