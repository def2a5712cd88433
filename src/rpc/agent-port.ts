import type { AgentEvent } from "../protocol/agent-events.ts";
import type { AgentState } from "../protocol/agent-state.ts";
import type { CommandFacts } from "../protocol/command-facts.ts";
import type { HostScheme } from "../protocol/host-schemes.ts";
import type { JsonObject } from "../protocol/json.ts";
import type { Message, Usage } from "../protocol/messages.ts";
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
  /** How many these are. */
  messageCount(): number;

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
  /** Undefined where nothing is configured that could answer; then prompts are refused until a model is set. */
  model(): PortModel | undefined;
  /** Goes on with the next of the models that can be asked; undefined where there is no other. */
  cycleModel(): Promise<CycledModel | undefined>;

  /** Everywhere one can log in, without what is stored. */
  loginProviders(): Promise<readonly PortLoginProvider[]>;
  /** Logs in. `openUrl` is told what a person has to open where it takes a browser; it settles when that is answered. */
  login(wish: LoginWish, openUrl: (url: string) => void): Promise<Outcome>;
  /** Gives up a login that waits. */
  cancelLogin(): void;

  /** A command of the person, not of the model, one at a time. Its output is told to the model with the next prompt. */
  runCommand(command: string): Promise<Outcome<CommandResult>>;
  abortCommand(): void;

  isAutoRetry(): boolean;
  setAutoRetry(enabled: boolean): void;
  /** Stops waiting for the next attempt. False where nothing waits. */
  abortRetry(): boolean;

  /**
   * Tools of the host in place of those it gave before; the model sees them from its next request on. They stay over sessions.
   * A name Ralph has a tool for already is refused, and then nothing changes.
   */
  setHostTools(tools: readonly Tool[]): Promise<Outcome>;
  /** Who reads and writes addresses of these schemes, in place of those before. Schemes are in lower case. */
  setHostSchemes(schemes: readonly HostScheme[]): Promise<void>;
  systemPrompt(): string;
  toolDefinitions(): readonly ToolDefinition[];

  /**
   * What is decided before a tool acts and before a model is asked, beside everything that decides anyway. It can only refuse.
   * It stays over sessions.
   */
  setWarden(warden: Warden | undefined): void;
  /** What Ralph's own analysis says of a command before it runs; `cwd` is the workspace where it is absent. */
  inspectCommand(command: string, cwd?: string): Promise<CommandFacts>;
  /** Whether a path lies in the folder the person chose to work in, links followed. */
  isInWorkspace(path: string): Promise<boolean>;
  /** Keeps something in the session that the model never sees. Settles when it would survive a power cut. */
  keep(kind: string, data: JsonObject): Promise<Outcome>;
  /** What was kept under this kind in the session that is open now, oldest first. */
  kept(kind: string): Promise<readonly unknown[]>;
  /** Stops the work, ends what runs, closes the session. */
  close(): Promise<void>;
}

/** A text says why not. */
export interface Warden {
  /** Before the gate; the asks carry their warnings already. */
  beforeTool(tool: Tool, asks: PreparedCall["asks"]): Promise<string | undefined>;
  /** Before every request, those for summaries too. */
  beforeModel(model: PortModel): Promise<string | undefined>;
  /** What a request used, however it ended. Dollars are absent where no price is known. */
  afterModel(spent: { usage: Usage; dollars?: number }): void;
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

export interface PortLoginProvider {
  id: string;
  name: string;
  method: "browser" | "key";
  authenticated: boolean;
  /** In words. */
  stored?: string;
}

export interface LoginWish {
  provider: string;
  /** For those that take one. */
  key?: string | undefined;
  /** The address a browser elsewhere ended on, for a login that waits. */
  redirectUrl?: string | undefined;
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

export interface CycledModel {
  model: PortModel;
  /** Settings or flags say which models there are. */
  isScoped: boolean;
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
