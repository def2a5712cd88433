import type { AgentEvent, AgentOutcome, AgentTotals } from "../protocol/agent-events.ts";
import type { AnswerWatch, BrokenRules } from "../protocol/answer-watch.ts";
import type {
  AssistantMessage,
  Message,
  ToolCallPart,
  ToolResultMessage,
  Usage,
  UserMessage,
} from "../protocol/messages.ts";
import type { ModelError } from "../protocol/model-errors.ts";
import type { ModelEnd } from "../protocol/model-events.ts";
import type { ModelRequest, StreamModel } from "../protocol/model-request.ts";
import type { MessageQueue } from "./message-queue.ts";
import { atTurnLimit, CUT_AT_LIMIT, SAID_NOTHING } from "./nudges.ts";
import { createRepetition, type Repetition } from "./repetition.ts";
import { runTools, type ToolRunner } from "./run-tools.ts";
import { watchedAnswer } from "./watched-answer.ts";

// The turn loop: ask the model, run its calls, give it the results, until it has nothing more to do or somebody stops it. It is
// handed everything it touches and knows no disk, no screen and no policy.

export interface AgentOptions extends Omit<ToolRunner, "isInterrupted" | "remark"> {
  streamModel: StreamModel;
  /** The request for the conversation as it stands: prompt, tools and effort may differ from turn to turn. */
  request(messages: Message[]): ModelRequest;
  mayRestart?: () => boolean;
  queue: MessageQueue;
  /** In US dollars; undefined where no price is known. */
  costOf(message: AssistantMessage): number | undefined;
  maxTurns: number;
  /** Whether a model whose answer reached its output limit is asked to go on; not where a person set that limit. */
  goesOnWhenCut: boolean;
  /** Why the signal was aborted; without it, a person interrupted. */
  whyStopped?(): AgentOutcome | undefined;
  /** A limit other than turns that is reached: tokens, cost, minutes. */
  limitReached?(totals: AgentTotals): Extract<AgentOutcome, { type: "limit-reached" }> | undefined;
  /** Called before every request; another history than this one is what is sent from then on. */
  beforeTurn?(messages: readonly Message[]): Promise<Message[] | undefined>;
  /** Called when a request failed without a word. With another history the same turn is tried again, once. */
  afterFailure?(error: ModelError, messages: readonly Message[]): Promise<Message[] | undefined>;
  /** What these two used since they were last asked; it counts like the turns. */
  takeSpent?(): Spent | undefined;
  /** Waits until everything that was said is kept. What comes back is how the run ends where it could not be. */
  settle?(): Promise<AgentOutcome | undefined>;
  /** Asked after the calls of an answer: with true the work is done, and the model is not asked again. */
  isFinished?(): boolean;
  /** Sees every answer while it comes and may stop it: the turn then goes on with what the watch has to say. */
  watch?: AnswerWatch;
}

/** `cost` is in US dollars and absent where no price is known. */
export interface Spent {
  usage: Usage;
  cost?: number;
}

export interface AgentResult {
  outcome: AgentOutcome;
  /** The conversation with everything that was said and done; provider-valid, however it ended. */
  messages: Message[];
  totals: AgentTotals;
}

/** `history` ends with what the person asked. */
export async function runTurns(history: readonly Message[], options: AgentOptions): Promise<AgentResult> {
  const run: Run = { options, messages: [...history], repetition: createRepetition(), totals: noTotals(), nudges: 0 };
  let outcome: AgentOutcome | undefined;
  while (outcome === undefined) {
    outcome = stopBefore(run) ?? (await takeTurn(run));
  }
  if (outcome.type === "limit-reached" && outcome.limit === "turns") await askForSummary(run);
  outcome = (await options.settle?.()) ?? outcome;
  await options.emit({ type: "agent-end", outcome, totals: run.totals });
  return { outcome, messages: run.messages, totals: run.totals };
}

interface Run {
  options: AgentOptions;
  messages: Message[];
  repetition: Repetition;
  totals: AgentTotals;
  /** How often the model was asked to go on by itself. */
  nudges: number;
}

function stopped({ whyStopped }: AgentOptions): AgentOutcome {
  return whyStopped?.() ?? { type: "interrupted" };
}

function stopBefore({ options, totals, repetition }: Run): AgentOutcome | undefined {
  if (options.signal.aborted) return stopped(options);
  const repeated = repetition.verdict();
  if (repeated !== undefined) return { type: "repeating", ...repeated };
  if (totals.turns >= options.maxTurns) return { type: "limit-reached", limit: "turns", allowed: options.maxTurns };
  return options.limitReached?.(totals);
}

/** One answer and what follows from it. Undefined when the agent goes on. */
async function takeTurn(run: Run): Promise<AgentOutcome | undefined> {
  const turn = run.totals.turns + 1;
  await renewHistory(run);
  await run.options.emit({ type: "turn-start", turn });
  const end = await askTwiceAtMost(run);
  run.totals = { ...run.totals, turns: turn };
  const message = end.type === "done" ? end.message : undefined;
  const outcome = message === undefined ? failure(end, run.options) : await followUp(run, message);
  await run.options.emit({ type: "turn-end", turn, ...(message === undefined ? {} : { message }) });
  return outcome;
}

async function renewHistory(run: Run): Promise<void> {
  takeOver(run, await run.options.beforeTurn?.(run.messages));
}

function takeOver(run: Run, history: readonly Message[] | undefined): void {
  if (history !== undefined) run.messages = [...history];
  const spent = run.options.takeSpent?.();
  if (spent !== undefined) run.totals = counted(run.totals, spent.usage, spent.cost);
}

/** How a request ended; `stopped` by the watch, and the model was told why. */
type AnswerEnd = ModelEnd | { type: "stopped" };

/** A failed request is made again where somebody knows a history that may succeed. */
async function askTwiceAtMost(run: Run): Promise<AnswerEnd> {
  const { watch } = run.options;
  const end = await askModel(run, run.options.request(run.messages), watch);
  if (end.type !== "error" || end.error.kind === "aborted") return end;
  if (end.partial !== undefined && hasText(end.partial)) return end;
  const history = await run.options.afterFailure?.(end.error, run.messages);
  takeOver(run, history);
  return history === undefined ? end : askModel(run, run.options.request(run.messages), watch);
}

async function askModel(run: Run, request: ModelRequest, watch?: AnswerWatch): Promise<AnswerEnd> {
  const { options } = run;
  await options.emit({ type: "message-start", role: "assistant" });
  const { end, isStopped } = await watchedAnswer(request, {
    streamModel: options.streamModel,
    watch,
    signal: options.signal,
    ...(options.mayRestart === undefined ? {} : { mayRestart: options.mayRestart }),
    emit: (event) => void options.emit({ type: "message-update", event }),
  });
  const message = end.type === "done" ? end.message : end.partial;
  if (message !== undefined) run.totals = counted(run.totals, message.usage, options.costOf(message));
  if (isStopped && watch !== undefined) return goOnAfterStop(run, watch, message);
  if (message === undefined) return end;
  // What had arrived of a broken answer stays in the conversation where it says something.
  if (end.type === "done" || hasText(message)) await addMessage(run, message);
  return end;
}

/** What a stopped answer had said stays or goes, as the watch wants; what it cost is told where it goes. */
async function goOnAfterStop(run: Run, watch: AnswerWatch, answer: AssistantMessage | undefined): Promise<AnswerEnd> {
  const { keepsAnswer, ...broken } = watch.stopped();
  const isKept = keepsAnswer && answer !== undefined && hasText(answer);
  if (isKept) await addMessage(run, answer);
  await tellRules(run, broken, { stopped: true, ...(answer === undefined || isKept ? {} : spentOn(run, answer)) });
  return { type: "stopped" };
}

function spentOn({ options }: Run, answer: AssistantMessage): Spent {
  const cost = options.costOf(answer);
  return { usage: answer.usage, ...(cost === undefined ? {} : { cost }) };
}

async function tellRules(run: Run, { rules, text }: BrokenRules, how: HowTold): Promise<void> {
  const message: UserMessage = { role: "user", content: [{ type: "text", text }] };
  run.messages.push(message);
  await run.options.emit({ type: "rules-triggered", rules, message, ...how });
}

type HowTold = Pick<Extract<AgentEvent, { type: "rules-triggered" }>, "stopped" | "usage" | "cost">;

function failure(end: AnswerEnd, options: AgentOptions): AgentOutcome | undefined {
  if (end.type !== "error") return undefined;
  return end.error.kind === "aborted" ? stopped(options) : { type: "failed", error: end.error };
}

async function followUp(run: Run, message: AssistantMessage): Promise<AgentOutcome | undefined> {
  run.repetition.noteAnswer(message);
  switch (message.stopReason) {
    case "tool-use":
      return useTools(run, callsOf(message));
    case "pause":
      return undefined;
    case "refusal":
      return { type: "refused" };
    case "length":
      return run.options.goesOnWhenCut ? nudge(run, CUT_AT_LIMIT, { type: "truncated" }) : { type: "truncated" };
    default:
      return hasText(message) ? deliver(run) : nudge(run, SAID_NOTHING, { type: "done" });
  }
}

const MAX_NUDGES = 2;

/** Asks the model to go on, a few times at most; then the run ends as it would have. */
async function nudge(run: Run, text: string, otherwise: AgentOutcome): Promise<AgentOutcome | undefined> {
  if (run.nudges >= MAX_NUDGES) return otherwise;
  run.nudges++;
  await addMessage(run, { role: "user", content: [{ type: "text", text }] });
  return undefined;
}

async function useTools(run: Run, calls: ToolCallPart[]): Promise<AgentOutcome | undefined> {
  const { options } = run;
  const isInterrupted = () =>
    options.queue.modes.interrupt === "immediate" && options.queue.waiting("steering").length > 0;
  const reminders: AgentEvent[] = [];
  const remark: ToolRunner["remark"] = (call, result) =>
    reminded(run.repetition.noteCall(call, result), options.watch, reminders);
  run.messages.push(...(await runTools(calls, { ...options, isInterrupted, remark })));
  for (const event of reminders) await options.emit(event);
  run.nudges = 0;
  if (options.isFinished?.() === true && !options.signal.aborted) return { type: "done" };
  await tellBehindAnswer(run);
  await addAll(run, options.queue.take("steering"));
  return undefined;
}

/** A rule the call broke stands before its result; what is told of it is added to `events`. */
function reminded(result: ToolResultMessage, watch: AnswerWatch | undefined, events: AgentEvent[]): ToolResultMessage {
  const { toolCallId, content } = result;
  const broken = watch?.beforeResult(toolCallId);
  if (broken === undefined) return result;
  events.push({ type: "rules-triggered", rules: broken.rules, stopped: false, toolCallId });
  return { ...result, content: [{ type: "text", text: broken.text }, ...content] };
}

/** True where the model has to hear of a rule. */
async function tellBehindAnswer(run: Run): Promise<boolean> {
  const broken = run.options.watch?.ended();
  if (broken === undefined) return false;
  await tellRules(run, broken, { stopped: false });
  return true;
}

/** The model has nothing more to do: a person may, or a rule it has to hear of. */
async function deliver(run: Run): Promise<AgentOutcome | undefined> {
  const { queue } = run.options;
  const hasMore = await tellBehindAnswer(run);
  const steering = queue.take("steering");
  const waiting = steering.length > 0 ? steering : queue.take("follow-up");
  if (waiting.length === 0) return hasMore ? undefined : { type: "done" };
  await addAll(run, waiting);
  return undefined;
}

/** At the turn limit the model says where things stand, without tools; whatever it answers, the run is over. */
async function askForSummary(run: Run): Promise<void> {
  await addMessage(run, { role: "user", content: [{ type: "text", text: atTurnLimit(run.options.maxTurns) }] });
  await renewHistory(run);
  await askModel(run, { ...run.options.request(run.messages), toolChoice: "none" });
  // A model that calls tools all the same gets no results, so its calls must not stay behind.
  const last = run.messages.at(-1);
  if (last?.role === "assistant" && callsOf(last).length > 0) {
    run.messages.push(...callsOf(last).map(notRun));
  }
}

function notRun(call: ToolCallPart): Message {
  const content = [{ type: "text" as const, text: "Not run: the turn limit is reached." }];
  return { role: "tool-result", toolCallId: call.id, toolName: call.name, content, isError: true };
}

async function addAll(run: Run, messages: UserMessage[]): Promise<void> {
  for (const message of messages) await addMessage(run, message);
}

async function addMessage(run: Run, message: UserMessage | AssistantMessage): Promise<void> {
  run.messages.push(message);
  if (message.role === "user") await run.options.emit({ type: "message-start", role: "user" });
  await run.options.emit({ type: "message-end", message });
}

function callsOf(message: AssistantMessage): ToolCallPart[] {
  return message.content.filter((part) => part.type === "tool-call");
}

function hasText(message: AssistantMessage): boolean {
  return message.content.some((part) => part.type === "text" && part.text.trim() !== "");
}

function noTotals(): AgentTotals {
  return { turns: 0, usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } };
}

function counted(totals: AgentTotals, usage: Usage, cost: number | undefined): AgentTotals {
  const sum: Usage = { ...totals.usage };
  for (const [key, count] of Object.entries(usage) as [keyof Usage, number][]) sum[key] = (sum[key] ?? 0) + count;
  const dollars = cost === undefined ? totals.cost : (totals.cost ?? 0) + cost;
  return { ...totals, usage: sum, ...(dollars === undefined ? {} : { cost: dollars }) };
}
