import type { Receipt } from "../../protocol/receipts.ts";
import type { VerdictName } from "../../protocol/verdicts.ts";

// What the control socket asks of a running loop. The socket knows the wire, the loop knows the work; they meet here.

export const LOOP_STATUSES = ["running", "stopped", "completed", "failed", "checkpointed"] as const;
export type LoopStatusName = (typeof LOOP_STATUSES)[number];

export interface LoopStatus {
  taskName: string;
  /** Absolute. */
  taskDirectory: string;
  iteration: number;
  maxIterations: number;
  /** The id of the story at work; undefined between two. */
  currentStory: string | undefined;
  /** The runner. */
  agent: string;
  status: LoopStatusName;
  interactive: boolean;
  /** Wall clock, milliseconds. */
  startedAt: number;
  updatedAt: number;
}

export interface StoryState {
  id: string;
  title: string;
  passes: boolean;
  verified: boolean;
  /** The id of its receipt. */
  receipt?: string;
}

export interface TerminalSize {
  columns: number;
  rows: number;
}

/** What a terminal of this size shows: `data`, written to an empty one, draws it, with the cursor in its place. */
export interface Screen extends TerminalSize {
  data: string;
}

/** `message` says why it was not done and what would help. */
export type ControlOutcome = { ok: true } | { ok: false; message: string };

/**
 * Requests are answered when the promise settles, so it settles when the wish is stored. None of them may reject or throw; one
 * that does is answered as an internal error and the loop goes on.
 */
export interface LoopControls {
  /** Cheap: it is called for every request and every change. */
  status(): LoopStatus;
  /** The current operation is finished, then the loop ends. */
  stop(): Promise<ControlOutcome>;
  /** The current iteration is finished, then the loop pauses. */
  checkpoint(): Promise<ControlOutcome>;
  /** `prompt` is trimmed and not empty. It goes before the next prompt, once. */
  inject(prompt: string): Promise<ControlOutcome>;
  /** Setting what is set already is fine. Turning it on settles when the terminal can be written to. */
  setInteractive(enabled: boolean): Promise<ControlOutcome>;
  /** False when interactive mode is off, and then nothing is written. */
  writePty(data: string): boolean;
  /** Kept for the next terminal where none runs. */
  resizePty(size: TerminalSize): void;
  /** Undefined when interactive mode is off. */
  screen(): Promise<Screen | undefined>;
  receipts(): readonly Receipt[];
  stories(): readonly StoryState[];
}

/** The status clients see when a run is over. */
export function statusOfVerdict(verdict: VerdictName): LoopStatusName {
  return STATUS_OF[verdict] ?? "failed";
}

const STATUS_OF: Partial<Record<VerdictName, LoopStatusName>> = {
  done: "completed",
  stopped: "stopped",
  checkpointed: "checkpointed",
};
