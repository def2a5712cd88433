import { asArray, asNumber, asObject, asString, at } from "../../../protocol/json.ts";
import type { Usage } from "../../../protocol/messages.ts";
import type { Frame, Step, WireEvent } from "../../wire-protocol.ts";
import { NOTHING } from "../../wire-protocol.ts";
import { responsesError } from "./errors.ts";

/** What is known of an output item while it grows. */
interface Item {
  /** Some of its content was reported; the repetition of the whole that follows is then ignored. */
  hasGrown?: true;
  /** A call was announced. */
  isCall?: true;
  /** Reasoning comes as a summary or as raw text; the one that came first is reported. */
  source?: "summary" | "raw";
  isDone?: true;
}

export interface ResponsesState {
  /** By part name; an item is one part, whatever number of contents it has. */
  items: ReadonlyMap<string, Item>;
  hasCalled: boolean;
  hasRefused: boolean;
}

type Data = Record<string, unknown>;
type Reader = (state: ResponsesState, data: Data) => Step<ResponsesState>;

const START: ResponsesState = { items: new Map(), hasCalled: false, hasRefused: false };

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ["response.created", readCreated],
  ["response.output_item.added", readItemAdded],
  ["response.output_text.delta", (state, data) => growText(state, partOf(data), data.delta)],
  [
    "response.output_text.done",
    (state, data) => unlessGrown(state, data, () => growText(state, partOf(data), data.text)),
  ],
  ["response.refusal.delta", (state, data) => growRefusal(state, partOf(data), data.delta)],
  [
    "response.refusal.done",
    (state, data) => unlessGrown(state, data, () => growRefusal(state, partOf(data), data.refusal)),
  ],
  ["response.reasoning_summary_part.added", readSummaryPart],
  ["response.reasoning_summary_text.delta", (state, data) => growThinking(state, data, "summary")],
  ["response.reasoning_text.delta", (state, data) => growThinking(state, data, "raw")],
  ["response.function_call_arguments.delta", (state, data) => growCall(state, partOf(data), data.delta)],
  [
    "response.function_call_arguments.done",
    (state, data) => unlessGrown(state, data, () => growCall(state, partOf(data), data.arguments)),
  ],
  ["response.output_item.done", (state, data) => readItem(state, partOf(data), asObject(data.item) ?? {})],
  ["response.completed", (state, data) => readEnd(state, data.response, "completed")],
  ["response.done", (state, data) => readEnd(state, data.response, "completed")],
  ["response.incomplete", (state, data) => readEnd(state, data.response, "incomplete")],
  ["response.failed", (state, data) => readEnd(state, data.response, "failed")],
  ["error", (state, data) => fail(state, asObject(data.error) ?? data)],
]);

export function startResponses(): ResponsesState {
  return START;
}

export function stepResponses(state: ResponsesState, frame: Frame): Step<ResponsesState> {
  const data = asObject(frame.data);
  const reader = data && READERS.get(asString(data.type) ?? frame.event);
  return data === undefined || reader === undefined ? nothing(state) : reader(state, data);
}

/** The whole answer: the `response` object that a streamed answer ends with. */
export function readResponse(body: unknown): WireEvent[] {
  const response = asObject(body);
  if (response === undefined || (!Array.isArray(response.output) && !asObject(response.error))) {
    const message = "the answer has no output list";
    return [{ type: "fail", error: { kind: "bad-answer", message, retryable: true } }];
  }
  const status = asString(response.status) ?? (asObject(response.error) ? "failed" : "completed");
  return [...readCreated(START, { response }).events, ...readEnd(START, response, status).events];
}

/** The item's place in the output; servers that do not count name the item instead. */
function partOf(data: Data): string {
  const index = asNumber(data.output_index);
  return index === undefined ? (asString(data.item_id) ?? asString(at(data, "item", "id")) ?? "0") : String(index);
}

function readCreated(state: ResponsesState, data: Data): Step<ResponsesState> {
  const id = asString(at(data, "response", "id"));
  return id === undefined ? nothing(state) : { state, events: [{ type: "response", id }] };
}

function readItemAdded(state: ResponsesState, data: Data): Step<ResponsesState> {
  const item = asObject(data.item);
  return item?.type === "function_call" ? startCall(state, partOf(data), item) : nothing(state);
}

function startCall(state: ResponsesState, part: string, item: Data): Step<ResponsesState> {
  const [id, name] = [asString(item.call_id) ?? asString(item.id), asString(item.name)];
  if (!id || !name || state.items.get(part)?.isCall) return nothing(state);
  return { state: note(state, part, { isCall: true }), events: [{ type: "tool-call-start", part, id, name }] };
}

function growText(state: ResponsesState, part: string, value: unknown): Step<ResponsesState> {
  const text = asString(value);
  return text ? { state: grown(state, part), events: [{ type: "text-delta", part, text }] } : nothing(state);
}

function growRefusal(state: ResponsesState, part: string, value: unknown): Step<ResponsesState> {
  const step = growText(state, part, value);
  return step.state.hasRefused ? step : { ...step, state: { ...step.state, hasRefused: true } };
}

function growThinking(state: ResponsesState, data: Data, source: "summary" | "raw"): Step<ResponsesState> {
  const [part, text] = [partOf(data), asString(data.delta)];
  const item = state.items.get(part);
  if (!text || (item?.source ?? source) !== source) return nothing(state);
  const next = item?.source === undefined ? note(state, part, { hasGrown: true, source }) : state;
  return { state: next, events: [{ type: "thinking-delta", part, text }] };
}

/** Summaries come in parts, each a paragraph. */
function readSummaryPart(state: ResponsesState, data: Data): Step<ResponsesState> {
  const part = partOf(data);
  if (state.items.get(part)?.source !== "summary") return nothing(state);
  return { state, events: [{ type: "thinking-delta", part, text: PARAGRAPH }] };
}

const PARAGRAPH = "\n\n";

function growCall(state: ResponsesState, part: string, value: unknown): Step<ResponsesState> {
  const text = asString(value);
  if (!text || !state.items.get(part)?.isCall) return nothing(state);
  return { state: grown(state, part), events: [{ type: "tool-call-delta", part, text }] };
}

/** Reads a finished output item: what of it was not yet reported, and its end. */
function readItem(state: ResponsesState, part: string, item: Data): Step<ResponsesState> {
  if (state.items.get(part)?.isDone) return nothing(state);
  if (item.type === "message") return readMessage(state, part, item);
  if (item.type === "reasoning") return readReasoning(state, part, item);
  return item.type === "function_call" ? readCall(state, part, item) : nothing(state);
}

function readMessage(state: ResponsesState, part: string, item: Data): Step<ResponsesState> {
  const contents = asArray(item.content).map((content) => asObject(content) ?? {});
  const text = contents.map((content) => asString(content.text) ?? asString(content.refusal) ?? "").join("");
  const isRefusal = contents.some((content) => content.type === "refusal");
  const rest = state.items.get(part)?.hasGrown ? nothing(state) : growText(state, part, text);
  const phase = asString(item.phase);
  const signature = phase ? { signature: phase } : {};
  return {
    state: { ...note(rest.state, part, { isDone: true }), hasRefused: state.hasRefused || isRefusal },
    events: [...rest.events, { type: "text-end", part, ...signature }],
  };
}

function readReasoning(state: ResponsesState, part: string, item: Data): Step<ResponsesState> {
  const text = state.items.get(part)?.hasGrown ? "" : textsOf(item.summary) || textsOf(item.content);
  const [id, encrypted] = [asString(item.id), asString(item.encrypted_content)];
  const end: WireEvent = { type: "thinking-end", part, ...(id ? { id } : {}), ...(encrypted ? { encrypted } : {}) };
  return {
    state: note(state, part, { isDone: true }),
    events: text === "" ? [end] : [{ type: "thinking-delta", part, text }, end],
  };
}

function textsOf(contents: unknown): string {
  return asArray(contents)
    .map((content) => asString(at(content, "text")) ?? "")
    .filter((text) => text !== "")
    .join(PARAGRAPH);
}

function readCall(state: ResponsesState, part: string, item: Data): Step<ResponsesState> {
  const started = startCall(state, part, item);
  const call = started.state.items.get(part);
  if (!call?.isCall) return nothing(state);
  const rest = call.hasGrown ? nothing(started.state) : growCall(started.state, part, item.arguments);
  return {
    state: { ...note(rest.state, part, { isDone: true }), hasCalled: true },
    events: [...started.events, ...rest.events, { type: "tool-call-end", part }],
  };
}

/** The last frame repeats the whole answer; its output counts only where the server sent nothing else. */
function readEnd(state: ResponsesState, value: unknown, status: string): Step<ResponsesState> {
  const response = asObject(value) ?? {};
  const events: WireEvent[] = [];
  let read = state;
  if (state.items.size === 0) {
    for (const [index, item] of asArray(response.output).entries()) {
      const step = readItem(read, String(index), asObject(item) ?? {});
      read = step.state;
      events.push(...step.events);
    }
  }
  events.push(...usageEvents(response.usage), endOf(read, response, asString(response.status) ?? status));
  return { state: read, events };
}

export function usageEvents(value: unknown): WireEvent[] {
  const input = asNumber(at(value, "input_tokens"));
  const output = asNumber(at(value, "output_tokens"));
  if (input === undefined && output === undefined) return NOTHING;
  const cacheRead = asNumber(at(value, "input_tokens_details", "cached_tokens")) ?? 0;
  const cacheWrite = asNumber(at(value, "input_tokens_details", "cache_write_tokens")) ?? 0;
  const reasoning = asNumber(at(value, "output_tokens_details", "reasoning_tokens"));
  const usage: Partial<Usage> = {
    input: Math.max(0, (input ?? 0) - cacheRead - cacheWrite),
    output: output ?? 0,
    cacheRead,
    cacheWrite,
    ...(reasoning === undefined ? {} : { reasoning }),
  };
  return [{ type: "usage", usage }];
}

function endOf(state: ResponsesState, response: Data, status: string): WireEvent {
  if (status === "completed") {
    return { type: "finish", reason: state.hasCalled ? "tool-use" : state.hasRefused ? "refusal" : "stop" };
  }
  if (status === "incomplete") {
    const isFiltered = at(response, "incomplete_details", "reason") === "content_filter";
    return { type: "finish", reason: isFiltered ? "refusal" : "length" };
  }
  if (asObject(response.error) || status === "failed") return { type: "fail", error: responsesError(response.error) };
  const message = `the provider ended the answer as "${status}"`;
  return { type: "fail", error: { kind: "server", message, retryable: true } };
}

function fail(state: ResponsesState, error: Data): Step<ResponsesState> {
  return { state, events: [{ type: "fail", error: responsesError(error) }] };
}

function unlessGrown(state: ResponsesState, data: Data, grow: () => Step<ResponsesState>): Step<ResponsesState> {
  return state.items.get(partOf(data))?.hasGrown ? nothing(state) : grow();
}

function grown(state: ResponsesState, part: string): ResponsesState {
  return state.items.get(part)?.hasGrown ? state : note(state, part, { hasGrown: true });
}

function note(state: ResponsesState, part: string, news: Item): ResponsesState {
  return { ...state, items: new Map(state.items).set(part, { ...state.items.get(part), ...news }) };
}

function nothing(state: ResponsesState): Step<ResponsesState> {
  return { state, events: NOTHING };
}
