import type { QueueKind } from "../agent/message-queue.ts";
import type { UserMessage } from "../protocol/messages.ts";
import type { MethodAnswer, MethodError, MethodName, MethodParams } from "../protocol/methods.ts";
import { contextOf } from "../sessions/context.ts";
import type { AppendEntryResult } from "../sessions/session.ts";
import { type Agent, nameOf } from "./agent.ts";
import { stateOf } from "./agent-state.ts";
import { describeCompaction } from "./compaction/describe-compaction.ts";
import { keepChoice } from "./session-choices.ts";

type Handlers = {
  [Name in MethodName]: (agent: Agent, params: MethodParams<Name>) => Promise<MethodAnswer<Name>>;
};

/** What the methods of `protocol/methods.ts` do. */
export const HANDLERS: Handlers = {
  async prompt(agent, { message, whileBusy }) {
    if (agent.run === undefined) return begin(agent, message);
    if (whileBusy === undefined)
      return refused("busy", "The agent is working. Say whether the message steers it or waits until it is done.");
    return enqueue(agent, whileBusy === "steer" ? "steering" : "follow-up", message);
  },
  steer: (agent, { message }) => say(agent, "steering", message),
  follow_up: (agent, { message }) => say(agent, "follow-up", message),
  async take_back(agent) {
    const taken = await agent.options.queue.takeBack();
    if (!taken.ok) return notStored(taken);
    tellState(agent);
    return done(taken.message === undefined ? {} : { message: taken.message });
  },
  async abort(agent) {
    const { run } = agent;
    run?.stop.abort();
    await run?.ended;
    return done({ wasBusy: run !== undefined });
  },
  async set_model(agent, { model: selector, temporary }) {
    const opened = await agent.options.openModel(selector);
    if (!opened.ok) return refused("unavailable", opened.message);
    const { model, effort, streamModel } = opened;
    agent.chosen = { model, effort, streamModel };
    const name = nameOf(model);
    const kept = await keepChoice(agent.options.session, {
      type: "model-changed",
      model: name,
      ...(temporary ? { temporary } : {}),
    });
    if (kept?.ok === false) return notStored(kept);
    await keepChoice(agent.options.session, { type: "effort-changed", effort });
    tellState(agent);
    return done({ model: name, effort });
  },
  async set_effort(agent, { effort: wish }) {
    const effort = agent.options.fitEffort(agent.chosen.model, wish);
    agent.chosen = { ...agent.chosen, effort };
    return kept(agent, await keepChoice(agent.options.session, { type: "effort-changed", effort }), { effort });
  },
  async set_mode(agent, { mode }) {
    if (!agent.options.toolbox.setMode(mode)) return refused("invalid", `There is no mode "${mode}".`);
    tellState(agent);
    return done({ mode });
  },
  async set_safe(agent, { safe }) {
    agent.options.toolbox.setSafe(safe);
    tellState(agent);
    return done({ safe });
  },
  async set_queue_modes(agent, modes) {
    const { queue } = agent.options.queue;
    queue.modes = { ...queue.modes, ...given(modes) };
    tellState(agent);
    return done(queue.modes);
  },
  async set_tasks(agent, { tasks }) {
    agent.options.toolbox.setTasks(tasks);
    tellState(agent);
    return done({ tasks });
  },
  async run_command(agent, { command }) {
    const running = agent.options.commands.run(command);
    tellState(agent);
    const ran = await running;
    tellState(agent);
    if (!ran.ok) return refused("failed", ran.message);
    const { ok: _, ...result } = ran;
    return done(result);
  },
  async stop_command(agent) {
    await agent.options.commands.stop();
    return done({});
  },
  list_jobs: async ({ options: { jobs } }) => done({ jobs: jobs.list() }),
  async read_job({ options: { jobs } }, { jobId }) {
    const read = jobs.read(jobId);
    return read === undefined ? refused("not-found", `There is no job ${jobId}.`) : done(read);
  },
  async end_job({ options: { jobs } }, { jobId }) {
    const job = await jobs.end(jobId);
    return job === undefined ? refused("not-found", `There is no job ${jobId}.`) : done({ job });
  },
  async compact(agent, { focus }) {
    if (agent.run !== undefined) return refused("busy", "The agent is working. Stop it before you compact.");
    const stop = new AbortController();
    const ended = Promise.withResolvers<void>();
    agent.run = { stop, ended: ended.promise };
    const { compactor } = agent;
    const result = await compactor.compact({ signal: stop.signal, ...(focus === undefined ? {} : { focus }) });
    // What a summary used is on its entry; no prompt is charged for it.
    compactor.takeSpent();
    agent.run = undefined;
    ended.resolve();
    agent.wake();
    if (!("tokensAfter" in result)) return refused("failed", describeCompaction(result));
    const { tokensBefore, tokensAfter, type } = result;
    return done({ tokensBefore, tokensAfter, summarised: type === "summarised" });
  },
  async undo_compaction(agent) {
    if (agent.run !== undefined) return refused("busy", "The agent is working. Stop it before you undo a compaction.");
    const undone = await agent.compactor.undo();
    if (undone.ok) tellState(agent);
    return undone.ok ? done({ undone: true }) : refused("not-found", undone.message);
  },
  async set_auto_compaction(agent, { enabled }) {
    agent.autoCompaction = enabled;
    tellState(agent);
    return done({ enabled });
  },
  async fork(agent, { entryId }) {
    const forked = await agent.options.fork(entryId);
    if (!forked.ok) return refused("failed", forked.message);
    return done({ sessionId: forked.sessionId, path: forked.path });
  },
  async branch(agent, { entryId }) {
    if (agent.run !== undefined) return refused("busy", "The agent is working. Stop it before you branch.");
    const { session } = agent.options;
    if (!session.branchFrom(entryId)) return refused("not-found", `The session has no entry ${entryId}.`);
    agent.brokenOff = undefined;
    tellState(agent);
    return done({ leafId: session.leafId });
  },
  async set_label(agent, { entryId, label }) {
    const { session } = agent.options;
    if (!session.entries.has(entryId)) return refused("not-found", `The session has no entry ${entryId}.`);
    return kept(agent, await session.append({ type: "label", targetId: entryId, label }), { label });
  },
  async set_name(agent, { name }) {
    agent.name = name;
    return kept(agent, await agent.options.session.append({ type: "name", name }), { name });
  },
  async answer(agent, { askId, ...answer }) {
    const problem = (await unreadableRule(answer.rules)) ?? agent.options.pending.answerAsk(askId, answer);
    return problem === undefined ? done({}) : { ok: false, error: problem };
  },
  async answer_question(agent, { questionId, answers }) {
    const isWaiting = agent.options.pending.answerQuestion(questionId, answers);
    return isWaiting ? done({}) : refused("not-found", `No question ${questionId} waits.`);
  },
  get_state: async (agent) => done(stateOf(agent)),
  async get_messages({ options: { session } }) {
    return done({ messages: contextOf(session.entries, session.storedLeafId).messages });
  },
};

/** A rule a person changed is read before their answer counts, so that they can correct it. */
async function unreadableRule(rules: readonly string[] = []): Promise<MethodError | undefined> {
  if (rules.length === 0) return undefined;
  const { readPermissionRule } = await import("../permissions/gate/permission-rule.ts");
  const readings = rules.map((rule) => readPermissionRule(rule, "allow", "an answer"));
  const failed = readings.find((reading) => !reading.ok);
  return failed === undefined ? undefined : { code: "invalid", message: `${failed.message}.` };
}

type Accepted = MethodAnswer<"prompt">;

async function say(agent: Agent, kind: QueueKind, message: UserMessage): Promise<Accepted> {
  return agent.run === undefined ? begin(agent, message) : enqueue(agent, kind, message);
}

async function begin(agent: Agent, message: UserMessage): Promise<Accepted> {
  const stored = await agent.begin([message]);
  return stored.ok ? done({ as: "prompt" }) : notStored(stored);
}

async function enqueue(agent: Agent, kind: QueueKind, message: UserMessage): Promise<Accepted> {
  const stored = await agent.options.queue.add(kind, message);
  if (!stored.ok) return notStored(stored);
  tellState(agent);
  // The work may have ended while the message was stored.
  agent.wake();
  return done({ as: kind });
}

function kept<Result>(agent: Agent, stored: AppendEntryResult | undefined, result: Result) {
  if (stored?.ok === false) return notStored(stored);
  tellState(agent);
  return done(result);
}

function tellState(agent: Agent): void {
  agent.options.tell({ type: "state-changed", state: stateOf(agent) });
}

function done<Result>(result: Result): { ok: true; result: Result } {
  return { ok: true, result };
}

function refused(code: MethodError["code"], message: string): { ok: false; error: MethodError } {
  return { ok: false, error: { code, message } };
}

function notStored({ message }: { message: string }) {
  return refused("not-stored", message);
}

function given<Values extends object>(values: Values): Partial<Values> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<Values>;
}
