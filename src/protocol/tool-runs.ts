import type { Ask, AskCategory, CommandNeeds } from "./asks.ts";
import type { Json, JsonObject } from "./json.ts";
import type { ImagePart, TextPart, ToolCallPart } from "./messages.ts";

// A tool as Ralph runs it. What a model sees of it is a ToolDefinition, made from the same fields.

/** What a tool gives back: words and pictures for the model, an object for programs and faces. */
export interface ToolOutput {
  content: (TextPart | ImagePart)[];
  details?: Json;
  /** The tool did not do what was asked. The model is told the same way as anything else. */
  isError?: boolean;
}

/** What was allowed, and for how long that counts: once, and only while everything is as it was. */
export interface ToolApproval {
  /** To be called when the call begins. A text says why it must not. */
  use(): string | undefined;
  /** The same question later on, without using anything up. */
  recheck(): string | undefined;
}

export interface ToolContext {
  call: ToolCallPart;
  /**
   * Why what would be done is no longer what was allowed; undefined where all is as it was. For a tool that does something slow
   * before it acts.
   */
  recheck?: ToolApproval["recheck"];
  /** Aborted when the person stops the turn; a tool then settles soon, with what it has. */
  signal: AbortSignal;
  /** What a command gets beyond the sandbox, because a person or a rule said so; never because the model did. */
  grant?: CommandNeeds;
  /** Output as it comes, for faces; it may be dropped. */
  update(text: string): void;
}

/** What a tool wants to do, before it has an id of its own. */
export type AskDraft = Omit<Ask, "id" | "tool" | keyof Binding> & { category: AskCategory };

/** What an ask has only when somebody is asked. */
type Binding = Pick<Ask, "reason" | "digest" | "boundTo" | "options" | "expiresAt">;

export interface Tool {
  name: string;
  /** Other spellings models use. They are understood, never advertised. */
  aliases: readonly string[];
  description: string;
  /** JSON Schema of the arguments. */
  parameters: JsonObject;
  /** Changes nothing: calls of one batch may run beside each other. */
  isReadOnly: boolean;
  /** Checks the arguments and prepares the call, touching nothing. A message tells the model what is wrong. */
  prepare(input: Record<string, unknown>): PreparedCall | { message: string };
}

export interface PreparedCall {
  /** What the call wants, for the gate; pure. An empty list asks for nothing. */
  asks: AskDraft[];
  /** Never rejects for what the outside world does. */
  run(context: ToolContext): Promise<ToolOutput>;
}
