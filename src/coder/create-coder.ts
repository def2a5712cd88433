import type { ToolVerdict } from "../agent/run-tools.ts";
import { type AgentOptions, runTurns } from "../agent/run-turns.ts";
import { refusesPicture, suspectedPictures, withoutPictures } from "../agent/without-pictures.ts";
import { billOf } from "../models/prices.ts";
import type { AgentEvent, AgentOutcome } from "../protocol/agent-events.ts";
import type { Message, ToolCallPart, UserMessage } from "../protocol/messages.ts";
import type { MethodAnswer, MethodName, MethodParams } from "../protocol/methods.ts";
import type { ModelError } from "../protocol/model-errors.ts";
import type { ModelRequest } from "../protocol/model-request.ts";
import type { Model } from "../protocol/models.ts";
import type { AskDraft, Tool } from "../protocol/tool-runs.ts";
import { contextOf } from "../sessions/context.ts";
import type { AppendEntryResult, EntryDraft, Session } from "../sessions/session.ts";
import { toldRules } from "../sessions/told-rules.ts";
import { type Agent, type CoderOptions, nameOf } from "./agent.ts";
import { createAgentJournal } from "./agent-journal.ts";
import { createAnswerKeeper } from "./answer-keeper.ts";
import { askModel } from "./ask-model.ts";
import type { CompactorOptions } from "./compaction/compactor.ts";
import { createCompactor } from "./compaction/create-compactor.ts";
import { HANDLERS } from "./method-handlers.ts";
import { entriesOfChoices, keepChoice, type SessionChoices } from "./session-choices.ts";
import type { StoredQueue } from "./stored-queue.ts";
import type { Tape } from "./tape.ts";

// One working agent: a model, tools, a gate, a session. What is finished is in the session before anybody is told.

export interface Coder {
  call<Name extends MethodName>(name: Name, params: MethodParams<Name>): Promise<MethodAnswer<Name>>;
  /** Tells what happens beside the turns, behind what was emitted before it: a question comes after the call it is about. */
  tell(event: AgentEvent): void;
  /** Resolves when nothing runs any more. */
  idle(): Promise<void>;
  /** The one that is asked next. */
  model(): Model;
}

export function createCoder(options: CoderOptions): Coder {
  const agent = createAgent(options);
  return {
    call: (name, params) => HANDLERS[name](agent, params),
    tell: (event) => (agent.tellBehind ?? options.tell)(event),
    async idle() {
      while (agent.run !== undefined) await agent.run.ended;
    },
    model: () => agent.chosen.model,
  };
}

function createAgent(options: CoderOptions): Agent {
  const { session, queue, known, told } = options;
  let isBegun = false;
  const agent: Agent = {
    options,
    chosen: options.chosen,
    name: known.name,
    brokenOff: options.brokenOff,
    autoCompaction: options.autoCompaction,
    compactor: createCompactor(compactorOptions(options, () => agent)),
    refusedPictures: new Set(),
    run: undefined,
    tellBehind: undefined,
    async begin(given) {
      const done = Promise.withResolvers<void>();
      const stop = new AbortController();
      agent.run = { stop, ended: done.promise };
      const isFirst = session.leafId === null;
      // What is not kept needs no choices to be found again.
      const choices = isBegun || session.path === undefined ? [] : entriesOfChoices(known, choicesOf(agent));
      isBegun = true;
      agent.brokenOff = undefined;
      const commands = told.next();
      const messages = commands === undefined ? given : [commands, ...given];
      const sent = messages.map((message) => told.entryOf(message) ?? sentEntry(queue, message));
      const stored = await storeAll(session, [...choices, ...sent]);
      const end = () => {
        agent.run = undefined;
        done.resolve();
      };
      if (stored.ok) {
        options.undo.startTurn(stored.entry.id);
        void work(agent, { messages, stop, end, isFirst });
      } else end();
      return stored;
    },
    wake() {
      if (agent.run !== undefined) return;
      const steering = queue.queue.take("steering");
      const messages = steering.length > 0 ? steering : queue.queue.take("follow-up");
      if (messages.length > 0) void agent.begin(messages);
    },
  };
  return agent;
}

function compactorOptions(options: CoderOptions, agent: () => Agent): CompactorOptions {
  const { session, compaction, tell, toolbox, openLarger, clock } = options;
  const promote = async () => {
    const larger = await openLarger?.(agent().chosen.model);
    if (larger === undefined) return undefined;
    agent().chosen = larger;
    await keepChoice(session, { type: "model-changed", model: nameOf(larger.model), temporary: true });
    return larger.model;
  };
  return {
    session,
    settings: compaction,
    clock,
    tell,
    model: () => agent().chosen.model,
    streamModel: (request, streaming) => askModel(agent())(request, streaming),
    request: (messages) => requestFor(agent(), messages),
    isEnabled: () => agent().autoCompaction,
    toolName: (name) => toolbox.findTool(name)?.name ?? name,
    ...(openLarger === undefined ? {} : { promote }),
  };
}

function choicesOf({ chosen, options }: Agent): SessionChoices {
  const { toolbox, systemPrompt } = options;
  return {
    model: nameOf(chosen.model),
    effort: chosen.effort,
    systemPrompt,
    mode: toolbox.mode(),
    safe: toolbox.isSafe(),
    advertised: toolbox.advertised().map(({ name }) => name),
    tasks: toolbox.tasks(),
  };
}

/** They are flushed together. */
async function storeAll(session: Session, drafts: readonly EntryDraft[]): Promise<AppendEntryResult> {
  const results = await Promise.all(drafts.map((draft) => session.append(draft)));
  const last = results.at(-1);
  return (
    results.find((result) => !result.ok) ?? last ?? { ok: false, reason: "failed", message: "There is no message." }
  );
}

function sentEntry(queue: StoredQueue, message: UserMessage): EntryDraft {
  const queuedAs = queue.entryOf(message);
  return { type: "message", message, ...(queuedAs === undefined ? {} : { queuedAs }) };
}

interface Work {
  messages: readonly UserMessage[];
  stop: AbortController;
  /** The agent is idle from here on. */
  end(): void;
  /** Nothing was said before. */
  isFirst: boolean;
}

async function work(agent: Agent, { messages, stop, end, isFirst }: Work): Promise<void> {
  const { session, pending } = agent.options;
  // Who hears that the work has ended may give more at once.
  const tell = (event: AgentEvent) => {
    if (event.type === "agent-end") {
      agent.tellBehind = undefined;
      end();
    }
    agent.options.tell(event);
  };
  tell({
    type: "agent-start",
    version: 1,
    sessionId: session.header.id,
    model: nameOf(agent.chosen.model),
    effort: agent.chosen.effort,
  });
  for (const message of messages) {
    tell({ type: "message-start", role: "user" });
    tell({ type: "message-end", message });
  }
  stop.signal.addEventListener("abort", pending.dismiss, { once: true });
  const history = isFirst ? messages : contextOf(session.entries, session.storedLeafId, agent.chosen.model).messages;
  const { outcome } = await runTurns(history, agentOptions(agent, { stop, tell }));
  // Something may have been said just when the work ended.
  if (outcome.type === "done") agent.wake();
}

interface Wiring {
  stop: AbortController;
  tell(event: AgentEvent): void;
}

function agentOptions(agent: Agent, { stop, tell }: Wiring): AgentOptions {
  const { options } = agent;
  const { toolbox, clock, maxTurns, limitReached, mayRestart, queue, told, session, undo, tape } = options;
  const costOf: AgentOptions["costOf"] = ({ usage }) => billOf(usage, agent.chosen.model.cost)?.dollars;
  let why: AgentOutcome | undefined;
  const stopFor = (reason: AgentOutcome) => {
    why ??= reason;
    stop.abort();
  };
  const isReadOnly = (name: string) => toolbox.findTool(name)?.isReadOnly === true;
  const keeper = createAnswerKeeper(session, () => agent.chosen.model);
  const journal = createAgentJournal({ session, queue, told, keeper, costOf, isReadOnly, tell, stop: stopFor });
  agent.tellBehind = journal.emit;
  const wiring = { signal: stop.signal, settled: journal.settled };
  return {
    emit(event) {
      if (event.type === "tool-end") undo.afterTool();
      if (event.type !== "agent-end") return journal.emit(event);
      return endRecord(undo, tell).then(() => journal.emit(event));
    },
    queue: told.before(queue.queue),
    signal: stop.signal,
    whyStopped: () => why,
    streamModel: askModel(agent),
    findTool: tape === undefined ? toolbox.findTool : (name) => tapedTool(toolbox.findTool(name), tape),
    unknownTool: toolbox.unknownTool,
    maxTurns,
    goesOnWhenCut: options.maxOutputTokens === undefined,
    ...(limitReached === undefined ? {} : { limitReached: limitReached() }),
    mayRestart,
    now: () => tape?.now() ?? clock.monotonic(),
    costOf,
    beforeTurn: (messages) => agent.compactor.beforeTurn(messages, wiring),
    afterFailure: async (error, messages) =>
      historyWithoutPictures(agent, error, messages) ?? agent.compactor.afterFailure(error, wiring),
    takeSpent: agent.compactor.takeSpent,
    async settle() {
      await journal.settled();
      return why?.type === "not-stored" ? why : undefined;
    },
    isFinished: () => options.host?.isFinished?.() === true,
    request: (messages) => requestFor(agent, messages),
    ...watchFor(options),
    beforeTool(call, prepared) {
      const decide = async (): Promise<ToolVerdict> => {
        const tool = toolbox.findTool(call.name);
        if (tool === undefined) return { type: "deny", reason: toolbox.unknownTool(call.name) };
        const asks = await withWarnings(prepared.asks, call, options);
        const refusal = await options.host?.warden()?.beforeTool(tool, asks);
        return refusal === undefined ? toolbox.gate(asks, tool) : { type: "deny", reason: refusal };
      };
      return tape === undefined ? decide() : tape.verdict(call, decide);
    },
  };
}

/** Whatever is wrong with the record, the work has ended. */
async function endRecord(undo: CoderOptions["undo"], tell: Wiring["tell"]): Promise<void> {
  try {
    await undo.endTurn();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const text = `What this turn changed cannot be taken back as a whole: ${why}. This is a defect of Ralph.`;
    tell({ type: "notice", level: "error", text });
  }
}

/** What the session was told is found in it, so that another branch knows its own. */
function watchFor({ rules, session, toolbox, tell }: CoderOptions): Pick<AgentOptions, "watch"> {
  if (rules?.watch === undefined) return {};
  const watch = rules.watch({
    told: toldRules(session.entries, session.storedLeafId),
    toolName: (name) => toolbox.findTool(name)?.name ?? name,
    note: (text) => tell({ type: "notice", level: "warning", text }),
  });
  return { watch };
}

function tapedTool(tool: Tool | undefined, tape: Tape): Tool | undefined {
  return tool === undefined ? undefined : tape.tool(tool);
}

/** Keys that would end up in a file or in a commit are pointed out to whoever allows it. */
async function withWarnings(asks: AskDraft[], call: ToolCallPart, options: CoderOptions): Promise<AskDraft[]> {
  return Promise.all(
    asks.map(async (ask) => {
      const warning = await warningFor(ask, call, options);
      const told = { ...ask, toolCallId: call.id };
      return warning === undefined ? told : { ...told, warning, summary: `${ask.summary}: ${warning}` };
    }),
  );
}

const COMMITS = /\bgit\b[\s\S]*\bcommit\b/;

async function warningFor(ask: AskDraft, call: ToolCallPart, options: CoderOptions): Promise<string | undefined> {
  if (ask.category === "file_write") {
    const { secretsInCall } = await import("../permissions/secrets/secrets-in-call.ts");
    const found = secretsInCall(call.input);
    return found === undefined ? undefined : `it would write ${found}`;
  }
  const [command = ""] = ask.resources;
  if (ask.category !== "shell" || ask.cwd === undefined || !COMMITS.test(command)) return undefined;
  const found = await options.secretsToCommit?.(command, ask.cwd);
  return found === undefined ? undefined : `it would commit ${found}`;
}

/** What a provider cannot look at is left out from now on; the words stay. */
function historyWithoutPictures(agent: Agent, error: ModelError, messages: readonly Message[]): Message[] | undefined {
  const { refusedPictures } = agent;
  const suspects = refusesPicture(error) ? suspectedPictures(messages, refusedPictures) : [];
  if (suspects.length === 0) return undefined;
  for (const data of suspects) refusedPictures.add(data);
  const text = `${error.message.replace(/\.$/, "")}. Ralph goes on without ${suspects.length === 1 ? "the picture" : `${suspects.length} pictures`}.`;
  agent.options.tell({ type: "notice", level: "warning", text });
  return [...messages];
}

function requestFor({ options, chosen, refusedPictures }: Agent, messages: Message[]): ModelRequest {
  const { stream, cacheRetention, maxOutputTokens, outputSchema, session, toolbox, systemPrompt, tail } = options;
  const addresses = options.host?.addresses.described() ?? "";
  const dynamic = [tail(), addresses, toolbox.standing()].filter((text) => text !== "").join("\n\n");
  return {
    system: { base: systemPrompt, dynamic },
    messages: refusedPictures.size === 0 ? messages : withoutPictures(messages, refusedPictures),
    tools: [...toolbox.advertised()],
    effort: chosen.effort,
    stream,
    sessionId: session.header.id,
    ...(cacheRetention === undefined ? {} : { cacheRetention }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(outputSchema === undefined ? {} : { outputSchema }),
  };
}
