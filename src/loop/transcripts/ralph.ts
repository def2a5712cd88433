import { asArray, asNumber, asObject, asString } from "../../protocol/json.ts";
import type { TranscriptEvent } from "../../protocol/transcript-events.ts";
import type { AdapterOptions, AdapterStep, AgentLine, TranscriptAdapter } from "./adapter.ts";
import { readJsonLine } from "./json-line.ts";
import { metaEvent, NO_EVENTS, outputEvent, textEvent } from "./make-event.ts";
import {
  abandonTools,
  endTool,
  isOpen,
  isStreamed,
  markStreamed,
  NO_TOOLS,
  type OpenTools,
  startTool,
  toolId,
} from "./open-tools.ts";
import { plainText } from "./plain.ts";
import { messageTexts, pendingParts, type RalphParts, stepModelEvent, usageOfMessage } from "./ralph-messages.ts";
import { failureEvents, totalsEvents } from "./ralph-outcome.ts";
import { closeQuestion, type OpenQuestions, openQuestion, QUESTION_TOOL } from "./ralph-questions.ts";
import { shortened } from "./shortened.ts";

// Ralph's own agent: the lines of `ralph -p --mode json` (docs/events.md).

interface RalphState {
  prompt: string;
  showPrompt: boolean;
  open: OpenTools;
  /** The parts of the message that is arriving. */
  parts: RalphParts;
  /** Asked and not answered yet. */
  questions: OpenQuestions;
  hasStarted: boolean;
  hasEnded: boolean;
}

type Step = AdapterStep<RalphState>;
type Fields = Record<string, unknown>;

export const RALPH_ADAPTER: TranscriptAdapter<RalphState> = {
  name: "ralph",
  capabilities: { roles: true, toolEvents: true, usageEvents: true, promptHiding: true },
  start: startRalph,
  step: stepRalph,
  flush: flushRalph,
};

function startRalph({ prompt, showPrompt }: AdapterOptions): RalphState {
  const none = { open: NO_TOOLS, parts: [], questions: [], hasStarted: false, hasEnded: false };
  return { prompt, showPrompt: showPrompt ?? false, ...none };
}

function stepRalph(state: RalphState, line: AgentLine): Step {
  const json = readJsonLine(line.text);
  const type = json.type === "object" ? asString(json.value.type) : undefined;
  const read = type === undefined ? undefined : READERS.get(type);
  if (json.type === "object" && read !== undefined) return read(state, json.value, line);
  if (type !== undefined && SILENT.has(type)) return { state, events: NO_EVENTS };
  if (!state.hasStarted) return { state, events: [plainText(line)] };
  const shown = textEvent("SYS", line.text);
  const events = json.type === "broken" ? [metaEvent({ kind: "unreadable", message: json.message }), shown] : [shown];
  return { state, events };
}

type Reader = (state: RalphState, event: Fields, line: AgentLine) => Step;

const READERS = new Map<string, Reader>([
  ["message-update", stepUpdate],
  ["message-end", stepMessage],
  ["tool-start", startCall],
  ["tool-update", growOutput],
  ["tool-end", endCall],
  ["agent-start", startAgent],
  ["agent-end", endAgent],
  ["result", readResult],
  ["decided", (state, event) => ({ state, events: denialEvents(event) })],
  ["question-start", askQuestion],
  ["question-end", answerQuestion],
  ["notice", (state, event) => ({ state, events: [textEvent("SYS", text(event.text))] })],
  [
    "rules-triggered",
    (state, event) => ({ state: { ...state, parts: [] }, events: [textEvent("SYS", brokenRules(event))] }),
  ],
  ["compaction-start", (state, event) => ({ state, events: [textEvent("SYS", text(event.reason))] })],
]);

/** What repeats something that is told elsewhere. */
const SILENT: ReadonlySet<string> = new Set([
  "turn-start",
  "turn-end",
  "message-start",
  "ask-start",
  "ask-end",
  "state-changed",
  "compaction-end",
]);

function brokenRules({ rules }: Fields): string {
  const names = asArray(rules).flatMap((rule) => asString(asObject(rule)?.name) ?? []);
  return `The model broke a rule and is told so: ${names.join(", ")}`;
}

function startAgent(state: RalphState, { sessionId }: Fields): Step {
  const events = typeof sessionId === "string" ? [metaEvent({ kind: "session", id: sessionId })] : NO_EVENTS;
  return { state: { ...state, hasStarted: true, hasEnded: false }, events };
}

function stepUpdate(state: RalphState, { event }: Fields): Step {
  const { parts, events } = stepModelEvent(state.parts, asObject(event) ?? {});
  return { state: parts === state.parts ? state : { ...state, parts }, events };
}

function stepMessage(state: RalphState, { message }: Fields): Step {
  const fields = asObject(message) ?? {};
  if (fields.role === "user") return { state, events: userEvents(state, fields) };
  if (fields.role !== "assistant") return { state, events: NO_EVENTS };
  return {
    state: { ...state, parts: [] },
    events: [...messageTexts(state.parts, fields.content), ...usageOfMessage(fields)],
  };
}

/** The prompt is known: it is shown only on request. Anything else was said by a person while the agent worked. */
function userEvents({ prompt, showPrompt }: RalphState, message: Fields): readonly TranscriptEvent[] {
  const whole = textsOf(message.content).join("\n");
  if (whole.trim() !== prompt.trim()) return [textEvent("USER", whole)];
  return showPrompt ? [textEvent("PROMPT", whole)] : NO_EVENTS;
}

function startCall(state: RalphState, { call }: Fields, { atMs }: AgentLine): Step {
  const { id, name, input } = asObject(call) ?? {};
  const { open, events } = startTool(state.open, { id: text(id), atMs, name: asString(name) ?? "tool", input });
  const questions =
    name === QUESTION_TOOL ? openQuestion(state.questions, text(id), asObject(input) ?? {}) : state.questions;
  return { state: { ...state, open, questions }, events };
}

function growOutput(state: RalphState, { toolCallId, text: piece }: Fields): Step {
  const id = text(toolCallId);
  const open = markStreamed(state.open, id);
  return { state: open === state.open ? state : { ...state, open }, events: [outputEvent(toolId(id), text(piece))] };
}

/** The result repeats output that was shown while the tool ran. A call that was not allowed ends without having begun. */
function endCall(state: RalphState, { toolCallId, result, durationMs }: Fields, { atMs }: AgentLine): Step {
  const { isError, content, toolName } = asObject(result) ?? {};
  const id = text(toolCallId);
  const took = asNumber(durationMs);
  const name = asString(toolName) ?? "tool";
  const began = isOpen(state.open, id) ? NO_EVENTS : startTool(NO_TOOLS, { id, atMs, name }).events;
  const output = isStreamed(state.open, id) ? [] : textsOf(content).map((part) => outputEvent(toolId(id), part));
  const ended = endTool(state.open, {
    id,
    atMs,
    status: isError === true ? "fail" : isError === false ? "ok" : "unknown",
    ...(took === undefined || took < 0 ? {} : { durationMs: Math.round(took) }),
  });
  const { closed, questions } = closeQuestion(state.questions, id);
  return {
    state: { ...state, open: ended.open, questions },
    events: [...began, ...output, ...ended.events, ...unanswered(isError === true ? closed : undefined)],
  };
}

function denialEvents({ tool, summary, decision }: Fields): readonly TranscriptEvent[] {
  const { effect, reason } = asObject(decision) ?? {};
  if (effect !== "deny") return NO_EVENTS;
  const why = asString(reason);
  const what = `${asString(tool) ?? "a tool"}: ${asString(summary) ?? ""}${why === undefined ? "" : ` (${why})`}`;
  return [metaEvent({ kind: "denied", text: shortened(what, MAX_REPORT_CHARACTERS) })];
}

const MAX_REPORT_CHARACTERS = 2000;

function askQuestion(state: RalphState, event: Fields): Step {
  const questions = openQuestion(state.questions, text(event.questionId), event);
  return { state: { ...state, questions }, events: NO_EVENTS };
}

function answerQuestion(state: RalphState, { questionId, answers }: Fields): Step {
  const { closed, questions } = closeQuestion(state.questions, text(questionId));
  const isAnswered = Array.isArray(answers) && answers.length > 0;
  return { state: { ...state, questions }, events: unanswered(isAnswered ? undefined : closed) };
}

function unanswered(question: string | undefined): readonly TranscriptEvent[] {
  return question === undefined ? NO_EVENTS : [metaEvent({ kind: "question", text: question })];
}

function endAgent(state: RalphState, { outcome, totals }: Fields): Step {
  return {
    state: { ...closed(state), hasEnded: true },
    events: [...closingEvents(state), ...totalsEvents(totals), ...failureEvents(outcome)],
  };
}

/** The last line. Where the agent never began, only this line says why. */
function readResult(state: RalphState, event: Fields): Step {
  const said = text(event.text);
  const ended = state.hasEnded ? { state, events: NO_EVENTS } : endAgent(state, event);
  const isDone = asObject(event.outcome)?.type === "done";
  return {
    state: { ...ended.state, hasStarted: true },
    events: isDone && said !== "" ? [...ended.events, metaEvent({ kind: "final", text: said })] : ended.events,
  };
}

/** Events without an end were cut: the agent was ended before it was done. */
function flushRalph(state: RalphState): Step {
  const isCut = state.hasStarted && !state.hasEnded;
  const cut = metaEvent({ kind: "failed", message: "Ralph ended without a result.", cause: "interrupted" });
  return { state: closed(state), events: [...closingEvents(state), ...(isCut ? [cut] : [])] };
}

function closed(state: RalphState): RalphState {
  return { ...state, open: NO_TOOLS, parts: [], questions: [] };
}

function closingEvents({ parts, open, questions }: RalphState): TranscriptEvent[] {
  return [
    ...pendingParts(parts),
    ...abandonTools(open),
    ...questions.map((question) => metaEvent({ kind: "question", text: question.text })),
  ];
}

function textsOf(content: unknown): string[] {
  return messageTexts([], content).flatMap((event) => (event.type === "text" ? [event.text] : []));
}

function text(value: unknown): string {
  return asString(value) ?? "";
}
