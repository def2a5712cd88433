import type { AgentEvent } from "../protocol/agent-events.ts";
import type { AgentState } from "../protocol/agent-state.ts";
import type { Message } from "../protocol/messages.ts";
import type { MethodAnswer, MethodName, MethodParams } from "../protocol/methods.ts";
import type { PreparedCall, Tool } from "../protocol/tool-runs.ts";
import type { ToolDefinition } from "../protocol/tools.ts";

// The agent behind a face for programs: one session after the other, each with the methods every face has. Whoever reads argv
// and the environment makes one; nothing in this folder knows how.

export type Outcome<Value = object> = ({ ok: true } & Value) | { ok: false; message: string };

export interface AgentPort {
  /** Asks the agent of the session that is open now. */
  call<Name extends MethodName>(name: Name, params: MethodParams<Name>): Promise<MethodAnswer<Name>>;
  /** Every event of every session, in order. Returns how to stop that. */
  subscribe(listener: (event: AgentEvent) => void): () => void;
  state(): Promise<AgentState>;
  messages(): Promise<readonly Message[]>;

  /** A session of its own from here on; the work on the one before is stopped first. */
  newSession(parentSession: string | undefined): Promise<Outcome>;
  /** By path, id or prefix of an id. */
  switchSession(session: string): Promise<Outcome>;
  /** Prompts on the branch, to begin again from: oldest first. */
  branchMessages(): Promise<readonly { entryId: string; text: string }[]>;
  /** The next prompt hangs before this one. Gives its text back, to be changed. */
  branch(entryId: string): Promise<Outcome<{ text: string }>>;
  stats(): Promise<SessionStats>;
  exportHtml(outputPath: string | undefined): Promise<Outcome<{ path: string }>>;

  /** Models that can be asked now. */
  availableModels(): Promise<readonly PortModel[]>;
  model(): PortModel;
  /** The next of the models a person can reach; undefined where there is just one. */
  cycleModel(): Promise<PortModel | undefined>;

  /** A command of the person, not of the model. Its output is told to the model with the next prompt. */
  runCommand(command: string): Promise<CommandResult>;
  abortCommand(): void;

  isAutoRetry(): boolean;
  setAutoRetry(enabled: boolean): void;
  /** Stops waiting for the next attempt. False where nothing waits. */
  abortRetry(): boolean;

  /** Tools of the host in place of those it gave before; the model sees them from its next request on. */
  setHostTools(tools: readonly Tool[]): Promise<void>;
  /** Who reads and writes addresses of these schemes, in place of those before. Schemes are in lower case. */
  setHostSchemes(schemes: readonly HostScheme[]): Promise<void>;
  systemPrompt(): string;
  toolDefinitions(): readonly ToolDefinition[];

  /** What is decided before a tool acts and before a model is asked, beside everything that decides anyway. It can only refuse. */
  setWarden(warden: Warden | undefined): void;
  /** Stops the work, ends what runs, closes the session. */
  close(): Promise<void>;
}

export interface HostScheme {
  scheme: string;
  description: string;
  writable: boolean;
  /** What was read once can be kept. */
  immutable: boolean;
  read(url: string, signal: AbortSignal): Promise<Outcome<HostContent>>;
  write(url: string, content: string, signal: AbortSignal): Promise<Outcome>;
}

export interface HostContent {
  content: string;
  contentType?: string;
  notes?: readonly string[];
  immutable?: boolean;
}

/** A text says why not. */
export interface Warden {
  beforeTool(tool: Tool, asks: PreparedCall["asks"]): string | undefined;
  beforeModel(): string | undefined;
}

export interface PortModel {
  provider: string;
  id: string;
  name: string;
  api: string;
  contextWindow: number;
  maxTokens: number;
  reasoning: boolean;
  input: readonly string[];
  /** Dollars for a million tokens, where known. */
  cost?: { input: number; output: number; cacheRead: number; cacheWrite: number };
}

export interface SessionStats {
  sessionFile?: string;
  sessionId: string;
  userMessages: number;
  assistantMessages: number;
  toolCalls: number;
  toolResults: number;
  totalMessages: number;
  tokens: { input: number; output: number; cacheRead: number; cacheWrite: number; total: number };
  /** US dollars; absent where no price is known. */
  cost?: number;
}

export interface CommandResult {
  output: string;
  /** Absent where it was stopped. */
  exitCode?: number;
  cancelled: boolean;
  truncated: boolean;
  /** Where everything it printed lies. */
  fullOutputPath?: string;
}
