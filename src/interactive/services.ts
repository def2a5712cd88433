import type { AgentEvent } from "../protocol/agent-events.ts";
import type { AgentState } from "../protocol/agent-state.ts";
import type { Message } from "../protocol/messages.ts";
import type { MethodAnswer, MethodName, MethodParams } from "../protocol/methods.ts";

// What the terminal face is handed. It asks the agent through the methods every face has, and everything else of whoever opened it.

/** A running agent. */
export interface AgentFace {
  call<Name extends MethodName>(name: Name, params: MethodParams<Name>): Promise<MethodAnswer<Name>>;
  /** The listener gets every event, in order. Returns how to stop that. */
  subscribe(listener: (event: AgentEvent) => void): () => void;
}

/** An agent with its session, and what was said in it before. */
export interface OpenedAgent {
  face: AgentFace;
  state: AgentState;
  earlier: readonly Message[];
  /** How many messages before those are not shown. */
  leftOut: number;
  close(): Promise<void>;
}

export type SessionWish = { type: "new" } | { type: "resume"; id: string } | { type: "path"; path: string };
export type OpenAgentResult = { ok: true; agent: OpenedAgent } | { ok: false; message: string };

export interface SessionRow {
  id: string;
  name: string;
  /** The beginning of its first prompt. */
  preview: string;
  /** Milliseconds since 1970. */
  changedAt: number;
  messages: number;
  isCurrent: boolean;
}

export interface ModelRow {
  /** `provider/id`. */
  selector: string;
  provider: string;
  description: string;
  /** Why it cannot be used now. */
  problem?: string;
}

export interface TreeRow {
  entryId: string;
  /** How deep below the root. */
  depth: number;
  role: "user" | "assistant" | "other";
  text: string;
  isOnBranch: boolean;
  /** The name a person gave to this place. */
  label?: string;
}

/** A named mapping of roles to models. */
export interface ProfileRow {
  name: string;
  provider: string;
  roles: readonly { role: string; selector: string }[];
  /** Why it cannot be used now. */
  problem?: string;
}

export type Outcome = { ok: true; text: string } | { ok: false; message: string };

export interface PastedPicture {
  mediaType: string;
  data: string;
}

export interface InteractiveServices {
  /** Opens another session in place of this one; the old agent is closed by whoever asked for the new one. */
  openAgent(wish: SessionWish): Promise<OpenAgentResult>;
  listSessions(): Promise<readonly SessionRow[]>;
  searchSessions(words: string): Promise<readonly SessionRow[]>;
  sessionTree(path: string): Promise<readonly TreeRow[]>;
  listModels(): Promise<readonly ModelRow[]>;
  /** Profiles to choose from besides single models; absent where none can be applied. */
  listProfiles?(): Promise<readonly ProfileRow[]>;
  /** Takes a profile for this session, or for good. */
  applyProfile?(name: string, isForGood: boolean): Promise<Outcome>;
  /** Makes a model the one new sessions begin with; absent where that cannot be kept. */
  setDefaultModel?(selector: string): Promise<Outcome>;
  /** Logging in and out; absent where nothing can be stored. */
  login?: LoginServices;
  /** Files of the project, as paths from its top, without ignored ones. */
  listFiles(): Promise<readonly string[]>;
  /** The text as a person left it in their own editor; undefined where none could be opened. */
  editText(text: string): Promise<string | undefined>;
  copyText(text: string): Promise<boolean>;
  /** What picture is on the clipboard. */
  pastePicture(): Promise<PastedPicture | undefined>;
  exportSession(path: string, kind: "html" | "md" | "jsonl"): Promise<Outcome>;
  /** What a turn changed, or the newest; `apply` takes it back. */
  undo(path: string, turn: string | undefined, apply: boolean): Promise<Outcome>;
  /** Prompts written here before, oldest first. */
  loadHistory(): Promise<readonly string[]>;
  storePrompt(text: string): void;
  loadDraft(): Promise<string>;
  storeDraft(text: string): void;
  /** Texts of `.ralph/commands` and `.claude/commands`, by name. */
  customCommands(): Promise<readonly CustomCommand[]>;
  permissionsText(): Promise<string>;
  settingsText(): Promise<string>;
  doctorText(): Promise<string>;
  /** The branch that is checked out, where there is one. */
  gitBranch(): Promise<string | undefined>;
  /** Tells a person who looks elsewhere that something waits. */
  notify(text: string): void;
}

export interface CustomCommand {
  name: string;
  description: string;
  argumentHint: string;
  /** Its text with the arguments in their places. */
  expand(rest: string): string;
}

/** Somewhere a person can log in. */
export interface LoginRow {
  id: string;
  name: string;
  /** `browser`: with a subscription. `key`: with a key that is typed once. */
  method: "browser" | "key";
  /** Where a key comes from. */
  hint?: string;
  /** What is stored, in words; absent where nothing is. */
  stored?: string;
}

/** A login that waits for an answer in a browser. */
export interface WaitingLogin {
  url: string;
  /** A browser was opened for it here. */
  isOpened: boolean;
  /** Takes the address a browser elsewhere ended on; gives back why it is no answer. */
  paste(text: string): string | undefined;
  done: Promise<Outcome>;
  cancel(): void;
}

/** A provider nobody knows yet. */
export interface NewProvider {
  name: string;
  baseUrl: string;
  api: string;
  /** Empty where the server lists its own. */
  models: readonly string[];
  /** Empty where none is needed. */
  key: string;
}

export interface LoginServices {
  list(): Promise<readonly LoginRow[]>;
  storeKey(id: string, key: string): Promise<Outcome>;
  begin(id: string): Promise<{ ok: true; login: WaitingLogin } | { ok: false; message: string }>;
  logout(id: string): Promise<Outcome>;
  /** Wire formats a new provider may speak, with a word about each. */
  apis(): Promise<readonly { api: string; description: string; listsModels: boolean }[]>;
  /** Why a provider cannot be called so, or be there; undefined where it can. */
  providerProblem(provider: Partial<NewProvider>): Promise<string | undefined>;
  addProvider(provider: NewProvider): Promise<Outcome>;
}
