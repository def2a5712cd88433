import { asNumber, asObject, asString } from "../../protocol/json.ts";
import type { TranscriptEvent } from "../../protocol/transcript-events.ts";
import type { AdapterStep, AgentLine } from "./adapter.ts";
import { codexFailure, isReconnecting } from "./codex-failure.ts";
import { type CodexItem, readItem } from "./codex-items.ts";
import { readJsonLine } from "./json-line.ts";
import { metaEvent, NO_EVENTS, outputEvent, textEvent, usageEvent } from "./make-event.ts";
import { abandonTools, endTool, isOpen, NO_TOOLS, type OpenTools, startTool, toolId } from "./open-tools.ts";
import { shortened } from "./shortened.ts";

// The JSON lines of `codex exec --json`. Only `turn.completed` and `turn.failed` are final: an `error` may be followed by another
// attempt, and an interrupt leaves a turn open.

export interface CodexJsonState {
  open: OpenTools;
  /** The newest message of the assistant, shortened. */
  said: string | undefined;
  inTurn: boolean;
  /** The connection was lost in this turn. */
  retried: boolean;
  /** The newest error that did not announce another attempt. */
  error: string | undefined;
}

export const CODEX_JSON_START: CodexJsonState = {
  open: NO_TOOLS,
  said: undefined,
  inTurn: false,
  retried: false,
  error: undefined,
};

type Step = AdapterStep<CodexJsonState>;

export function stepCodexJson(state: CodexJsonState, line: AgentLine): Step {
  const json = readJsonLine(line.text);
  if (json.type === "object") return stepEvent(state, json.value, line);
  const shown = textEvent("SYS", line.text);
  return {
    state,
    events: json.type === "broken" ? [metaEvent({ kind: "unreadable", message: json.message }), shown] : [shown],
  };
}

function stepEvent(state: CodexJsonState, event: Record<string, unknown>, line: AgentLine): Step {
  switch (event.type) {
    case "item.started":
    case "item.updated":
    case "item.completed":
      return stepItem(state, readItem(event.item), { ...line, phase: event.type });
    case "thread.started":
      return { state, events: sessionOf(event) };
    case "turn.started":
      return { state: { ...state, inTurn: true, retried: false, error: undefined }, events: NO_EVENTS };
    case "turn.completed":
      return completeTurn(state, event);
    case "turn.failed":
      return failTurn(state, event);
    case "error":
      return stepError(state, event);
    default:
      return { state, events: [textEvent("SYS", line.text)] };
  }
}

function sessionOf({ thread_id }: Record<string, unknown>): readonly TranscriptEvent[] {
  return typeof thread_id === "string" ? [metaEvent({ kind: "session", id: thread_id })] : NO_EVENTS;
}

interface ItemLine extends AgentLine {
  phase: "item.started" | "item.updated" | "item.completed";
}

function stepItem(state: CodexJsonState, item: CodexItem, line: ItemLine): Step {
  const isCompleted = line.phase === "item.completed";
  switch (item.type) {
    case "tool":
      if (isCompleted) return completeTool(state, item, line);
      return line.phase === "item.started" ? beginTool(state, item, line) : { state, events: NO_EVENTS };
    case "message":
      if (!isCompleted) return { state, events: NO_EVENTS };
      return { state: { ...state, said: shortened(item.text) }, events: [textEvent("AI", item.text)] };
    case "text":
      return { state, events: isCompleted ? [textEvent(item.tag, item.text)] : NO_EVENTS };
    case "plan":
      return { state, events: isCompleted ? NO_EVENTS : [textEvent("THINK", item.text)] };
    case "unknown":
      return { state, events: isCompleted ? [textEvent("SYS", line.text)] : NO_EVENTS };
  }
}

type ToolItem = Extract<CodexItem, { type: "tool" }>;

function beginTool(state: CodexJsonState, { id, name, input }: ToolItem, { atMs }: AgentLine): Step {
  const { open, events } = startTool(state.open, { id, atMs, name, input });
  return { state: { ...state, open }, events };
}

/** Some items come only when they are completed: they began and ended at once, and how long they took nobody says. */
function completeTool(state: CodexJsonState, item: ToolItem, { atMs }: AgentLine): Step {
  const { id, name, input, output, status, durationMs, denied } = item;
  const began = isOpen(state.open, id) ? NO_EVENTS : startTool(NO_TOOLS, { id, atMs, name, input }).events;
  const ended = endTool(state.open, { id, atMs, status, ...(durationMs === undefined ? {} : { durationMs }) });
  return {
    state: { ...state, open: ended.open },
    events: [
      ...began,
      ...(output === "" ? [] : [outputEvent(toolId(id), output)]),
      ...ended.events,
      ...(denied === undefined ? [] : [metaEvent({ kind: "denied", text: denied })]),
    ],
  };
}

/** What a turn used adds up: every turn states its own. */
function completeTurn(state: CodexJsonState, event: Record<string, unknown>): Step {
  const final = state.said === undefined ? [] : [metaEvent({ kind: "final", text: state.said })];
  return {
    state: { ...state, ...ENDED_TURN },
    events: [...abandonTools(state.open), ...usageOfTurn(event.usage), ...final],
  };
}

function usageOfTurn(usage: unknown): TranscriptEvent[] {
  const { input_tokens, output_tokens, cached_input_tokens } = asObject(usage) ?? {};
  const count = (value: unknown) => Math.max(0, asNumber(value) ?? 0);
  const [prompt, completion, cached] = [count(input_tokens), count(output_tokens), count(cached_input_tokens)];
  return prompt + completion === 0 ? [] : [usageEvent("turn", { prompt, completion, cached })];
}

const ENDED_TURN = { open: NO_TOOLS, inTurn: false, retried: false, error: undefined };

function failTurn(state: CodexJsonState, { error }: Record<string, unknown>): Step {
  const failure = codexFailure(error, state.retried);
  return { state: { ...state, ...ENDED_TURN }, events: [...abandonTools(state.open), ...failureEvents(failure)] };
}

function failureEvents({ message, cause, quota }: ReturnType<typeof codexFailure>): TranscriptEvent[] {
  const failed = metaEvent({ kind: "failed", message, cause });
  return quota === undefined ? [failed] : [metaEvent(quota), failed];
}

function stepError(state: CodexJsonState, event: Record<string, unknown>): Step {
  const message = asString(event.message) ?? "";
  const shown = textEvent("SYS", message);
  if (!isReconnecting(event, message)) return { state: { ...state, error: shortened(message) }, events: [shown] };
  return { state: { ...state, retried: true }, events: [shown, metaEvent({ kind: "retry", message })] };
}

/** A turn that was never completed nor failed was interrupted, or ended by the error before it. */
export function flushCodexJson(state: CodexJsonState): Step {
  const { open, inTurn, error, retried } = state;
  const events = abandonTools(open);
  if (inTurn && error !== undefined) events.push(...failureEvents(codexFailure(error, retried)));
  else if (inTurn) events.push(metaEvent({ kind: "failed", message: INTERRUPTED, cause: "interrupted" }));
  return { state: { ...state, ...ENDED_TURN }, events };
}

const INTERRUPTED = "Codex ended in the middle of a turn.";
