import type { AgentOptions } from "../agent/run-turns.ts";
import type { AgentEvent } from "../protocol/agent-events.ts";
import type { BrokenOff, SandboxStanding } from "../protocol/agent-state.ts";
import type { Effort } from "../protocol/effort.ts";
import type { UserMessage } from "../protocol/messages.ts";
import type { StreamModel } from "../protocol/model-request.ts";
import type { CacheRetention, Model } from "../protocol/models.ts";
import type { CompactionSettings } from "../sessions/compaction/compaction-trigger.ts";
import type { SessionContext } from "../sessions/context.ts";
import type { AppendEntryResult, Session } from "../sessions/session.ts";
import type { Clock } from "../system/clock.ts";
import type { CoderHost } from "./coder-host.ts";
import type { CoderRules } from "./coder-rules.ts";
import type { Compactor } from "./compaction/compactor.ts";
import type { OpenJobs } from "./open-jobs.ts";
import type { PendingAnswers } from "./pending-answers.ts";
import type { PersonCommands } from "./person-commands.ts";
import type { StoredQueue } from "./stored-queue.ts";
import type { Tape } from "./tape.ts";
import type { ToldCommands } from "./told-commands.ts";
import type { Toolbox } from "./toolbox.ts";
import type { UndoRecord } from "./undo-record.ts";

// One working agent as its parts see it.

/** A model that can be asked now. */
export interface OpenModel {
  model: Model;
  effort: Effort;
  streamModel: StreamModel;
}

export type OpenModelResult = ({ ok: true } & OpenModel) | { ok: false; message: string };

export interface CoderOptions {
  session: Session;
  /** What the session knew when it was opened; empty for a new one. */
  known: Partial<SessionContext>;
  /** How the session ended before it was opened, where that was no proper end. */
  brokenOff?: BrokenOff | undefined;
  chosen: OpenModel;
  /** A model by its selector, for a change on the way. */
  openModel(selector: string): Promise<OpenModelResult>;
  /** The effort nearest to the wish that the model takes. */
  fitEffort(model: Model, wish: Effort): Effort;
  fork(
    entryId: string | undefined,
  ): Promise<{ ok: true; sessionId: string; path: string } | { ok: false; message: string }>;
  compaction: CompactionSettings;
  /** Whether the conversation is shortened by itself when it gets too long. */
  autoCompaction: boolean;
  /** A model like this one with a larger window, to go on with instead of shortening. Absent where that is not wanted. */
  openLarger?: (model: Model) => Promise<OpenModel | undefined>;
  toolbox: Toolbox;
  jobs: OpenJobs;
  commands: PersonCommands;
  /** What whoever drives the agent brings along. */
  host?: CoderHost;
  rules?: CoderRules;
  /** What the person ran themselves. */
  told: ToldCommands;
  undo: UndoRecord;
  sandboxStanding(): SandboxStanding;
  queue: StoredQueue;
  pending: PendingAnswers;
  /** Byte-identical over the session. */
  systemPrompt: string;
  /** The date and the like: what may change from request to request. */
  tail(): string;
  mayRestart?: () => boolean;
  tell(event: AgentEvent): void;
  clock: Clock;
  stream: boolean;
  maxTurns: number;
  /** What else `limitReached` stops for, to be shown. */
  limits?: { tokens?: number; cost?: number; minutes?: number };
  /** Made anew for every prompt, because minutes count from its beginning. */
  limitReached?: () => AgentOptions["limitReached"];
  cacheRetention?: CacheRetention;
  maxOutputTokens?: number;
  /** A JSON Schema the last answer has to fit, for providers that can be told. */
  outputSchema?: Record<string, unknown>;
  /** Where the run is recorded or played back. */
  tape?: Tape;
  /** What a command that commits would commit that looks like a secret, as the end of "it would commit …". */
  secretsToCommit?(command: string, cwd: string): Promise<string | undefined>;
}

/** The agent as the methods see it. */
export interface Agent {
  readonly options: CoderOptions;
  chosen: OpenModel;
  name: string | undefined;
  /** Until the next prompt. */
  brokenOff: BrokenOff | undefined;
  autoCompaction: boolean;
  readonly compactor: Compactor;
  /** Pictures a provider refused, by their data; they are not sent again. */
  readonly refusedPictures: Set<string>;
  /** Undefined while idle. */
  run: { stop: AbortController; ended: Promise<void> } | undefined;
  /** Tells behind everything that is still being stored. Absent while nothing is. */
  tellBehind: ((event: AgentEvent) => void) | undefined;
  /** Stores the messages and begins to work on them. Only for an agent that is idle. */
  begin(messages: readonly UserMessage[]): Promise<AppendEntryResult>;
  /** Works on what waits, if nothing runs. */
  wake(): void;
}

export function nameOf(model: Model): string {
  return `${model.provider}/${model.id}`;
}
