import {
  type AgentContext,
  type ClientCapabilities,
  type ContentBlock,
  methods,
  type PromptResponse,
  RequestError,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import type { AgentEvent, AgentOutcome } from "../../protocol/agent-events.ts";
import type { AgentState } from "../../protocol/agent-state.ts";
import type { UserMessage } from "../../protocol/messages.ts";
import type { AcpAgent, AcpHost } from "./acp-host.ts";
import { answerPeople, type PeopleAnswers } from "./answer-people.ts";
import { CallIds } from "./call-ids.ts";
import { historyUpdates, MOST_REPLAYED } from "./history-updates.ts";
import { promptMessage } from "./prompt-message.ts";
import { planOf, SessionUpdates } from "./session-updates.ts";
import { promptEnd } from "./stop-reason.ts";
import { createUpdateOutbox, type UpdateOutbox } from "./update-outbox.ts";

export interface AcpSessionOptions {
  agent: AcpAgent;
  state: AgentState;
  cwd: string;
  host: Pick<AcpHost, "askText" | "readText">;
  client: AgentContext;
  capabilities: ClientCapabilities;
  /** The editor does not read any more. */
  onStuck(): void;
}

/** What a plan or a mode of the model's own making changes is looked up after these. */
const CHANGES_STATE = /^(update_plan|todo_?write|set_todos|switch_mode)$/i;
const COMPACT = "compact";

/** One session of an editor: its prompts go in, what happens comes out as updates. */
export class AcpSession {
  readonly agent: AcpAgent;
  readonly updates: SessionUpdates;
  private readonly ids = new CallIds();
  private readonly outbox: UpdateOutbox;
  private readonly people: PeopleAnswers;
  private readonly stopListening: () => void;
  /** The prompt that is being worked on. */
  private running: { ended: Promise<AgentOutcome>; end(outcome: AgentOutcome): void; isCancelled: boolean } | undefined;

  constructor(private readonly options: AcpSessionOptions) {
    const { agent, state, cwd, host, client, capabilities } = options;
    const { sessionId } = agent;
    this.agent = agent;
    const shows = {
      notices: capabilities.session?.notices != null,
      compaction: capabilities.session?.compaction != null,
    };
    const { ids } = this;
    this.updates = new SessionUpdates({ cwd, choices: agent.choices, readText: host.readText, shows, ids }, state);
    this.outbox = createUpdateOutbox({
      write: (update) => client.notify(methods.client.session.update, { sessionId, update }),
      onStuck: options.onStuck,
    });
    this.people = answerPeople({
      agent,
      client,
      updates: this.updates,
      askText: host.askText,
      hasForms: capabilities.elicitation?.form != null,
      told: () => this.outbox.drained(),
    });
    this.stopListening = agent.subscribe((event) => this.onEvent(event));
  }

  send(...updates: readonly SessionUpdate[]): void {
    this.outbox.send(...updates);
  }

  note(text: string): void {
    this.send(this.updates.notice("warning", text));
  }

  /** What an editor that just opened the session has to know besides. */
  introduce(): void {
    const own = { name: COMPACT, description: "Shorten the conversation", input: { hint: "what matters most" } };
    const commands = this.agent.commands.map(({ name, description, argumentHint }) => ({
      name,
      description,
      ...(argumentHint === "" ? {} : { input: { hint: argumentHint } }),
    }));
    this.send({ sessionUpdate: "available_commands_update", availableCommands: [own, ...commands] });
  }

  /** Everything that was said, and the plan. Resolves when the editor has it. */
  async replay(): Promise<void> {
    const history = this.agent.history();
    const left = history.length - MOST_REPLAYED;
    if (left > 0) this.note(`${left} older messages are not shown. They are in the session: ralph sessions show`);
    this.send(...historyUpdates(history.slice(-MOST_REPLAYED), { cwd: this.options.cwd, ids: this.ids }));
    const state = await this.agent.call("get_state", {});
    if (state.ok && state.result.tasks.length > 0) this.send(planOf(state.result));
    await this.tellEnd();
    await this.outbox.drained();
  }

  /** How the conversation ended, where that was no proper end. */
  async tellEnd(): Promise<void> {
    const state = await this.agent.call("get_state", {});
    if (state.ok && state.result.brokenOff !== undefined) this.note(state.result.brokenOff.text);
  }

  async prompt(blocks: readonly ContentBlock[]): Promise<PromptResponse> {
    const read = promptMessage(blocks);
    if (!read.ok) throw RequestError.invalidParams(undefined, read.message);
    if (this.running?.isCancelled === true) await this.running.ended;
    if (this.running !== undefined)
      throw RequestError.invalidRequest(undefined, "A prompt is being worked on. Cancel it first.");
    const command = commandIn(read.message);
    if (command?.name === COMPACT) return this.compact(command.rest);
    const own = this.agent.commands.find(({ name }) => name === command?.name);
    const message = own === undefined ? read.message : withText(read.message, own.expand(command?.rest ?? ""));
    return this.work(message);
  }

  async cancel(): Promise<void> {
    if (this.running !== undefined) this.running.isCancelled = true;
    await this.agent.call("abort", {});
  }

  async close(): Promise<void> {
    await this.cancel();
    this.stopListening();
    this.people.stop();
    await this.agent.close();
    this.running?.end({ type: "interrupted" });
  }

  private async work(message: UserMessage): Promise<PromptResponse> {
    const ended = Promise.withResolvers<AgentOutcome>();
    this.running = { ended: ended.promise, end: ended.resolve, isCancelled: false };
    // What an earlier process left waiting may be worked on right now; then this comes behind it.
    const taken = await this.agent.call("prompt", { message, whileBusy: "follow-up" });
    if (!taken.ok) this.running = undefined;
    if (!taken.ok) throw RequestError.internalError(undefined, taken.error.message);
    const outcome = await ended.promise;
    await this.outbox.drained();
    const end = promptEnd(outcome);
    if (end.ok) return { stopReason: end.stopReason };
    if (end.needsCredentials) throw RequestError.authRequired(undefined, end.message);
    throw RequestError.internalError(undefined, end.message);
  }

  private async compact(focus: string): Promise<PromptResponse> {
    const done = await this.agent.call("compact", focus === "" ? {} : { focus });
    const text = done.ok
      ? `The conversation has ${done.result.tokensAfter} tokens now, of ${done.result.tokensBefore}.`
      : done.error.message;
    this.send({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
    await this.outbox.drained();
    return { stopReason: "end_turn" };
  }

  private onEvent(event: AgentEvent): void {
    this.send(...this.updates.of(event));
    this.people.onEvent(event);
    if (event.type === "tool-end" && CHANGES_STATE.test(event.result.toolName)) void this.tellState();
    if (event.type === "agent-end") void this.finish(event.outcome);
  }

  private async tellState(): Promise<void> {
    const state = await this.agent.call("get_state", {});
    if (state.ok) this.send(...this.updates.ofState(state.result));
  }

  private async finish(outcome: AgentOutcome): Promise<void> {
    const { running } = this;
    await this.tellState();
    const end = promptEnd(outcome);
    const text = end.ok ? end.words : undefined;
    if (text !== undefined) this.send({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
    this.running = undefined;
    running?.end(outcome);
  }
}

/** `/name rest`, where the prompt begins so. */
function commandIn({ content: [first] }: UserMessage): { name: string; rest: string } | undefined {
  const groups = /^\/(?<name>[A-Za-z][\w:.-]*)(?:\s+(?<rest>[\s\S]*))?$/.exec(
    first?.type === "text" ? first.text.trim() : "",
  )?.groups;
  return groups === undefined ? undefined : { name: groups.name ?? "", rest: groups.rest?.trim() ?? "" };
}

function withText({ role, content: [, ...others] }: UserMessage, text: string): UserMessage {
  return { role, content: [{ type: "text", text }, ...others] };
}
