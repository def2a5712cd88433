import type { LiveAgent } from "../cli/agents/open-agent.ts";
import type { Effort } from "../protocol/effort.ts";
import type { JsonObject } from "../protocol/json.ts";
import type { UserMessage } from "../protocol/messages.ts";
import type { MethodName, MethodParams, MethodResult } from "../protocol/methods.ts";
import type { Model } from "../protocol/models.ts";
import type { AgentPort, Outcome, PortModel, SessionStats } from "../rpc/agent-port.ts";
import type { RpcResult } from "../rpc/commands.ts";
import type { SessionEvent } from "../rpc/session-event-shapes.ts";
import { readContent, readPrompt, wireMessage } from "../rpc/wire-messages.ts";
import type { WireImage, WireMessage, WireText } from "../rpc/wire-shapes.ts";
import { wireState } from "../rpc/wire-state.ts";
import type { EventFeed } from "./event-feed.ts";
import { createHeldMessages, type HeldMessages } from "./held-messages.ts";
import type { ModelRegistry } from "./model-registry.ts";
import { expandTemplates, type PromptTemplate } from "./prompt-templates.ts";
import { type PromptResult, type WatchedWork, watchWork } from "./prompt-work.ts";
import { RalphError } from "./ralph-error.ts";
import { MOST_REMINDERS, REMINDER, type YieldTool } from "./yield-tool.ts";

export type StreamingBehavior = "steer" | "followUp";

export interface PromptOptions {
  images?: readonly WireImage[];
  /** What becomes of the prompt while the agent works: without it, it is refused then. */
  streamingBehavior?: StreamingBehavior;
  /** `false`: a `/name` at the beginning stands for nothing but itself. */
  expandPromptTemplates?: boolean;
}

export interface CustomMessage {
  /** What the program calls messages of this kind. */
  customType: string;
  content: string | readonly (WireText | WireImage)[];
  /** Kept with it; the model does not see it. */
  details?: JsonObject;
}

export interface CustomMessageOptions {
  /** While the agent works: at once, when it is done, or with the next prompt. At once where it is absent. */
  deliverAs?: StreamingBehavior | "nextTurn";
  /** While it does not: whether it begins to work. Otherwise the model sees the message with the next prompt. */
  triggerTurn?: boolean;
}

export type SessionState = RpcResult<"get_state">;

export interface SessionParts {
  port: AgentPort;
  current(): LiveAgent;
  feed: EventFeed;
  templates: readonly PromptTemplate[];
  modelRegistry: ModelRegistry;
  selectorOf(model: Model | string): Promise<string>;
  yields?: YieldTool | undefined;
  /** The work has to end with a call of `yield`. */
  needsYield: boolean;
}

/** The kind under which the session keeps what a program sent. */
const CUSTOM_MESSAGE = "custom-message";

/** One agent at work for a program, in one session after the other. */
export class AgentSession {
  /** Lines for the person from the time before anybody could listen; later ones come as `notice` events. */
  readonly notices: string[] = [];
  private readonly held: HeldMessages;
  private activeTools: readonly string[] | undefined;
  private isDisposed = false;
  private disposing: Promise<void> | undefined;
  private lane: Promise<unknown> = Promise.resolve();

  constructor(private readonly parts: SessionParts) {
    this.held = createHeldMessages((message) => {
      const told = wireMessage(message);
      parts.feed.tell({ type: "message_start", message: told });
      parts.feed.tell({ type: "message_end", message: told });
    });
  }

  /** Returns how to stop listening. */
  subscribe(listener: (event: SessionEvent) => void): () => void {
    return this.parts.feed.subscribe(listener);
  }

  /** Resolves when the work is done, however it ended. */
  async prompt(text: string, options: PromptOptions = {}): Promise<PromptResult> {
    const isPlain = options.expandPromptTemplates === false;
    const message = isPlain ? text : expandTemplates(text, this.parts.templates);
    return this.say(userMessage({ message, images: options.images }), options.streamingBehavior);
  }

  /** The same without templates. */
  async sendUserMessage(
    content: string | readonly (WireText | WireImage)[],
    { deliverAs }: { deliverAs?: StreamingBehavior } = {},
  ): Promise<PromptResult> {
    return this.say(messageOf(content), deliverAs);
  }

  /** Said while the agent works, and heard before its next turn. Resolves when it is stored. */
  async steer(text: string, images?: readonly WireImage[]): Promise<void> {
    const message = userMessage({ message: text, images });
    await this.inOrder(() => this.ask("steer", { message }));
  }

  /** Heard when the agent is done with what it does. Resolves when it is stored. */
  async followUp(text: string, images?: readonly WireImage[]): Promise<void> {
    const message = userMessage({ message: text, images });
    await this.inOrder(() => this.ask("follow_up", { message }));
  }

  /** Something the program has to say to the model. Resolves when it is stored, or with `triggerTurn` when the work is done. */
  async sendCustomMessage(given: CustomMessage, options: CustomMessageOptions = {}): Promise<void> {
    const message = messageOf(given.content);
    const work = await this.inOrder(async () => {
      await this.keep(given);
      return this.deliver(message, options);
    });
    if (work !== undefined) await this.untilYielded(await work.ended);
  }

  /** Stops the work. Resolves when everything that ran has ended; waiting messages stay. */
  async abort(): Promise<void> {
    await this.ask("abort", {});
  }

  /** Stops the work, ends what runs, closes the session. Nothing of it keeps the process alive. */
  async dispose(): Promise<void> {
    this.disposing ??= this.inOrder(async () => {
      await this.ask("abort", {});
      await this.held.store(this.parts.current());
      this.isDisposed = true;
      await this.parts.port.close();
    });
    await this.disposing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose();
  }

  /** What was handed in with `yield` during the latest work; undefined where nothing was. */
  get lastYield(): unknown {
    return this.parts.yields?.last()?.value;
  }

  get model(): PortModel | undefined {
    return this.parts.port.model();
  }

  get modelRegistry(): ModelRegistry {
    return this.parts.modelRegistry;
  }

  async setModel(model: Model | string): Promise<void> {
    await this.ask("set_model", { model: await this.parts.selectorOf(model) });
  }

  /** Gives back the level the model takes. */
  async setThinkingLevel(level: Effort): Promise<Effort> {
    return (await this.ask("set_effort", { effort: level })).effort;
  }

  /** Shortens what the model sees; `focus` says what matters most. */
  async compact(focus?: string): Promise<MethodResult<"compact">> {
    return this.ask("compact", focus === undefined ? {} : { focus });
  }

  /** What the model sees, in its order. */
  getActiveToolNames(): string[] {
    return this.parts.port.toolDefinitions().map(({ name }) => name);
  }

  /** What there is, seen or not. */
  getAllToolNames(): string[] {
    return [...this.parts.current().coder.toolNames()];
  }

  /**
   * From the next request on the model has these tools and no others, in every session of this object. The list stands at the
   * beginning of requests, so what a provider has cached is lost once.
   */
  setActiveToolsByName(names: readonly string[]): void {
    this.guard();
    const problem = this.parts.current().coder.restrictTools(names);
    if (problem !== undefined) throw new RalphError("invalid", problem);
    this.activeTools = [...names];
  }

  get systemPrompt(): string {
    return this.parts.port.systemPrompt();
  }

  get sessionId(): string {
    return this.parts.current().session.header.id;
  }

  /** Undefined for a session that is not kept. */
  get sessionFile(): string | undefined {
    return this.parts.current().session.path;
  }

  /** The conversation as the model sees it. */
  async messages(): Promise<WireMessage[]> {
    this.guard();
    return (await this.parts.port.messages()).map(wireMessage);
  }

  async state(): Promise<SessionState> {
    this.guard();
    return wireState(this.parts.port, this.parts.feed.compaction(), { include: ["systemPrompt", "tools"] });
  }

  async stats(): Promise<SessionStats> {
    this.guard();
    return this.parts.port.stats();
  }

  /** Another session from here on; the work on the one before is stopped first. */
  async newSession({ parentSession }: { parentSession?: string } = {}): Promise<void> {
    await this.change(() => this.parts.port.newSession(parentSession));
  }

  /** By path, id or the beginning of an id. */
  async switchSession(session: string): Promise<void> {
    await this.change(() => this.parts.port.switchSession(session));
  }

  /** Prompts to begin again from, oldest first. */
  async branchMessages(): Promise<readonly { entryId: string; text: string }[]> {
    this.guard();
    return this.parts.port.branchMessages();
  }

  /** The next prompt takes the place of this one, whose text is given back. What followed it stays in the session. */
  async branch(entryId: string): Promise<string> {
    this.guard();
    const branched = await this.parts.port.branch(entryId);
    if (!branched.ok) throw new RalphError("not-found", branched.message);
    return branched.text;
  }

  private async say(message: UserMessage, whileBusy: StreamingBehavior | undefined): Promise<PromptResult> {
    const work = await this.inOrder(() => this.begin(message, whileBusy));
    return this.untilYielded(await work.ended);
  }

  /** A model that only talks where it has to hand something in is told so, a few times at most. */
  private async untilYielded(first: PromptResult): Promise<PromptResult> {
    let result = first;
    for (let reminders = 0; this.parts.needsYield && reminders < MOST_REMINDERS; reminders++) {
      const isMissing = result.outcome.type === "done" && result.yielded === undefined && !this.isDisposed;
      if (!isMissing) return result;
      const work = await this.inOrder(() => this.begin({ role: "user", content: [...REMINDER] }, "followUp"));
      result = await work.ended;
    }
    return result;
  }

  /** Hands the message over. Resolves when it is stored. */
  private async begin(message: UserMessage, whileBusy: StreamingBehavior | undefined): Promise<WatchedWork> {
    this.guard();
    const { coder } = this.parts.current();
    await this.held.store(this.parts.current());
    const watched = watchWork({ coder, message, yielded: () => this.parts.yields?.last() });
    const behaviour = whileBusy === "followUp" ? "follow-up" : whileBusy;
    try {
      await this.ask("prompt", { message, ...(behaviour === undefined ? {} : { whileBusy: behaviour }) });
      return watched;
    } catch (error) {
      watched.forget();
      throw error;
    }
  }

  private async keep({ customType, details }: CustomMessage): Promise<void> {
    this.guard();
    const data = { customType, ...(details === undefined ? {} : { details }) };
    this.done(await this.parts.port.keep(CUSTOM_MESSAGE, data));
  }

  /** Gives back the work that began with it, where some did. */
  private async deliver(
    message: UserMessage,
    { deliverAs, triggerTurn = false }: CustomMessageOptions,
  ): Promise<WatchedWork | undefined> {
    const { isBusy } = await this.ask("get_state", {});
    if (deliverAs === "nextTurn" || (!isBusy && !triggerTurn)) {
      this.held.add(message);
      await this.held.store(this.parts.current());
    } else if (isBusy) await this.ask(deliverAs === "followUp" ? "follow_up" : "steer", { message });
    else return this.begin(message, deliverAs ?? "steer");
    return undefined;
  }

  private change(open: () => Promise<Outcome>): Promise<void> {
    return this.inOrder(async () => {
      await this.ask("abort", {});
      await this.held.store(this.parts.current());
      this.done(await open());
      this.parts.yields?.begin();
      if (this.activeTools !== undefined) this.setActiveToolsByName(this.activeTools);
    });
  }

  /** What is said first is stored first. Nothing in here waits for the end of work. */
  private inOrder<Result>(send: () => Promise<Result>): Promise<Result> {
    const sent = this.lane.then(send);
    this.lane = sent.catch(() => undefined);
    return sent;
  }

  private async ask<Name extends MethodName>(name: Name, params: MethodParams<Name>): Promise<MethodResult<Name>> {
    this.guard();
    const answer = await this.parts.port.call(name, params);
    if (answer.ok) return answer.result;
    throw new RalphError(answer.error.code, answer.error.message);
  }

  private done(outcome: Outcome): void {
    if (!outcome.ok) throw new RalphError("failed", outcome.message);
  }

  private guard(): void {
    if (this.isDisposed) throw new RalphError("disposed", "The session is closed. Make another one.");
  }
}

function userMessage(said: { message: string; images?: readonly WireImage[] | undefined }): UserMessage {
  const read = readPrompt(said);
  if (!read.ok) throw new RalphError("invalid", read.message);
  return read.message;
}

function messageOf(content: string | readonly (WireText | WireImage)[]): UserMessage {
  if (typeof content === "string") return userMessage({ message: content });
  const read = readContent(content);
  if (!read.ok) throw new RalphError("invalid", read.message);
  if (read.parts.length === 0) throw new RalphError("invalid", "The message is empty.");
  return { role: "user", content: read.parts };
}
