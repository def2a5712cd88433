import type { AgentEvent, AgentOutcome } from "../protocol/agent-events.ts";
import type { AssistantMessage } from "../protocol/messages.ts";
import type { EntryDraft, Session } from "../sessions/session.ts";
import type { FlushTime } from "../system/jsonl.ts";
import type { AnswerKeeper } from "./answer-keeper.ts";
import type { StoredQueue } from "./stored-queue.ts";
import type { ToldCommands } from "./told-commands.ts";

/**
 * Stores what is finished, then tells the observers, all in order. Everything is written at once; what comes back is the flush,
 * and only where the work may not go on before it: a person's words before a model sees them, and an answer before a call in it
 * can have an effect. All other flushes run beside the work.
 */
export interface AgentJournal {
  emit(event: AgentEvent): void | Promise<void>;
  /** Everything that was emitted is stored and told. */
  settled(): Promise<void>;
}

export interface JournalOptions {
  session: Session;
  queue: StoredQueue;
  told: ToldCommands;
  keeper: AnswerKeeper;
  costOf(message: AssistantMessage): number | undefined;
  /** Whether a tool of this name changes nothing. */
  isReadOnly(tool: string): boolean;
  tell(event: AgentEvent): void;
  /** What is not stored must not go on. */
  stop(why: AgentOutcome): void;
}

interface Outgoing {
  event: AgentEvent;
  isStored: boolean;
}

export function createAgentJournal(options: JournalOptions): AgentJournal {
  const { session, keeper, tell, stop } = options;
  const outgoing: Outgoing[] = [];
  let emptied = Promise.withResolvers<void>();
  const drain = () => {
    while (outgoing[0]?.isStored) {
      const next = outgoing.shift();
      if (next !== undefined) tell(next.event);
    }
    if (outgoing.length > 0) return;
    emptied.resolve();
    emptied = Promise.withResolvers();
  };
  /** The newest answer is on the disk. */
  let answered: Promise<void> = Promise.resolve();
  const settled = async () => {
    if (outgoing.length > 0) await emptied.promise;
  };
  const store = async (item: Outgoing, draft: EntryDraft, when: FlushTime) => {
    const stored = await session.append(draft, when);
    if (stored.ok) keeper.stored(item.event);
    else {
      keeper.notStored(item.event);
      stop({ type: "not-stored", message: stored.message });
    }
    item.isStored = true;
    drain();
  };
  return {
    settled,
    emit(event) {
      keeper.note(event);
      // Most events are pieces of an answer, and nothing is to be done for them.
      if (event.type === "message-update" && outgoing.length === 0) return tell(event);
      const draft = entryOf(event, options);
      if (draft === undefined && outgoing.length === 0) return tell(event);
      const item = { event, isStored: draft === undefined };
      outgoing.push(item);
      if (draft === undefined) return event.type === "agent-end" ? settled() : undefined;
      const stored = store(item, draft, isUrgent(event, options) ? "now" : "soon");
      if (event.type === "message-end" && event.message.role === "assistant") answered = stored;
      if (event.type === "message-end" && event.message.role === "user") return stored;
      if (event.type === "rules-triggered" && event.message !== undefined) return stored;
      return event.type === "tool-start" && !options.isReadOnly(event.call.name) ? answered : undefined;
    },
  };
}

/**
 * A person waits for their own words and for an answer without calls. A call that can have an effect waits for the answer it is
 * in: an answer on the disk is enough to know after a power cut that the call may have begun.
 */
function isUrgent(event: AgentEvent, { isReadOnly }: JournalOptions): boolean {
  if (event.type === "rules-triggered") return event.message !== undefined;
  if (event.type !== "message-end") return false;
  const { message } = event;
  if (message.role !== "assistant") return true;
  const calls = message.content.filter((part) => part.type === "tool-call");
  return calls.length === 0 || calls.some(({ name }) => !isReadOnly(name));
}

function entryOf(event: AgentEvent, options: JournalOptions): EntryDraft | undefined {
  switch (event.type) {
    case "message-end":
      return messageEntry(event.message, options);
    case "tool-end":
      return { type: "message", message: event.result };
    case "tool-start":
      return { type: "tool-started", call: event.call };
    case "rules-triggered":
      return rulesEntry(event);
    default:
      return undefined;
  }
}

function rulesEntry({ rules, message, usage, cost }: Extract<AgentEvent, { type: "rules-triggered" }>): EntryDraft {
  return {
    type: "rules-injected",
    names: rules.map(({ name }) => name),
    ...(message === undefined ? {} : { message }),
    ...(usage === undefined ? {} : { usage }),
    ...(cost === undefined ? {} : { cost }),
  };
}

type Ended = Extract<AgentEvent, { type: "message-end" }>["message"];

function messageEntry(message: Ended, { queue, told, costOf }: JournalOptions): EntryDraft {
  const commands = message.role === "user" ? told.entryOf(message) : undefined;
  if (commands !== undefined) return commands;
  const queuedAs = message.role === "user" ? queue.entryOf(message) : undefined;
  const cost = message.role === "assistant" ? costOf(message) : undefined;
  return {
    type: "message",
    message,
    ...(cost === undefined ? {} : { cost }),
    ...(queuedAs === undefined ? {} : { queuedAs }),
  };
}
