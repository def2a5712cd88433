import type { AgentEvent } from "../../protocol/agent-events.ts";
import type { Ask } from "../../protocol/asks.ts";
import type { EditorFiles } from "../../protocol/editor-files.ts";
import type { Message } from "../../protocol/messages.ts";
import type { MethodAnswer, MethodName, MethodParams } from "../../protocol/methods.ts";
import type { Choices } from "./session-options.ts";

// What an editor is served with. Whoever reads argv and the environment makes it; nothing in this folder knows how.

export interface AcpHost {
  version: string;
  /** An agent in a folder, with a new session or the one of this id. */
  open(wish: OpenWish): Promise<OpenedAcpAgent>;
  /** Newest first; those of one folder where it is named. */
  listSessions(cwd: string | undefined): Promise<readonly AcpSessionRow[]>;
  /** What somebody is asked to allow, to its last character. */
  askText(ask: Ask): string;
  readText(path: string): string | undefined;
}

export interface OpenWish {
  /** Absolute. */
  cwd: string;
  sessionId: string | undefined;
  editor: EditorFiles | undefined;
  /** Whether an answer that broke off may begin anew. */
  mayRestart(): boolean;
  /** A line for the person. */
  note(text: string): void;
}

export type OpenedAcpAgent =
  | { ok: true; agent: AcpAgent }
  | { ok: false; reason: "credentials" | "invalid" | "not-found" | "failed"; message: string };

/** One agent with its session. */
export interface AcpAgent {
  sessionId: string;
  call<Name extends MethodName>(name: Name, params: MethodParams<Name>): Promise<MethodAnswer<Name>>;
  subscribe(listener: (event: AgentEvent) => void): () => void;
  /** What was said on the branch, oldest first, before anything was shortened. */
  history(): readonly Message[];
  choices: Choices;
  commands: readonly AcpCommand[];
  close(): Promise<void>;
}

/** A text of the person's own, under a name. */
export interface AcpCommand {
  name: string;
  description: string;
  argumentHint: string;
  expand(rest: string): string;
}

export interface AcpSessionRow {
  id: string;
  cwd: string;
  title: string;
  /** Milliseconds since 1970. */
  updatedAt: number;
}
