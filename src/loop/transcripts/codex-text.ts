import type { TranscriptEvent } from "../../protocol/transcript-events.ts";
import type { AdapterOptions, AdapterStep, AgentLine } from "./adapter.ts";
import { codexFailure, isReconnecting } from "./codex-failure.ts";
import { isEchoing, type PromptEcho, startEcho, stepEcho } from "./codex-prompt-echo.ts";
import { closeTextTool, isToolHeader, openTextTool, stepTextTool, type TextTool } from "./codex-text-tools.ts";
import { readableText } from "./escape-codes.ts";
import { metaEvent, NO_EVENTS, textEvent } from "./make-event.ts";
import { MAX_KEPT_CHARACTERS, shortened } from "./shortened.ts";

// Codex without `--json`: what it does is told on the error stream, with a word on a line of its own for who speaks; its last
// message comes once more, alone, on standard output.

type Role = "SYS" | "PROMPT" | "AI" | "THINK" | "TOOL";

export interface CodexTextState {
  role: Role;
  /** A role word was seen; on the error stream, then standard output holds only the last message. */
  spoken: "nowhere" | "stdout" | "stderr";
  echo: PromptEcho;
  toolKind: "shell" | "apply_patch";
  tool: TextTool | undefined;
  toolCount: number;
  /** The line "tokens used", until the next line tells whether it was one. */
  held: string | undefined;
  /** The assistant said something among the other lines. */
  hasSpoken: boolean;
  /** What came on standard output without a role word: the last message. */
  said: string | undefined;
  /** The newest line that says ERROR; forgotten when the assistant speaks after it. */
  error: string | undefined;
  /** The connection was lost. */
  retried: boolean;
}

type Step = AdapterStep<CodexTextState>;

export function startCodexText(options: AdapterOptions): CodexTextState {
  return {
    role: "SYS",
    spoken: "nowhere",
    echo: startEcho(options),
    toolKind: "shell",
    tool: undefined,
    toolCount: 0,
    held: undefined,
    hasSpoken: false,
    said: undefined,
    error: undefined,
    retried: false,
  };
}

/** A line that consists of one of these words switches who speaks. */
const ROLES = new Map<string, { role: Role; toolKind?: CodexTextState["toolKind"] }>([
  ["user", { role: "PROMPT" }],
  ["assistant", { role: "AI" }],
  ["codex", { role: "AI" }],
  ["final", { role: "AI" }],
  ["thinking", { role: "THINK" }],
  ["analysis", { role: "THINK" }],
  ["tool", { role: "TOOL" }],
  ["exec", { role: "TOOL" }],
  ["apply patch", { role: "TOOL", toolKind: "apply_patch" }],
  ["system", { role: "SYS" }],
]);
const LONGEST_ROLE_LINE = 24;

export function roleOfLine(line: string) {
  if (line.length > LONGEST_ROLE_LINE) return undefined;
  return ROLES.get(readableText(line).trimEnd().replace(/:$/, "").toLowerCase());
}

export function stepCodexText(state: CodexTextState, line: AgentLine): Step {
  if (line.stream === "stdout" && state.spoken === "stderr") return collectLastMessage(state, line.text);
  if (line.stream === "stdout" && state.spoken === "nowhere" && roleOfLine(line.text) === undefined) {
    const { state: next, events } = stepSystemLine(state, line.text);
    return { state: { ...next, said: joined(state.said, line.text) }, events };
  }
  if (state.role === "PROMPT" && isEchoing(state.echo)) return stepEchoed(state, line);
  return stepLine(state, line);
}

/** It is shown only where nothing else was said: usually the same words came before. */
function collectLastMessage(state: CodexTextState, text: string): Step {
  const events = state.hasSpoken ? NO_EVENTS : [textEvent("AI", text)];
  return { state: { ...state, said: joined(state.said, text) }, events };
}

function joined(said: string | undefined, text: string): string {
  const whole = said === undefined ? text : `${said}\n${text}`;
  return whole.length > 2 * MAX_KEPT_CHARACTERS ? shortened(whole) : whole;
}

function stepEchoed(state: CodexTextState, line: AgentLine): Step {
  const { type, echo, events } = stepEcho(state.echo, line.text);
  if (type === "same") return { state: { ...state, echo, role: isEchoing(echo) ? "PROMPT" : "SYS" }, events };
  const next = stepLine({ ...state, echo }, line);
  return { state: next.state, events: [...events, ...next.events] };
}

function stepLine(state: CodexTextState, line: AgentLine): Step {
  if (state.held !== undefined) return stepAfterTokens(state, state.held, line);
  const role = roleOfLine(line.text);
  if (role !== undefined) return switchRole(state, role, line.stream);
  if (line.text.startsWith(TOKENS)) return stepTokens(state, line);
  return stepSaid(state, line);
}

function switchRole(
  state: CodexTextState,
  next: { role: Role; toolKind?: CodexTextState["toolKind"] },
  spoken: AgentLine["stream"],
): Step {
  const { role, toolKind = "shell" } = next;
  return {
    state: { ...state, role, spoken, toolKind, tool: undefined, said: spoken === "stdout" ? undefined : state.said },
    events: state.tool === undefined ? NO_EVENTS : closeTextTool(state.tool),
  };
}

const TOKENS = "tokens used";
const NUMBER = /^:? ?(\d[\d,]*)$/;

/** The count stands in the same line or alone in the next one. */
function stepTokens(state: CodexTextState, line: AgentLine): Step {
  const rest = line.text.slice(TOKENS.length).trimEnd();
  if (rest === "") return { state: { ...state, held: line.text }, events: NO_EVENTS };
  const count = NUMBER.exec(rest)?.[1];
  return count === undefined ? stepSaid(state, line) : countTokens(state, count, line.stream);
}

function stepAfterTokens(state: CodexTextState, held: string, line: AgentLine): Step {
  const count = NUMBER.exec(line.text.trimEnd())?.[1];
  const free = { ...state, held: undefined };
  if (count !== undefined) return countTokens(free, count, line.stream);
  const first = stepSaid(free, { ...line, text: held });
  const second = stepLine(first.state, line);
  return { state: second.state, events: [...first.events, ...second.events] };
}

/** The last message follows where both streams are one; otherwise nothing of the assistant does. */
function countTokens(state: CodexTextState, count: string, stream: AgentLine["stream"]): Step {
  const total = Number(count.replaceAll(",", ""));
  const closed = state.tool === undefined ? NO_EVENTS : closeTextTool(state.tool);
  return {
    state: { ...state, tool: undefined, role: stream === "stdout" ? "AI" : "SYS", error: undefined },
    events: [...closed, { type: "usage", usage: { total_tokens: total, scope: "total" } }],
  };
}

function stepSaid(state: CodexTextState, line: AgentLine): Step {
  switch (state.role) {
    case "TOOL":
      return stepToolLine(state, line);
    case "SYS":
      return stepSystemLine(state, line.text);
    case "AI": {
      const isFirst = !state.hasSpoken || state.error !== undefined;
      return {
        state: isFirst ? { ...state, hasSpoken: true, error: undefined } : state,
        events: [textEvent("AI", line.text)],
      };
    }
    default:
      return { state, events: [textEvent(state.role, line.text)] };
  }
}

function stepToolLine(state: CodexTextState, { text, atMs }: AgentLine): Step {
  if (state.tool !== undefined && !isToolHeader(text)) {
    const { tool, events } = stepTextTool(state.tool, text);
    return { state: tool === state.tool ? state : { ...state, tool }, events };
  }
  const toolCount = state.toolCount + 1;
  const closed = state.tool === undefined ? NO_EVENTS : closeTextTool(state.tool);
  const { tool, events } = openTextTool({ line: text, number: toolCount, atMs, kind: state.toolKind });
  return { state: { ...state, tool, toolCount }, events: [...closed, ...events] };
}

const SESSION = /^session id: (\S{1,200})$/;
const ERROR = "ERROR: ";
const INTERRUPTED = "turn interrupted";

function stepSystemLine(state: CodexTextState, text: string): Step {
  const shown = textEvent("SYS", text);
  const session = state.spoken === "nowhere" ? SESSION.exec(text)?.[1] : undefined;
  if (session !== undefined) return { state, events: [shown, metaEvent({ kind: "session", id: session })] };
  if (text === INTERRUPTED)
    return {
      state,
      events: [shown, metaEvent({ kind: "failed", message: "The turn was interrupted.", cause: "interrupted" })],
    };
  if (!text.startsWith(ERROR)) return { state, events: [shown] };
  const message = text.slice(ERROR.length);
  if (isReconnecting({}, message))
    return { state: { ...state, retried: true }, events: [shown, metaEvent({ kind: "retry", message })] };
  return { state: { ...state, error: shortened(message) }, events: [shown] };
}

export function flushCodexText(state: CodexTextState): Step {
  const { held, tool, said, error } = state;
  const late =
    held === undefined ? { state, events: NO_EVENTS } : stepSaid({ ...state, held: undefined }, heldLine(held));
  const events = [...late.events, ...(tool === undefined ? [] : closeTextTool(tool))];
  if (error !== undefined) events.push(...failureEvents(error, state.retried));
  else if (said !== undefined && said.trim() !== "") events.push(metaEvent({ kind: "final", text: shortened(said) }));
  return { state: { ...late.state, tool: undefined, said: undefined, error: undefined }, events };
}

function heldLine(text: string): AgentLine {
  return { text, stream: "stderr", atMs: 0 };
}

function failureEvents(error: string, retried: boolean): TranscriptEvent[] {
  const { message, cause, quota } = codexFailure(error, retried);
  const failed = metaEvent({ kind: "failed", message, cause });
  return quota === undefined ? [failed] : [metaEvent(quota), failed];
}
