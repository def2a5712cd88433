import type { WireProtocol } from "../wire-protocol.ts";
import { buildRequest } from "./anthropic-messages/request.ts";
import { type AnthropicState, readBody, START, step } from "./anthropic-messages/stream.ts";

/** Anthropic's Messages API, and the many servers that speak it. */
export const anthropicMessages: WireProtocol<AnthropicState> = {
  framing: "sse",
  buildRequest,
  start: () => START,
  step,
  readBody,
};
