import type { JsonObject } from "../protocol/json.ts";
import type { FinishReason, Usage } from "../protocol/messages.ts";
import type { ModelError } from "../protocol/model-errors.ts";
import type { ModelRequest } from "../protocol/model-request.ts";
import type { Model } from "../protocol/models.ts";

// The contract every wire format of `protocols/` keeps. A protocol is pure: it makes a request body from a ModelRequest and
// turns the provider's frames into part events. Addresses, keys, sockets, retries, broken streams and the finished message are
// not its business.

/** How the bytes of a streamed answer are cut into frames. */
export type Framing = "sse" | "aws-event-stream" | "json-lines";

/** One frame of a streamed answer, its data already parsed as JSON. `event` is empty where the framing has no names. */
export interface Frame {
  event: string;
  data: unknown;
}

export interface WireRequest {
  /** Appended to the model's base URL; begins with a slash and may carry a query. */
  path: string;
  /** Headers of the protocol itself (versions, betas); never keys. */
  headers: Record<string, string>;
  body: JsonObject;
}

/**
 * What a frame means. `part` is any string that names one part of the answer while it grows. A part begins with its first
 * event (`tool-call-start` for calls) and ends with its `-end`, with the end of the answer, or, for text and thinking, when
 * another text or thinking part begins: a protocol emits an `-end` only where the wire says so or a signature comes with it.
 */
export type WireEvent =
  | { type: "response"; id: string }
  | { type: "text-delta"; part: string; text: string }
  | { type: "text-end"; part: string; signature?: string }
  | { type: "thinking-delta"; part: string; text: string }
  | { type: "thinking-end"; part: string; id?: string; signature?: string; encrypted?: string }
  | { type: "tool-call-start"; part: string; id: string; name: string; signature?: string }
  | { type: "tool-call-delta"; part: string; text: string }
  | { type: "tool-call-end"; part: string }
  /** Counts so far; a later event overrides the keys it names. */
  | { type: "usage"; usage: Partial<Usage> }
  /** The provider said the answer is complete. Without it, an ended stream counts as cut. */
  | { type: "finish"; reason: FinishReason }
  /** The provider reported an error inside the answer. */
  | { type: "fail"; error: ModelError };

export interface Step<State> {
  state: State;
  events: WireEvent[];
}

export interface WireProtocol<State = unknown> {
  framing: Framing;
  /** The endpoint only streams: a request for the whole answer is streamed on the wire and collected. */
  streamsAlways?: true;
  buildRequest(request: ModelRequest, model: Model): WireRequest;
  /** The state before the first frame. */
  start(): State;
  /** Pure and total: whatever the frame holds, it returns. Unknown frames mean nothing and give no events. */
  step(state: State, frame: Frame): Step<State>;
  /** The same events from the whole answer of a request that was not streamed. Total as well. */
  readBody(body: unknown): WireEvent[];
  /** The events of the answer to a request with `compact`, where the API has such a thing. Total as well. */
  readCompaction?(body: unknown): WireEvent[];
  /** What a refusal's body says that status and usual words do not, where a provider has habits of its own. Total as well. */
  readRefusal?(body: unknown): Partial<Pick<ModelError, "kind" | "retryAfterMs">>;
}

export const NOTHING: WireEvent[] = [];
