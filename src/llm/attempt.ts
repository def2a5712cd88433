import type { ModelEnd, ModelEvent } from "../protocol/model-events.ts";
import type { ModelRequest } from "../protocol/model-request.ts";

export interface AttemptContext {
  request: ModelRequest;
  /** 1 for the first attempt. */
  number: number;
  signal: AbortSignal;
  emit: (event: ModelEvent) => void;
}

/** One try at an answer. It emits the parts as they come and returns the last event without emitting it; it never rejects. */
export type Attempt = (context: AttemptContext) => Promise<{
  end: ModelEnd;
  /** Bytes of the answer had arrived. */
  begun: boolean;
}>;
