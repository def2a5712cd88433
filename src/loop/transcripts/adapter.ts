import type { TranscriptEvent } from "../../protocol/transcript-events.ts";

// What turns the lines of one kind of agent into the events every part of the loop understands.

export const ADAPTER_NAMES = ["plain", "rtf1", "codex", "claude", "ralph"] as const;
export type AdapterName = (typeof ADAPTER_NAMES)[number];

export interface AdapterCapabilities {
  /** Can tell thinking, system and assistant text apart. */
  roles: boolean;
  toolEvents: boolean;
  usageEvents: boolean;
  /** Recognises the prompt where the agent echoes it. */
  promptHiding: boolean;
}

export interface AgentLine {
  /** Without its end. */
  text: string;
  stream: "stdout" | "stderr";
  /** Milliseconds since the agent was started. */
  atMs: number;
}

/** Pure: the state goes in and comes out. It never throws, whatever the line holds; what it cannot read it gives back as text. */
export interface TranscriptAdapter<State = unknown> {
  name: AdapterName;
  capabilities: AdapterCapabilities;
  start(options: AdapterOptions): State;
  step(state: State, line: AgentLine): AdapterStep<State>;
  /** After the last line: what is still open is closed. */
  flush(state: State): AdapterStep<State>;
}

export interface AdapterOptions {
  prompt: string;
  /** Shows the prompt where the agent echoes it, instead of hiding it. */
  showPrompt?: boolean;
  /** How many hidden lines go by between two notes about them: 50 unless said, 0 for none. */
  promptProgressEvery?: number;
}

export interface AdapterStep<State> {
  state: State;
  events: readonly TranscriptEvent[];
}

export const FAILURE_CAUSES = ["provider", "credentials", "quota", "interrupted", "limit", "other"] as const;
export type FailureCause = (typeof FAILURE_CAUSES)[number];

/**
 * What `meta` events say in words the loop acts on. Only facts the agent states in its structured output; prose is never read
 * for them.
 */
export type KnownMeta =
  /** The conversation, by the id its own program resumes it with. */
  | { kind: "session"; id: string }
  /** The whole last message of the assistant. */
  | { kind: "final"; text: string }
  /** The agent gave up: what it said, and how to understand it. */
  | { kind: "failed"; message: string; cause: FailureCause }
  /** A quota is used up. `until` (ISO 8601) or `waitMs` from now, where the agent says when it is free again. */
  | { kind: "quota"; message: string; until?: string; waitMs?: number }
  /** It tries again by itself: silence is not a hang. */
  | { kind: "retry"; message: string; waitMs?: number }
  /** A question to a person that nobody answered. */
  | { kind: "question"; text: string }
  /** Its own permission gate said no. */
  | { kind: "denied"; text: string }
  /** A line that could not be read as what it claims to be. */
  | { kind: "unreadable"; message: string };
