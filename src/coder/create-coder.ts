import { createMessageQueue, type MessageQueue } from "../agent/message-queue.ts";
import type { ToolVerdict } from "../agent/run-tools.ts";
import { type AgentOptions, type AgentResult, runTurns } from "../agent/run-turns.ts";
import { billOf } from "../models/prices.ts";
import type { AgentEvent } from "../protocol/agent-events.ts";
import type { Effort } from "../protocol/effort.ts";
import type { Message, UserMessage } from "../protocol/messages.ts";
import type { ModelRequest, StreamModel } from "../protocol/model-request.ts";
import type { CacheRetention, Model } from "../protocol/models.ts";
import type { AskDraft, Tool } from "../protocol/tool-runs.ts";
import type { ToolDefinition } from "../protocol/tools.ts";
import { contextOf } from "../sessions/context.ts";
import type { EntryDraft, Session } from "../sessions/session.ts";
import type { Clock } from "../system/clock.ts";

// One working agent, assembled: a model, tools, a gate, a session. What is finished is in the session before anybody is told.

export interface CoderOptions {
  model: Model;
  effort: Effort;
  streamModel: StreamModel;
  session: Session;
  /** The tools as the model sees them now; the list only ever grows at its end. */
  advertised(): readonly ToolDefinition[];
  findTool(name: string): Tool | undefined;
  unknownTool(name: string): string;
  gate(asks: AskDraft[], tool: Tool): Promise<ToolVerdict>;
  /** Byte-identical over the session. */
  systemPrompt: string;
  /** Mode, todos, date: what may change from request to request. */
  dynamic(): string;
  mayRestart?: () => boolean;
  /** Observers: never waited for. */
  emit(event: AgentEvent): void;
  clock: Clock;
  stream: boolean;
  maxTurns: number;
  limitReached?: AgentOptions["limitReached"];
  cacheRetention?: CacheRetention;
  maxOutputTokens?: number;
}

export interface Coder {
  /** Stores what was asked, then works until there is nothing more to do. Resolves however it ended. */
  prompt(message: UserMessage, signal: AbortSignal): Promise<AgentResult>;
  queue: MessageQueue;
}

export function createCoder(options: CoderOptions): Coder {
  const queue = createMessageQueue();
  return {
    queue,
    async prompt(message, signal) {
      const stop = new AbortController();
      const journal = createJournal(options, () => stop.abort());
      await journal.store({ type: "message", message });
      const { model, effort, session } = options;
      options.emit({
        type: "agent-start",
        version: 1,
        sessionId: session.header.id,
        model: `${model.provider}/${model.id}`,
        effort,
      });
      options.emit({ type: "message-start", role: "user" });
      options.emit({ type: "message-end", message });
      const { messages } = contextOf(session.entries, session.leafId);
      return runTurns(
        messages,
        agentOptions(options, { queue, emit: journal.emit, signal: AbortSignal.any([signal, stop.signal]) }),
      );
    },
  };
}

interface Journal {
  store(draft: EntryDraft): Promise<void>;
  /** Stores what is finished, then tells the observers. */
  emit(event: AgentEvent): void | Promise<void>;
}

/** A session that cannot be written stops the agent: what is not stored must not go on. */
function createJournal({ session, emit }: CoderOptions, stop: () => void): Journal {
  const store = async (draft: EntryDraft) => {
    const stored = await session.append(draft);
    if (stored.ok) return;
    emit({ type: "notice", level: "error", text: `The session could not be written: ${stored.message}` });
    stop();
  };
  return {
    store,
    emit(event) {
      const draft = entryOf(event);
      if (draft === undefined) return emit(event);
      return store(draft).then(() => emit(event));
    },
  };
}

function entryOf(event: AgentEvent): EntryDraft | undefined {
  if (event.type === "message-end") return { type: "message", message: event.message };
  if (event.type === "tool-end") return { type: "message", message: event.result };
  return event.type === "tool-start" ? { type: "tool-started", call: event.call } : undefined;
}

type Wiring = Pick<AgentOptions, "queue" | "emit" | "signal">;

function agentOptions(options: CoderOptions, wiring: Wiring): AgentOptions {
  const { streamModel, findTool, unknownTool, gate, clock, model, maxTurns, limitReached, mayRestart } = options;
  return {
    ...wiring,
    streamModel,
    findTool,
    unknownTool,
    maxTurns,
    goesOnWhenCut: options.maxOutputTokens === undefined,
    limitReached,
    mayRestart,
    now: () => clock.monotonic(),
    costOf: ({ usage }) => billOf(usage, model.cost)?.dollars,
    request: (messages) => requestFor(options, messages),
    async beforeTool(call, prepared) {
      const tool = findTool(call.name);
      return tool === undefined ? { type: "deny", reason: unknownTool(call.name) } : gate(prepared.asks, tool);
    },
  };
}

function requestFor(options: CoderOptions, messages: Message[]): ModelRequest {
  const { effort, stream, cacheRetention, maxOutputTokens, session } = options;
  return {
    system: { base: options.systemPrompt, dynamic: options.dynamic() },
    messages,
    tools: [...options.advertised()],
    effort,
    stream,
    sessionId: session.header.id,
    ...(cacheRetention === undefined ? {} : { cacheRetention }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
  };
}
