import { asArray, asNumber, asObject, asString } from "../../protocol/json.ts";
import type { TranscriptEvent } from "../../protocol/transcript-events.ts";
import type { AdapterStep } from "./adapter.ts";
import { isAnswered, MAX_OPEN_QUESTIONS, QUESTION_TOOL, questionText } from "./claude-questions.ts";
import { claudeTokens } from "./claude-reports.ts";
import type { ClaudeState } from "./claude-state.ts";
import { metaEvent, outputEvent, textEvent, usageEvent } from "./make-event.ts";
import { endTool, startTool, toolId } from "./open-tools.ts";
import { restOf } from "./streamed-text.ts";

// The messages of a conversation of Claude Code. What a subagent says belongs to the tool call that started it and is never the
// assistant's own word.

type Step = AdapterStep<ClaudeState>;
type Fields = Record<string, unknown>;

/** `events` grows while the parts of one message are read; the state is replaced. */
interface Reading {
  state: ClaudeState;
  events: TranscriptEvent[];
  atMs: number;
  /** The call of the subagent that speaks. */
  parent: string | undefined;
}

export function stepAssistant(state: ClaudeState, event: Fields, atMs: number): Step {
  const message = asObject(event.message) ?? {};
  const reading: Reading = { state, events: [], atMs, parent: asString(event.parent_tool_use_id) };
  const tag = event.is_api_error_message === true ? "SYS" : "AI";
  const parts =
    typeof message.content === "string" ? [{ type: "text", text: message.content }] : asArray(message.content);
  for (const part of parts) readAssistantPart(reading, asObject(part) ?? {}, tag);
  countTokens(reading, message);
  return { state: reading.state, events: reading.events };
}

function readAssistantPart(reading: Reading, part: Fields, tag: "AI" | "SYS"): void {
  const text = asString(part.text);
  const thinking = asString(part.thinking);
  if (part.type === "text" && text !== undefined) say(reading, tag, text);
  else if (part.type === "thinking" && thinking !== undefined) say(reading, "THINK", thinking);
  else if (asString(part.type)?.endsWith("tool_use")) beginTool(reading, part);
  else if (asString(part.type)?.endsWith("tool_result")) finishTool(reading, part, {});
}

/** Of a part that was streamed only what was not shown yet. */
function say(reading: Reading, tag: "AI" | "THINK" | "SYS", text: string): void {
  const { state, events, parent } = reading;
  if (parent !== undefined) {
    events.push(outputEvent(toolId(parent), text));
    return;
  }
  const isStreamed = state.stream !== undefined && state.stream.tag === tag;
  const rest = isStreamed && state.stream !== undefined ? restOf(state.stream, text) : text;
  if (isStreamed) reading.state = { ...state, stream: undefined };
  if (rest !== undefined) events.push(textEvent(tag, rest));
}

function beginTool(reading: Reading, part: Fields): void {
  const { state, atMs, events } = reading;
  const id = asString(part.id) ?? "";
  const name = asString(part.name) ?? "tool";
  const step = startTool(state.open, { id, atMs, name, input: part.input });
  const questions =
    name === QUESTION_TOOL && state.questions.length < MAX_OPEN_QUESTIONS
      ? [...state.questions, { id: toolId(id), text: questionText(part.input) }]
      : state.questions;
  reading.state = { ...state, open: step.open, questions, hasAsked: state.hasAsked || name === QUESTION_TOOL };
  events.push(...step.events);
}

/** What a message used is stated with each of its parts and counted with the first. */
function countTokens(reading: Reading, { id, usage, model }: Fields): void {
  const { prompt, completion, cached } = claudeTokens(usage);
  if (typeof id !== "string" || toolId(id) === reading.state.counted || prompt + completion === 0) return;
  reading.state = { ...reading.state, counted: toolId(id) };
  reading.events.push(
    usageEvent("turn", { prompt, completion, cached, ...(typeof model === "string" ? { model } : {}) }),
  );
}

export function stepUser(state: ClaudeState, event: Fields, atMs: number): Step {
  const content = asObject(event.message)?.content;
  const reading: Reading = { state, events: [], atMs, parent: asString(event.parent_tool_use_id) };
  if (typeof content === "string") sayUser(reading, content);
  for (const part of asArray(content)) {
    const fields = asObject(part) ?? {};
    if (fields.type === "tool_result") finishTool(reading, fields, event);
    else if (typeof fields.text === "string") sayUser(reading, fields.text);
  }
  return { state: reading.state, events: reading.events };
}

function sayUser({ events, parent }: Reading, text: string): void {
  events.push(parent === undefined ? textEvent("USER", text) : outputEvent(toolId(parent), text));
}

function finishTool(reading: Reading, part: Fields, { tool_use_result: facts }: Fields): void {
  const { state, atMs, events } = reading;
  const id = asString(part.tool_use_id) ?? "";
  const durationMs = asNumber(asObject(facts)?.durationMs) ?? asNumber(asObject(facts)?.totalDurationMs);
  const step = endTool(state.open, {
    id,
    atMs,
    status: part.is_error === true ? "fail" : "ok",
    ...(durationMs === undefined || durationMs < 0 ? {} : { durationMs }),
  });
  const question = state.questions.find((asked) => asked.id === toolId(id));
  const output = contentText(part.content);
  if (output !== "") events.push(outputEvent(toolId(id), output));
  events.push(...step.events);
  if (question !== undefined && (part.is_error === true || !isAnswered(facts)))
    events.push(metaEvent({ kind: "question", text: question.text }));
  reading.state = {
    ...state,
    open: step.open,
    questions: question === undefined ? state.questions : state.questions.filter((asked) => asked !== question),
  };
}

function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  const texts = asArray(content).map((part) => asString(asObject(part)?.text));
  return texts.filter((text) => text !== undefined).join("\n");
}
