import { asArray, asNumber, asObject, asString, at } from "../../../protocol/json.ts";
import type { FinishReason, Usage } from "../../../protocol/messages.ts";
import type { ModelError } from "../../../protocol/model-errors.ts";
import type { Frame, Step, WireEvent } from "../../wire-protocol.ts";
import { NOTHING } from "../../wire-protocol.ts";
import { makeCallId } from "./call-ids.ts";
import { googleError } from "./errors.ts";

export interface GoogleState {
  responseId?: string;
  promptTokens?: number;
  /** The text or thought that grows; the wire does not name parts, so neighbours of one kind are one. */
  open?: { kind: "text" | "thinking"; part: string };
  /** How many parts have begun. */
  parts: number;
  hasCalled: boolean;
}

type Data = Record<string, unknown>;

const START: GoogleState = { parts: 0, hasCalled: false };

export function startGoogle(): GoogleState {
  return START;
}

export function stepGoogle(state: GoogleState, frame: Frame): Step<GoogleState> {
  const chunk = asObject(frame.data);
  if (chunk === undefined) return { state, events: NOTHING };
  if (asObject(chunk.error)) return { state, events: [{ type: "fail", error: googleError(chunk.error) }] };
  const begun = readHead(state, chunk);
  const candidate = asObject(asArray(chunk.candidates)[0]) ?? {};
  const events = [...begun.events];
  let read = begun.state;
  for (const part of asArray(at(candidate, "content", "parts"))) {
    const step = readPart(read, asObject(part) ?? {});
    read = step.state;
    events.push(...step.events);
  }
  events.push(...usageEvents(chunk.usageMetadata), ...endEvents(read, chunk, candidate));
  return { state: read, events };
}

/** The whole answer, or the list of chunks that a stream without `alt=sse` is. */
export function readGoogleBody(body: unknown): WireEvent[] {
  let state = START;
  const events: WireEvent[] = [];
  for (const data of Array.isArray(body) ? body : [body]) {
    const step = stepGoogle(state, { event: "", data });
    state = step.state;
    events.push(...step.events);
  }
  if (events.some((event) => event.type === "finish" || event.type === "fail")) return events;
  return [...events, failed({ kind: "bad-answer", message: "the answer has no finish reason", retryable: true })];
}

function readHead(state: GoogleState, chunk: Data): Step<GoogleState> {
  const promptTokens = asNumber(at(chunk.usageMetadata, "promptTokenCount"));
  const counted = promptTokens === undefined ? state : { ...state, promptTokens };
  const id = asString(chunk.responseId);
  if (!id || state.responseId !== undefined) return { state: counted, events: NOTHING };
  return { state: { ...counted, responseId: id }, events: [{ type: "response", id }] };
}

function readPart(state: GoogleState, part: Data): Step<GoogleState> {
  const call = asObject(part.functionCall);
  const signature = asString(part.thoughtSignature) ?? asString(call?.thoughtSignature);
  if (call !== undefined) return readCall(state, call, signature);
  const kind = part.thought === true ? "thinking" : "text";
  const text = asString(part.text) ?? "";
  const grown = text === "" ? { state, events: NOTHING } : grow(state, kind, text);
  return signature ? sign(grown, kind, signature) : grown;
}

/** Calls come whole. */
function readCall(state: GoogleState, call: Data, signature: string | undefined): Step<GoogleState> {
  const name = asString(call.name);
  if (!name) return { state, events: NOTHING };
  const [position, part] = [state.parts, `call-${state.parts}`];
  const argumentText = JSON.stringify(asObject(call.args) ?? {});
  const { responseId, promptTokens } = state;
  const id = asString(call.id) || makeCallId({ responseId, position, name, argumentText, promptTokens });
  return {
    state: { ...state, open: undefined, parts: position + 1, hasCalled: true },
    events: [
      { type: "tool-call-start", part, id, name, ...(signature ? { signature } : {}) },
      { type: "tool-call-delta", part, text: argumentText },
      { type: "tool-call-end", part },
    ],
  };
}

function grow(state: GoogleState, kind: "text" | "thinking", text: string): Step<GoogleState> {
  const isOpen = state.open?.kind === kind;
  const part = isOpen && state.open ? state.open.part : `${kind}-${state.parts}`;
  const next = isOpen ? state : { ...state, open: { kind, part }, parts: state.parts + 1 };
  return { state: next, events: [{ type: `${kind}-delta`, part, text }] };
}

/** A signature ends its part. One that comes with no open part is kept as an empty thought, so that it can be returned. */
function sign({ state, events }: Step<GoogleState>, kind: "text" | "thinking", signature: string): Step<GoogleState> {
  const closed = { ...state, open: undefined };
  if (state.open?.kind === kind) {
    return { state: closed, events: [...events, { type: `${kind}-end`, part: state.open.part, signature }] };
  }
  const part = `thinking-${state.parts}`;
  return {
    state: { ...closed, parts: state.parts + 1 },
    events: [...events, { type: "thinking-end", part, signature }],
  };
}

function usageEvents(value: unknown): WireEvent[] {
  const prompt = asNumber(at(value, "promptTokenCount"));
  const answer = asNumber(at(value, "candidatesTokenCount"));
  const thoughts = asNumber(at(value, "thoughtsTokenCount"));
  const cacheRead = asNumber(at(value, "cachedContentTokenCount")) ?? 0;
  const usage: Partial<Usage> = {
    ...(prompt === undefined ? {} : { input: Math.max(0, prompt - cacheRead), cacheRead }),
    ...(answer === undefined && thoughts === undefined ? {} : { output: (answer ?? 0) + (thoughts ?? 0) }),
    ...(thoughts === undefined ? {} : { reasoning: thoughts }),
  };
  return Object.keys(usage).length === 0 ? NOTHING : [{ type: "usage", usage }];
}

const REASONS: Readonly<Record<string, FinishReason>> = {
  STOP: "stop",
  MAX_TOKENS: "length",
  SAFETY: "refusal",
  RECITATION: "refusal",
  LANGUAGE: "refusal",
  BLOCKLIST: "refusal",
  PROHIBITED_CONTENT: "refusal",
  SPII: "refusal",
  IMAGE_SAFETY: "refusal",
  IMAGE_PROHIBITED_CONTENT: "refusal",
  IMAGE_RECITATION: "refusal",
  MODEL_ARMOR: "refusal",
};

function endEvents(state: GoogleState, chunk: Data, candidate: Data): WireEvent[] {
  if (asString(at(chunk, "promptFeedback", "blockReason"))) return [{ type: "finish", reason: "refusal" }];
  const name = asString(candidate.finishReason);
  if (!name || name === "FINISH_REASON_UNSPECIFIED") return NOTHING;
  const reason = Object.hasOwn(REASONS, name) ? REASONS[name] : undefined;
  if (reason === undefined) return [failed(unreadable(name, asString(candidate.finishMessage)))];
  return [{ type: "finish", reason: reason === "stop" && state.hasCalled ? "tool-use" : reason }];
}

/** MALFORMED_FUNCTION_CALL and its like: the model wrote something the API could not read; asked again it mostly succeeds. */
function unreadable(name: string, said: string | undefined): ModelError {
  const retryable = name !== "MISSING_THOUGHT_SIGNATURE";
  return {
    kind: retryable ? "bad-answer" : "invalid-request",
    message: `the provider ended the answer with ${name}${said ? `: ${said.replace(/\s+/g, " ").slice(0, 300)}` : ""}`,
    retryable,
  };
}

function failed(error: ModelError): WireEvent {
  return { type: "fail", error };
}
