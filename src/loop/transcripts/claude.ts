import { asObject, asString } from "../../protocol/json.ts";
import type { TranscriptEvent } from "../../protocol/transcript-events.ts";
import type { AdapterStep, AgentLine, TranscriptAdapter } from "./adapter.ts";
import { stepAssistant, stepUser } from "./claude-messages.ts";
import { limitEvents, rejectedUntil, resultEvents, retryEvents } from "./claude-reports.ts";
import { CLAUDE_START, type ClaudeState } from "./claude-state.ts";
import { stepClaudeStream } from "./claude-stream.ts";
import { readJsonLine } from "./json-line.ts";
import { metaEvent, NO_EVENTS, textEvent } from "./make-event.ts";
import { abandonTools, NO_TOOLS } from "./open-tools.ts";
import { plainText } from "./plain.ts";
import { pendingOf } from "./streamed-text.ts";

// Claude Code in all the forms of `-p`: stream-json with and without partial messages, one JSON object, one JSON array, plain text.
// A JSON line counts as an event only with a type that is known and a session id; before the first one everything else is what the
// assistant says.

type Step = AdapterStep<ClaudeState>;
type Fields = Record<string, unknown>;

export const CLAUDE_ADAPTER: TranscriptAdapter<ClaudeState> = {
  name: "claude",
  capabilities: { roles: true, toolEvents: true, usageEvents: true, promptHiding: false },
  start: () => CLAUDE_START,
  step: stepClaude,
  flush: flushClaude,
};

function stepClaude(state: ClaudeState, line: AgentLine): Step {
  const json = readJsonLine(line.text);
  if (json.type === "object" && isEvent(json.value)) return stepEvent(state, json.value, line);
  if (json.type === "array" && json.value.length <= MAX_MESSAGES && json.value.every(isEvent))
    return stepAll(state, json.value, line);
  if (!state.hasEvents) return { state, events: [plainText(line)] };
  const shown = textEvent("SYS", line.text);
  const events = json.type === "broken" ? [metaEvent({ kind: "unreadable", message: json.message }), shown] : [shown];
  return { state, events };
}

/** `--output-format json --verbose` prints all messages as one array; a longer one is shown as text. */
const MAX_MESSAGES = 10_000;

function stepAll(state: ClaudeState, messages: Fields[], line: AgentLine): Step {
  const events: TranscriptEvent[] = [];
  let current = state;
  for (const message of messages) {
    const step = stepEvent(current, message, line);
    current = step.state;
    for (const event of step.events) events.push(event);
  }
  return { state: current, events };
}

const TYPES: ReadonlySet<unknown> = new Set([
  "system",
  "assistant",
  "user",
  "stream_event",
  "result",
  "rate_limit_event",
  "tool_progress",
  "tool_use_summary",
  "auth_status",
  "prompt_suggestion",
  "command_lifecycle",
]);

function isEvent(value: unknown): value is Fields {
  const { type, session_id } = asObject(value) ?? {};
  return TYPES.has(type) && typeof session_id === "string";
}

function stepEvent(before: ClaudeState, event: Fields, line: AgentLine): Step {
  const isStream = event.type !== "result";
  const isNew = !before.hasEvents || (isStream && !before.isStream);
  const state = isNew ? { ...before, hasEvents: true, isStream: before.isStream || isStream } : before;
  switch (event.type) {
    case "stream_event":
      return event.parent_tool_use_id == null ? stepClaudeStream(state, event.event) : { state, events: NO_EVENTS };
    case "assistant":
      return stepAssistant(state, event, line.atMs);
    case "user":
      return stepUser(state, event, line.atMs);
    case "system":
      return { state, events: systemEvents(event, line) };
    case "rate_limit_event":
      return { state: { ...state, limit: rejectedUntil(event) }, events: limitEvents(event) };
    case "result":
      return stepResult(state, event);
    default:
      return { state, events: NO_EVENTS };
  }
}

/** What runs besides the conversation; it says nothing a person or the loop needs. */
const SILENT: ReadonlySet<unknown> = new Set([
  "status",
  "compact_boundary",
  "hook_started",
  "hook_progress",
  "hook_response",
  "task_started",
  "task_progress",
  "task_notification",
  "files_persisted",
]);

function systemEvents(event: Fields, line: AgentLine): readonly TranscriptEvent[] {
  if (event.subtype === "init") return [metaEvent({ kind: "session", id: asString(event.session_id) ?? "" })];
  if (event.subtype === "api_retry") return retryEvents(event);
  return SILENT.has(event.subtype) ? NO_EVENTS : [textEvent("SYS", line.text)];
}

/** In the forms that print only the result, its text is all the assistant says and where the session is named. */
function stepResult(state: ClaudeState, event: Fields): Step {
  const text = asString(event.result);
  const session = asString(event.session_id) ?? "";
  const alone = [
    metaEvent({ kind: "session", id: session }),
    ...(text === undefined ? [] : [textEvent(event.is_error === true ? "SYS" : "AI", text)]),
  ];
  return {
    state: { ...closed(state), hasEnded: true },
    events: [
      ...closingEvents(state),
      ...(state.isStream ? [] : alone),
      ...resultEvents(event, { limit: state.limit, hasAsked: state.hasAsked }),
    ],
  };
}

/** An event stream without a result was cut: the agent was ended before it was done. */
function flushClaude(state: ClaudeState): Step {
  const cut = metaEvent({ kind: "failed", message: "Claude Code ended without a result.", cause: "interrupted" });
  const isCut = state.hasEvents && !state.hasEnded;
  return { state: closed(state), events: [...closingEvents(state), ...(isCut ? [cut] : [])] };
}

function closed(state: ClaudeState): ClaudeState {
  return { ...state, open: NO_TOOLS, questions: [], stream: undefined };
}

function closingEvents({ stream, open, questions }: ClaudeState): TranscriptEvent[] {
  const rest = stream === undefined ? undefined : pendingOf(stream);
  return [
    ...(stream === undefined || rest === undefined ? [] : [textEvent(stream.tag, rest)]),
    ...abandonTools(open),
    ...questions.map(({ text }) => metaEvent({ kind: "question", text })),
  ];
}
