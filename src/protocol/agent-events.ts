import * as z from "zod";
import { ask, decision } from "./asks.ts";
import { assistantMessage, message, toolCallPart, toolResultMessage, usage } from "./messages.ts";
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
  /** The model does the same thing over and over: `what` names it. */
  z.strictObject({ type: z.literal("repeating"), what: z.string(), times: z.number() }),
]);

/** Totals since the prompt. `cost` is in US dollars and absent where no price is known. */
export const agentTotals = z.strictObject({ turns: z.number(), usage, cost: z.number().optional() });

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
  z.strictObject({ type: z.literal("turn-end"), turn: z.number(), message: assistantMessage.optional() }),
  z.strictObject({ type: z.literal("notice"), level: z.enum(["info", "warning", "error"]), text: z.string() }),
  z.strictObject({ type: z.literal("agent-end"), outcome: agentOutcome, totals: agentTotals }),
]);

export type AgentOutcome = z.infer<typeof agentOutcome>;
export type AgentTotals = z.infer<typeof agentTotals>;
export type AgentEvent = z.infer<typeof agentEvent>;
