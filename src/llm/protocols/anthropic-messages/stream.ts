import { asArray, asNumber, asObject, asString, at } from "../../../protocol/json.ts";
import type { FinishReason, Usage } from "../../../protocol/messages.ts";
import { reportedError } from "../../errors.ts";
import { type Block, endBlock, growth, type OpenBlocks, partName, withBlock } from "../../open-blocks.ts";
import { type Frame, NOTHING, type Step, type WireEvent } from "../../wire-protocol.ts";

export interface AnthropicState extends OpenBlocks {
  readonly reason: FinishReason;
}

export const START: AnthropicState = { blocks: {}, reason: "stop" };

const STOP_REASONS: Record<string, FinishReason> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "tool-use",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "refusal",
  pause_turn: "pause",
};

export function step(state: AnthropicState, { data }: Frame): Step<AnthropicState> {
  switch (at(data, "type")) {
    case "message_start":
      return {
        state,
        events: [...responseEvents(at(data, "message", "id")), ...usageEvents(at(data, "message", "usage"))],
      };
    case "content_block_start":
      return startBlock(state, data);
    case "content_block_delta":
      return growBlock(state, data);
    case "content_block_stop":
      return endBlock(state, partName(at(data, "index")));
    case "message_delta":
      return {
        state: { ...state, reason: stopReason(at(data, "delta", "stop_reason")) ?? state.reason },
        events: usageEvents(at(data, "usage"), isNotZero),
      };
    case "message_stop":
      return { state, events: [{ type: "finish", reason: state.reason }] };
    case "error":
      return { state, events: [failure(data)] };
    default:
      return { state, events: NOTHING };
  }
}

/** A whole message is read as the stream it could have been. */
export function readBody(body: unknown): WireEvent[] {
  if (at(body, "type") !== "error" && !Array.isArray(at(body, "content"))) return [NOT_A_MESSAGE];
  let state = START;
  const events: WireEvent[] = [];
  for (const data of wholeAsFrames(body)) {
    const next = step(state, { event: "", data });
    state = next.state;
    events.push(...next.events);
  }
  return events;
}

function wholeAsFrames(body: unknown): unknown[] {
  if (at(body, "type") === "error") return [body];
  const blocks = asArray(at(body, "content")).flatMap((content_block, index) => [
    { type: "content_block_start", index, content_block },
    { type: "content_block_stop", index },
  ]);
  const stop_reason = at(body, "stop_reason");
  return [
    { type: "message_start", message: body },
    ...blocks,
    { type: "message_delta", delta: { stop_reason } },
    { type: "message_stop" },
  ];
}

const NOT_A_MESSAGE: WireEvent = {
  type: "fail",
  error: {
    kind: "bad-answer",
    message: "the answer is not a message of the Anthropic API; check the provider's baseUrl and api",
    retryable: false,
  },
};

function startBlock(state: AnthropicState, data: unknown): Step<AnthropicState> {
  const part = partName(at(data, "index"));
  const content = at(data, "content_block");
  if (part === undefined) return { state, events: NOTHING };
  const opened = (block: Block, events: WireEvent[]) => ({ state: withBlock(state, part, block), events });
  switch (at(content, "type")) {
    case "text":
      return opened({ type: "text" }, growth("text-delta", part, at(content, "text")));
    case "thinking": {
      const events = growth("thinking-delta", part, at(content, "thinking"));
      return opened({ type: "thinking", ...signed(at(content, "signature")) }, events);
    }
    case "redacted_thinking": {
      const encrypted = asString(at(content, "data"));
      return opened({ type: "thinking", ...(encrypted === undefined ? {} : { encrypted }) }, NOTHING);
    }
    case "tool_use": {
      const [id, name] = [asString(at(content, "id")) ?? "", asString(at(content, "name")) ?? ""];
      return opened({ type: "tool-call", ...wholeInput(at(content, "input")) }, [
        { type: "tool-call-start", part, id, name },
      ]);
    }
    default:
      return opened({ type: "foreign" }, NOTHING);
  }
}

function growBlock(state: AnthropicState, data: unknown): Step<AnthropicState> {
  const part = partName(at(data, "index"));
  const delta = at(data, "delta");
  const block = part === undefined ? undefined : state.blocks[part];
  if (part === undefined || block?.type === "foreign") return { state, events: NOTHING };
  switch (at(delta, "type")) {
    case "text_delta":
      return { state, events: growth("text-delta", part, at(delta, "text")) };
    case "thinking_delta":
      return { state, events: growth("thinking-delta", part, at(delta, "thinking")) };
    case "signature_delta":
      return { state: block?.type === "thinking" ? sign(state, part, at(delta, "signature")) : state, events: NOTHING };
    case "input_json_delta": {
      const events = growth("tool-call-delta", part, at(delta, "partial_json"));
      const replaces = block?.type === "tool-call" && block.whole !== undefined && events.length > 0;
      return { state: replaces ? withBlock(state, part, { type: "tool-call" }) : state, events };
    }
    default:
      return { state, events: NOTHING };
  }
}

function sign(state: AnthropicState, part: string, more: unknown): AnthropicState {
  const block = state.blocks[part];
  if (block?.type !== "thinking") return state;
  return withBlock(state, part, { ...block, ...signed((block.signature ?? "") + (asString(more) ?? "")) });
}

function signed(signature: unknown): { signature?: string } {
  const text = asString(signature) ?? "";
  return text === "" ? {} : { signature: text };
}

function wholeInput(input: unknown): { whole?: string } {
  const object = asObject(input);
  return object === undefined || Object.keys(object).length === 0 ? {} : { whole: JSON.stringify(object) };
}

function responseEvents(id: unknown): WireEvent[] {
  const text = asString(id);
  return text === undefined ? NOTHING : [{ type: "response", id: text }];
}

const COUNTS: readonly (readonly [keyof Usage, string, ...string[]])[] = [
  ["input", "input_tokens"],
  ["output", "output_tokens"],
  ["cacheRead", "cache_read_input_tokens"],
  ["cacheWrite", "cache_creation_input_tokens"],
  ["cacheWriteLong", "cache_creation", "ephemeral_1h_input_tokens"],
  ["reasoning", "output_tokens_details", "thinking_tokens"],
];

function usageEvents(usage: unknown, isNews = (_: number) => true): WireEvent[] {
  const counts: Partial<Usage> = {};
  for (const [key, first, ...further] of COUNTS) {
    const found = at(usage, first);
    const count = asNumber(further.length === 0 ? found : at(found, ...further));
    if (count !== undefined && isNews(count)) counts[key] = count;
  }
  return Object.keys(counts).length === 0 ? NOTHING : [{ type: "usage", usage: counts }];
}

/** The counts at the end include those at the start, so a zero there is only a server that does not repeat itself. */
function isNotZero(count: number): boolean {
  return count !== 0;
}

function stopReason(reason: unknown): FinishReason | undefined {
  const name = asString(reason);
  if (name === undefined) return undefined;
  return Object.hasOwn(STOP_REASONS, name) ? STOP_REASONS[name] : "stop";
}

function failure(data: unknown): WireEvent {
  const error = at(data, "error");
  const requestId = asString(at(data, "request_id"));
  const reported = reportedError(asString(at(error, "type")) ?? "", asString(at(error, "message")) ?? "");
  return { type: "fail", error: requestId === undefined ? reported : { ...reported, requestId } };
}
