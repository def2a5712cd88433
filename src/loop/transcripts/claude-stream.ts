import { asObject, asString } from "../../protocol/json.ts";
import type { AdapterStep } from "./adapter.ts";
import type { ClaudeState } from "./claude-state.ts";
import { NO_EVENTS, textEvent } from "./make-event.ts";
import { finishStream, growStream, startStream } from "./streamed-text.ts";

// Partial messages: text and thinking are shown line by line while they arrive. The whole part comes as a message of its own,
// before or after the end of the block.

type Step = AdapterStep<ClaudeState>;

export function stepClaudeStream(state: ClaudeState, event: unknown): Step {
  const fields = asObject(event) ?? {};
  switch (fields.type) {
    case "content_block_delta":
      return growBlock(state, asObject(fields.delta) ?? {});
    case "content_block_start":
      return startBlock(state, asObject(fields.content_block)?.type);
    case "content_block_stop":
      return showPending(state);
    case "message_start":
    case "message_stop": {
      const { state: shown, events } = showPending(state);
      return { state: shown.stream === undefined ? shown : { ...shown, stream: undefined }, events };
    }
    default:
      return { state, events: NO_EVENTS };
  }
}

function startBlock(state: ClaudeState, type: unknown): Step {
  const { state: shown, events } = showPending(state);
  const stream = type === "text" ? startStream("AI") : type === "thinking" ? startStream("THINK") : undefined;
  return { state: { ...shown, stream }, events };
}

function growBlock(state: ClaudeState, delta: Record<string, unknown>): Step {
  const piece = asString(delta.text) ?? asString(delta.thinking);
  if (piece === undefined || state.stream === undefined) return { state, events: NO_EVENTS };
  const { stream, text } = growStream(state.stream, piece);
  return { state: { ...state, stream }, events: text === undefined ? NO_EVENTS : [textEvent(stream.tag, text)] };
}

function showPending(state: ClaudeState): Step {
  if (state.stream === undefined) return { state, events: NO_EVENTS };
  const { stream, text } = finishStream(state.stream);
  return text === undefined
    ? { state, events: NO_EVENTS }
    : { state: { ...state, stream }, events: [textEvent(stream.tag, text)] };
}
