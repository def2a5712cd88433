import * as z from "zod";
import { agentState } from "./agent-state.ts";
import { ask, decision } from "./asks.ts";
import { assistantMessage, message, toolCallPart, toolResultMessage, usage, userMessage } from "./messages.ts";
import { modelError } from "./model-errors.ts";
import { modelEvent } from "./model-events.ts";

// What a running agent reports to every face. One prompt gives: agent-start, then turns (each a model answer and its tool calls),
// then agent-end. Nothing follows agent-end.

/** Why the agent stopped. It is Ralph that decides, so each reason is a value and never prose. */
export const agentOutcome = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("done") }),
  z.strictObject({ type: z.literal("failed"), error: modelError }),
  z.strictObject({ type: z.literal("refused") }),
  /** The answer was longer than the model may write. */
  z.strictObject({ type: z.literal("truncated") }),
  z.strictObject({
    type: z.literal("limit-reached"),
    limit: z.enum(["turns", "tokens", "cost", "minutes"]),
    allowed: z.number(),
  }),
  z.strictObject({ type: z.literal("interrupted") }),
  /** The session could not be written: what is not kept must not go on. */
  z.strictObject({ type: z.literal("not-stored"), message: z.string() }),
  /** The model does the same thing over and over: `what` names it. */
  z.strictObject({ type: z.literal("repeating"), what: z.string(), times: z.number() }),
]);

/** Totals since the prompt. `cost` is in US dollars and absent where no price is known. */
export const agentTotals = z.strictObject({ turns: z.number(), usage, cost: z.number().optional() });

const tokensChange = { tokensBefore: z.number(), tokensAfter: z.number() };

/** What became of a compaction. Only `summarised`, `pruned` and `trimmed` changed what the model sees. */
export const compactionResult = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("promoted"), model: z.string() }),
  /** `way` is there where the provider shortened the conversation itself, and no summary can be read. */
  z.strictObject({
    type: z.literal("summarised"),
    messages: z.number(),
    ...tokensChange,
    cost: z.number().optional(),
    way: z.literal("server").optional(),
  }),
  /** Large tool results were shortened. `problem` says why there is no summary, where one was wanted. */
  z.strictObject({
    type: z.literal("pruned"),
    results: z.number(),
    ...tokensChange,
    problem: z.string().optional(),
  }),
  /** Old messages were left out without a summary, because the conversation did not fit any more. */
  z.strictObject({ type: z.literal("trimmed"), messages: z.number(), ...tokensChange, problem: z.string() }),
  z.strictObject({ type: z.literal("failed"), problem: z.string() }),
  z.strictObject({ type: z.literal("interrupted") }),
]);

export const agentEvent = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("agent-start"),
    version: z.literal(1),
    sessionId: z.string().optional(),
    model: z.string(),
    effort: z.string(),
  }),
  z.strictObject({ type: z.literal("turn-start"), turn: z.number() }),
  z.strictObject({ type: z.literal("message-start"), role: z.enum(["user", "assistant", "tool-result"]) }),
  z.strictObject({ type: z.literal("message-update"), event: modelEvent }),
  z.strictObject({ type: z.literal("message-end"), message }),
  z.strictObject({ type: z.literal("tool-start"), call: toolCallPart }),
  z.strictObject({ type: z.literal("tool-update"), toolCallId: z.string(), text: z.string() }),
  z.strictObject({
    type: z.literal("tool-end"),
    toolCallId: z.string(),
    result: toolResultMessage,
    durationMs: z.number(),
  }),
  z.strictObject({ type: z.literal("ask-start"), ask }),
  z.strictObject({ type: z.literal("ask-end"), askId: z.string(), decision }),
  /** What was decided about something a tool wants to do, by a rule, a category or a person. */
  z.strictObject({ type: z.literal("decided"), tool: z.string(), summary: z.string(), decision }),
  /** The model wants to know something; `answer_question` answers. An empty list of options wants a free answer. */
  z.strictObject({
    type: z.literal("question-start"),
    questionId: z.string(),
    question: z.string(),
    options: z.array(z.string()),
    multi: z.boolean(),
    /** Ralph asks, not the model: whether the model may leave a mode that keeps it from acting. */
    about: z.literal("leave-mode").optional(),
  }),
  /** `answers` is absent when nobody answered. */
  z.strictObject({
    type: z.literal("question-end"),
    questionId: z.string(),
    answers: z.array(z.string()).optional(),
  }),
  /** A choice changed, or what waits in the queue did: the whole state as `get_state` gives it. */
  z.strictObject({ type: z.literal("state-changed"), state: agentState }),
  /**
   * What the model sees is about to be shortened; `reason` is for a person and has the numbers. `way`: where shorter tool results
   * are not enough, the provider is asked to do it.
   */
  z.strictObject({
    type: z.literal("compaction-start"),
    trigger: z.enum(["automatic", "overflow", "person"]),
    reason: z.string(),
    tokens: z.number(),
    way: z.literal("server").optional(),
  }),
  z.strictObject({ type: z.literal("compaction-end"), result: compactionResult }),
  /**
   * The model broke rules and is told so: in `message`, or in front of the result of `toolCallId`. With `stopped` its answer was
   * stopped for them; `usage` and `cost` are what that answer used, where nothing of it was kept.
   */
  z.strictObject({
    type: z.literal("rules-triggered"),
    rules: z.array(z.strictObject({ name: z.string(), path: z.string() })),
    stopped: z.boolean(),
    message: userMessage.optional(),
    toolCallId: z.string().optional(),
    usage: usage.optional(),
    cost: z.number().optional(),
  }),
  z.strictObject({ type: z.literal("turn-end"), turn: z.number(), message: assistantMessage.optional() }),
  z.strictObject({ type: z.literal("notice"), level: z.enum(["info", "warning", "error"]), text: z.string() }),
  z.strictObject({ type: z.literal("agent-end"), outcome: agentOutcome, totals: agentTotals }),
]);

export type AgentOutcome = z.infer<typeof agentOutcome>;
export type AgentTotals = z.infer<typeof agentTotals>;
export type CompactionResult = z.infer<typeof compactionResult>;
export type AgentEvent = z.infer<typeof agentEvent>;
