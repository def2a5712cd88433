import { asArray, asNumber, asObject, asString, at } from "../../../protocol/json.ts";
import type { FinishReason, Usage } from "../../../protocol/messages.ts";
import { reportedError } from "../../errors.ts";
import { EXCEPTION_PREFIX } from "../../framing/aws-event-stream.ts";
import { type Block, endBlock, growth, type OpenBlocks, partName, withBlock } from "../../open-blocks.ts";
import { type Frame, NOTHING, type Step, type WireEvent } from "../../wire-protocol.ts";

export interface BedrockState extends OpenBlocks {
  readonly reason?: FinishReason;
  readonly isCounted: boolean;
}

export const START: BedrockState = { blocks: {}, isCounted: false };

const STOP_REASONS: Record<string, FinishReason> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "tool-use",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  guardrail_intervened: "refusal",
  content_filtered: "refusal",
};
/** The model wrote something the service could not read; asked again it may write better. */
const MALFORMED = ["malformed_model_output", "malformed_tool_use"];

export function step(state: BedrockState, { event, data }: Frame): Step<BedrockState> {
  if (event.startsWith(EXCEPTION_PREFIX)) return { state, events: [failure(event, data)] };
  switch (event) {
    case "contentBlockStart":
      return startBlock(state, data);
    case "contentBlockDelta":
      return growBlock(state, data);
    case "contentBlockStop":
      return endBlock(state, partName(at(data, "contentBlockIndex")));
    case "messageStop":
      return stopMessage(state, data);
    case "metadata":
      return withFinish({ ...state, isCounted: true }, usageEvents(at(data, "usage")));
    default:
      return { state, events: NOTHING };
  }
}

/** A whole answer is read as the stream it could have been. */
export function readBody(body: unknown): WireEvent[] {
  if (!Array.isArray(at(body, "output", "message", "content"))) return [NOT_AN_ANSWER];
  let state = START;
  const events: WireEvent[] = [];
  for (const frame of wholeAsFrames(body)) {
    const next = step(state, frame);
    state = next.state;
    events.push(...next.events);
  }
  return events;
}

function wholeAsFrames(body: unknown): Frame[] {
  const blocks = asArray(at(body, "output", "message", "content")).flatMap((block, contentBlockIndex) => [
    ...partialBlocks(block).map(([event, content]) => ({ event, data: { contentBlockIndex, ...content } })),
    { event: "contentBlockStop", data: { contentBlockIndex } },
  ]);
  return [...blocks, { event: "messageStop", data: body }, { event: "metadata", data: body }];
}

function partialBlocks(block: unknown): [string, object][] {
  const toolUse = asObject(at(block, "toolUse"));
  if (toolUse !== undefined) {
    const input = JSON.stringify(asObject(toolUse.input) ?? {});
    return [
      ["contentBlockStart", { start: { toolUse } }],
      ["contentBlockDelta", { delta: { toolUse: { input } } }],
    ];
  }
  const reasoning = at(block, "reasoningContent");
  const { text, signature } = asObject(at(reasoning, "reasoningText")) ?? {};
  const pieces = [{ text }, { signature }, { redactedContent: at(reasoning, "redactedContent") }];
  const deltas =
    reasoning === undefined ? [{ text: at(block, "text") }] : pieces.map((piece) => ({ reasoningContent: piece }));
  return deltas.map((delta) => ["contentBlockDelta", { delta }]);
}

const NOT_AN_ANSWER: WireEvent = {
  type: "fail",
  error: {
    kind: "bad-answer",
    message: "the answer is not one of Bedrock's Converse API; check the provider's baseUrl and api",
    retryable: false,
  },
};

/** Only the calls of tools are announced; text and thinking begin with their first piece. */
function startBlock(state: BedrockState, data: unknown): Step<BedrockState> {
  const part = partName(at(data, "contentBlockIndex"));
  const toolUse = asObject(at(data, "start", "toolUse"));
  if (part === undefined) return { state, events: NOTHING };
  if (toolUse === undefined || toolUse.type === "server_tool_use") {
    return { state: withBlock(state, part, { type: "foreign" }), events: NOTHING };
  }
  const [id, name] = [asString(toolUse.toolUseId) ?? "", asString(toolUse.name) ?? ""];
  return {
    state: withBlock(state, part, { type: "tool-call" }),
    events: [{ type: "tool-call-start", part, id, name }],
  };
}

function growBlock(state: BedrockState, data: unknown): Step<BedrockState> {
  const part = partName(at(data, "contentBlockIndex"));
  const delta = at(data, "delta");
  const block = part === undefined ? undefined : state.blocks[part];
  if (part === undefined || block?.type === "foreign") return { state, events: NOTHING };
  const input = growth("tool-call-delta", part, at(delta, "toolUse", "input"));
  if (input.length > 0) return { state, events: input };
  const reasoning = asObject(at(delta, "reasoningContent"));
  if (reasoning !== undefined) return growThinking(state, part, reasoning);
  const events = growth("text-delta", part, at(delta, "text"));
  return { state: events.length > 0 && block === undefined ? withBlock(state, part, { type: "text" }) : state, events };
}

function growThinking(state: BedrockState, part: string, piece: Record<string, unknown>): Step<BedrockState> {
  const open = state.blocks[part];
  const block = open?.type === "thinking" ? open : { type: "thinking" as const };
  const signature = (block.signature ?? "") + (asString(piece.signature) ?? "");
  const encrypted = joinBase64(block.encrypted ?? "", asString(piece.redactedContent) ?? "");
  const grown: Block = {
    type: "thinking",
    ...(signature === "" ? {} : { signature }),
    ...(encrypted === "" ? {} : { encrypted }),
  };
  return { state: withBlock(state, part, grown), events: growth("thinking-delta", part, piece.text) };
}

/** Each piece is padded by itself, so they are joined as bytes. */
function joinBase64(before: string, more: string): string {
  if (before === "" || more === "") return before + more;
  return Buffer.concat([Buffer.from(before, "base64"), Buffer.from(more, "base64")]).toString("base64");
}

function stopMessage(state: BedrockState, data: unknown): Step<BedrockState> {
  const name = asString(at(data, "stopReason")) ?? "";
  if (MALFORMED.includes(name)) return { state, events: [malformed(name)] };
  const reason = Object.hasOwn(STOP_REASONS, name) ? STOP_REASONS[name] : undefined;
  return withFinish({ ...state, reason: reason ?? "stop" }, NOTHING);
}

/**
 * The answer is complete when both its stop and its counts have come. The service always sends the counts, last of all: a
 * stream without them was cut, and to take it for complete would book an answer that cost nothing.
 */
function withFinish(state: BedrockState, events: WireEvent[]): Step<BedrockState> {
  const { reason, isCounted } = state;
  return { state, events: reason === undefined || !isCounted ? events : [...events, { type: "finish", reason }] };
}

const COUNTS: readonly (readonly [keyof Usage, string])[] = [
  ["input", "inputTokens"],
  ["output", "outputTokens"],
  ["cacheRead", "cacheReadInputTokens"],
  ["cacheWrite", "cacheWriteInputTokens"],
];

function usageEvents(usage: unknown): WireEvent[] {
  const counts: [string, number][] = COUNTS.flatMap(([key, name]) => {
    const count = asNumber(at(usage, name));
    return count === undefined ? [] : [[key, count]];
  });
  const hour = asArray(at(usage, "cacheDetails")).find((detail) => at(detail, "ttl") === "1h");
  const long = asNumber(at(hour, "inputTokens"));
  if (long !== undefined) counts.push(["cacheWriteLong", long]);
  return counts.length === 0 ? NOTHING : [{ type: "usage", usage: Object.fromEntries(counts) }];
}

function failure(event: string, data: unknown): WireEvent {
  const message = asString(at(data, "message")) ?? asString(at(data, "originalMessage")) ?? "";
  return { type: "fail", error: reportedError(event.slice(EXCEPTION_PREFIX.length), message) };
}

function malformed(reason: string): WireEvent {
  const message = `the model's output could not be read by the service (${reason})`;
  return { type: "fail", error: { kind: "bad-answer", message, retryable: true } };
}
