import type { WireProtocol } from "../wire-protocol.ts";
import { buildRequest } from "./bedrock-converse-stream/request.ts";
import { type BedrockState, readBody, START, step } from "./bedrock-converse-stream/stream.ts";

/** Amazon Bedrock's Converse API. Requests are signed by whoever sends them. */
export const bedrockConverseStream: WireProtocol<BedrockState> = {
  framing: "aws-event-stream",
  buildRequest,
  start: () => START,
  step,
  readBody,
};
