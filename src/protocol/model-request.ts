import type { Effort } from "./effort.ts";
import type { Message } from "./messages.ts";
import type { ModelEnd, ModelEvent } from "./model-events.ts";
import type { CacheRetention } from "./models.ts";
import type { ToolChoice, ToolDefinition } from "./tools.ts";

/** One request to a model, in Ralph's words. */
export interface ModelRequest {
  /**
   * `base` is byte-identical over a session and is what providers cache. `dynamic` (mode, todos, recalled memories) may
   * change with every request, so it always goes behind the conversation.
   */
  system: { base: string; dynamic?: string };
  messages: Message[];
  tools: ToolDefinition[];
  toolChoice?: ToolChoice;
  effort: Effort;
  maxOutputTokens?: number;
  /** A JSON Schema the last answer has to fit; sent where the provider has a way to say so. */
  outputSchema?: Record<string, unknown>;
  /** Stable over a session; becomes the provider's cache key where it has one. */
  sessionId?: string;
  cacheRetention?: CacheRetention;
  /**
   * The conversation is to be shortened by the provider, not answered. The answer then is one thinking part whose `encrypted` is
   * what stands for the messages. Only for models of which `shortensConversations` is true.
   */
  compact?: true;
  /** false asks for the whole answer at once; the events and the final message are the same. */
  stream: boolean;
}

/**
 * A model that can be asked. It never throws and never rejects: what went wrong in the outside world is the `error` it ends
 * with. `emit` gets every event in order, the returned end included.
 */
export type StreamModel = (request: ModelRequest, options: StreamOptions) => Promise<ModelEnd>;

export interface StreamOptions {
  signal: AbortSignal;
  emit: (event: ModelEvent) => void;
  /** Whether a broken answer may be thrown away and asked for again after parts of it were emitted. Default: yes. */
  mayRestart?: () => boolean;
}
