import type { AgentEvent, CompactionResult } from "../../protocol/agent-events.ts";
import type { Message, Usage } from "../../protocol/messages.ts";
import type { ModelError } from "../../protocol/model-errors.ts";
import type { ModelRequest, StreamModel } from "../../protocol/model-request.ts";
import type { Model } from "../../protocol/models.ts";
import type { CompactionSettings } from "../../sessions/compaction/compaction-trigger.ts";
import type { Session } from "../../sessions/session.ts";
import type { Clock } from "../../system/clock.ts";

// Who keeps a conversation inside the window of its model, and what it is given.

export interface CompactorOptions {
  session: Session;
  /** The model the conversation is sent to now. */
  model(): Model;
  streamModel: StreamModel;
  /** The request for a history as the agent would make it: with the same prompt and tools the provider's cache is used. */
  request(messages: Message[]): ModelRequest;
  settings: CompactionSettings;
  /** Whether anything happens by itself. A person can always ask for it. */
  isEnabled(): boolean;
  /** Writes the summaries instead of the model of the conversation. */
  summariser?: { model: Model; streamModel: StreamModel };
  /** Changes to a model with a larger window and names it; undefined where there is none. */
  promote?: () => Promise<Model | undefined>;
  /** The tool's own name for any spelling of it. */
  toolName(name: string): string;
  clock: Clock;
  tell(event: AgentEvent): void;
}

export interface Compactor {
  /** Before a request. What is returned is the history from then on; undefined leaves it. */
  beforeTurn(messages: readonly Message[], work: CompactedWork): Promise<Message[] | undefined>;
  /** Where the provider said that the conversation is too long: a shorter one to try again with. */
  afterFailure(error: ModelError, work: CompactedWork): Promise<Message[] | undefined>;
  /** A person wants it. */
  compact(wish: { focus?: string; signal: AbortSignal }): Promise<CompactionResult>;
  /** Takes back the last compaction that is in force. */
  undo(): Promise<{ ok: true; tokens: number } | { ok: false; message: string }>;
  /** How full the window is. */
  size(): { tokens: number; window: number };
  /** What summaries used since this was last asked. */
  takeSpent(): Spending | undefined;
}

/** The work in which a conversation gets too long. */
export interface CompactedWork {
  signal: AbortSignal;
  /** Everything of the conversation is in the session. */
  settled(): Promise<void>;
}

/** `cost` is in US dollars and absent where no price is known. */
export interface Spending {
  usage: Usage;
  cost?: number;
}

/** One compactor and what it is at. */
export interface CompactorState {
  readonly options: CompactorOptions;
  isRunning: boolean;
  spent: Spending | undefined;
  /** Models whose provider cannot shorten a conversation, or whose results it did not take back. */
  readonly withoutServer: Set<string>;
  /** The model the history was folded for last, as `provider/id`. */
  reader: string | undefined;
}
