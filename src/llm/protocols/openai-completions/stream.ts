import { asArray, asNumber, asObject, asString, at } from "../../../protocol/json.ts";
import type { FinishReason } from "../../../protocol/messages.ts";
import { reportedError } from "../../errors.ts";
import { type Frame, NOTHING, type Step, type WireEvent } from "../../wire-protocol.ts";
import { type CallState, callDeltas, NO_CALLS } from "./calls.ts";
import { addDetails, type Detail, detailsText, hiddenReasoning } from "./details.ts";
import { chatUsage } from "./usage.ts";

// The chunks of a streamed chat completion, and the whole completion as one big chunk.

export interface ChatState {
  responseId?: string;
  calls: CallState;
  /** Reasoning blocks of a gateway since they were last put into a thinking part. */
  details: readonly Detail[];
  refused: boolean;
  finished: boolean;
}

export function start(): ChatState {
  return { calls: NO_CALLS, details: [], refused: false, finished: false };
}

export function step(state: ChatState, frame: Frame): Step<ChatState> {
  const chunk = asObject(frame.data);
  if (chunk === undefined) return { state, events: NOTHING };
  const error = errorIn(chunk);
  if (error !== undefined) return { state, events: [error] };
  const choice = asObject(asArray(chunk.choices)[0]);
  const begun = readId(state, chunk);
  const read = readDelta(begun.state, asObject(choice?.delta) ?? asObject(choice?.message) ?? {});
  const ended = readEnd(read.state, asString(choice?.finish_reason) ?? "");
  const usage = chatUsage(chunk.usage ?? choice?.usage ?? at(chunk, "x_groq", "usage"));
  const events = [...begun.events, ...read.events, ...ended.events];
  return { state: ended.state, events: usage === undefined ? events : [...events, { type: "usage", usage }] };
}

export function readBody(body: unknown): WireEvent[] {
  return step(start(), { event: "", data: body }).events;
}

function readId(state: ChatState, chunk: Record<string, unknown>): Step<ChatState> {
  const id = asString(chunk.id) ?? "";
  if (state.responseId !== undefined || id === "") return { state, events: NOTHING };
  return { state: { ...state, responseId: id }, events: [{ type: "response", id }] };
}

// Text and thinking.

function readDelta(state: ChatState, delta: Record<string, unknown>): Step<ChatState> {
  const details = addDetails(state.details, delta.reasoning_details);
  const thought = thinkingText(delta);
  const refusal = asString(delta.refusal) ?? "";
  const text = contentText(delta.content, "text") + refusal;
  const calls = callDeltas(state.calls, delta, state.responseId ?? "");
  const answers = text !== "" || calls.events.length > 0;
  const events: WireEvent[] = [
    ...(thought === "" ? NOTHING : [{ type: "thinking-delta", part: "thinking", text: thought } as const]),
    ...(answers ? hiddenReasoning(details) : NOTHING),
    ...(text === "" ? NOTHING : [{ type: "text-delta", part: "text", text } as const]),
    ...calls.events,
  ];
  const refused = state.refused || refusal !== "";
  return { state: { ...state, calls: calls.state, details: answers ? [] : details, refused }, events };
}

/** The first of the fields that says something: an endpoint that fills two of them says the same in both. */
function thinkingText(delta: Record<string, unknown>): string {
  const fields = [delta.reasoning_content, delta.reasoning, delta.reasoning_text].map((value) => asString(value) ?? "");
  return (
    fields.find((text) => text !== "") ??
    (detailsText(delta.reasoning_details) || contentText(delta.content, "thinking"))
  );
}

/** Content is a string, or (Mistral) a list of chunks whose text is a string or a list of text chunks again. */
function contentText(content: unknown, type: "text" | "thinking"): string {
  if (typeof content === "string") return type === "text" ? content : "";
  const chunks = asArray(content).filter((chunk) => at(chunk, "type") === type);
  return chunks.map((chunk) => asString(at(chunk, type)) ?? contentText(at(chunk, type), "text")).join("");
}

// The end.

function readEnd(state: ChatState, reason: string): Step<ChatState> {
  if (reason === "" || state.finished) return { state, events: NOTHING };
  const ended = { ...state, details: [], finished: true };
  const failure = FAILURES.get(reason);
  if (failure !== undefined)
    return { state: ended, events: [{ type: "fail", error: reportedError("server_error", failure) }] };
  const finish: WireEvent = { type: "finish", reason: stopReason(state, reason) };
  return { state: ended, events: [...hiddenReasoning(state.details), finish] };
}

function stopReason(state: ChatState, reason: string): FinishReason {
  const known = STOP_REASONS.get(reason) ?? "stop";
  if (known !== "stop") return known;
  if (state.refused) return "refusal";
  return state.calls.list.some((call) => call.started) ? "tool-use" : "stop";
}

const STOP_REASONS = new Map<string, FinishReason>([
  ["stop", "stop"],
  ["length", "length"],
  ["max_tokens", "length"],
  ["model_length", "length"],
  ["model_context_window_exceeded", "length"],
  ["tool_calls", "tool-use"],
  ["function_call", "tool-use"],
  ["tool_use", "tool-use"],
  ["content_filter", "refusal"],
  ["sensitive", "refusal"],
]);

const FAILURES = new Map<string, string>([
  ["error", "the provider broke off the answer"],
  ["network_error", "the provider lost its connection to the model"],
  ["insufficient_system_resource", "the provider has no capacity left for this answer"],
]);

// Errors inside the answer.

function errorIn(chunk: Record<string, unknown>): WireEvent | undefined {
  const error = chunk.object === "error" ? chunk : (asObject(chunk.error) ?? asString(chunk.error)) || undefined;
  if (error === undefined) return undefined;
  const message = asString(error) ?? asString(at(error, "message")) ?? "";
  return { type: "fail", error: reportedError(errorCode(error), message) };
}

/** A named code, a status number (gateways), or the type. */
function errorCode(error: unknown): string {
  const code = at(error, "code");
  const status = asNumber(code) ?? Number(asString(code) || Number.NaN);
  if (!Number.isNaN(status)) return CODE_BY_STATUS[status] ?? "server_error";
  return asString(code) || asString(at(error, "type")) || "";
}

const CODE_BY_STATUS: Record<number, string> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "insufficient_quota",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  422: "invalid_request_error",
  429: "rate_limit_error",
};
