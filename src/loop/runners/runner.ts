import type { AdapterName } from "../transcripts/adapter.ts";

// A runner is only an invocation: which program, with which arguments, how it gets the prompt and whose transcript it prints.

export const RUNNER_NAMES = ["ralph", "codex", "claude", "custom"] as const;
export type RunnerName = (typeof RUNNER_NAMES)[number];

export interface InvokeOptions {
  prompt: string;
  /** Where the agent works. */
  root: string;
  /** Whether the root lies in a git repository: some agents refuse to work outside of one unless told. */
  isRepository: boolean;
  model?: string;
  effort?: string;
  /** Every question of the agent's own gate is answered with yes. */
  yolo: boolean;
  /** The commands of the story's checks: the agent may run what the harness will run. */
  checkCommands: readonly string[];
  /** A file the agent may write its last message to. */
  finalMessageFile: string;
  /** A file the prompt may be stored in, for agents that do not read it from standard input. */
  promptFile: string;
}

export interface Invocation {
  argv: readonly string[];
  /** Added to the environment of the agent. */
  environment: Readonly<Record<string, string>>;
  /** What the agent reads; its standard input is closed after it. */
  stdin: string;
  transcript: AdapterName;
  /** Where the last message can be read, for agents that do not print it marked. */
  finalMessageFile?: string;
  /** Where `stdin` is stored too before the agent is started. */
  promptFile?: string;
}

export interface TakeOverOptions extends InvokeOptions {
  /** The agent's conversation, where its id is known. */
  session?: string;
}

/** A program in a terminal of its own. */
export interface TakeOver {
  argv: readonly string[];
  environment: Readonly<Record<string, string>>;
}

export interface Runner {
  name: RunnerName;
  /** Reads AGENTS.md at the top of the project by itself. */
  readsAgentsFile: boolean;
  invoke(options: InvokeOptions): Invocation;
  /** The program a person talks to, in the conversation `session` where there is one. */
  takeOver(options: TakeOverOptions): TakeOver;
}
