import * as z from "zod";
import { agentOutcome, agentTotals, compactionResult } from "../protocol/agent-events.ts";
import {
  thinkingLevel,
  wireAssistantMessage,
  wireContent,
  wireMessage,
  wireText,
  wireToolCall,
  wireToolResultMessage,
} from "./wire-shapes.ts";

// What happens in a session, as `event` frames carry it.

const text = z.string();
const at = { contentIndex: z.number() };
const outcome = agentOutcome.meta({ id: "Outcome" });
const compaction = compactionResult.meta({ id: "Compaction" });

/** How an answer grows, part by part. */
export const answerEvent = z
  .discriminatedUnion("type", [
    z.strictObject({ type: z.literal("text_start"), ...at }),
    z.strictObject({ type: z.literal("text_delta"), ...at, delta: text }),
    z.strictObject({ type: z.literal("text_end"), ...at, content: text }),
    z.strictObject({ type: z.literal("thinking_start"), ...at }),
    z.strictObject({ type: z.literal("thinking_delta"), ...at, delta: text }),
    z.strictObject({ type: z.literal("thinking_end"), ...at, content: text }),
    z.strictObject({ type: z.literal("toolcall_start"), ...at, id: text, name: text }),
    z.strictObject({ type: z.literal("toolcall_delta"), ...at, delta: text }),
    z.strictObject({ type: z.literal("toolcall_end"), ...at, toolCall: wireToolCall }),
  ])
  .meta({ id: "AnswerEvent" });

/**
 * The message of an answer that grows. It stays empty: with the answer as far as it has come in every piece, the bytes sent for an
 * answer would grow with the square of its length. The pieces add up to what `message_end` has.
 */
const growing = z.strictObject({ role: z.literal("assistant"), content: z.tuple([]) });
const ofCall = { toolCallId: text, toolName: text };
const args = z.record(z.string(), z.unknown());

export const SESSION_EVENTS = {
  agent_start: {
    description: "Work on a prompt begins.",
    shape: z.strictObject({ type: z.literal("agent_start") }),
  },
  agent_end: {
    description:
      "The work has ended; `outcome` says why. `messages` are those since the prompt; `omitted` counts older ones that were left out because all together were too long.",
    shape: z.strictObject({
      type: z.literal("agent_end"),
      messages: z.array(wireMessage),
      omitted: z.number().optional(),
      outcome,
      totals: agentTotals,
    }),
  },
  turn_start: {
    description: "The model is about to be asked.",
    shape: z.strictObject({ type: z.literal("turn_start") }),
  },
  turn_end: {
    description: "The model has answered and its tool calls have ended.",
    shape: z.strictObject({
      type: z.literal("turn_end"),
      message: wireAssistantMessage.optional(),
      toolResults: z.array(wireToolResultMessage),
    }),
  },
  message_start: {
    description: "A message begins. An answer of the model is empty here.",
    shape: z.strictObject({ type: z.literal("message_start"), message: z.union([growing, wireMessage]) }),
  },
  message_update: {
    description: "A piece of the answer. Its `message` is always empty; the pieces add up.",
    shape: z.strictObject({
      type: z.literal("message_update"),
      message: growing,
      assistantMessageEvent: answerEvent,
    }),
  },
  message_end: {
    description: "The message is complete, or has failed: see its `stopReason`.",
    shape: z.strictObject({ type: z.literal("message_end"), message: wireMessage }),
  },
  tool_execution_start: {
    description: "A tool call begins, or is about to be refused.",
    shape: z.strictObject({ type: z.literal("tool_execution_start"), ...ofCall, args }),
  },
  tool_execution_update: {
    description: "Output as it comes: what is new since the last update.",
    shape: z.strictObject({
      type: z.literal("tool_execution_update"),
      ...ofCall,
      args,
      partialResult: z.strictObject({ content: z.array(wireText) }),
    }),
  },
  tool_execution_end: {
    description: "The tool call has ended; its `toolResult` message follows.",
    shape: z.strictObject({
      type: z.literal("tool_execution_end"),
      ...ofCall,
      result: z.strictObject({ content: z.array(wireContent) }),
      isError: z.boolean(),
      durationMs: z.number(),
    }),
  },
  auto_compaction_start: {
    description: "What the model sees is about to be shortened; `message` says why.",
    shape: z.strictObject({
      type: z.literal("auto_compaction_start"),
      reason: z.enum(["threshold", "overflow"]),
      message: text,
      tokens: z.number(),
    }),
  },
  auto_compaction_end: {
    description: "It was shortened, or not. `willRetry`: the request that did not fit is made again.",
    shape: z.strictObject({
      type: z.literal("auto_compaction_end"),
      result: compaction.optional(),
      aborted: z.boolean(),
      willRetry: z.boolean(),
      errorMessage: text.optional(),
    }),
  },
  auto_retry_start: {
    description: "A request failed for a passing reason and is made again after `delayMs`. What it had said is void.",
    shape: z.strictObject({
      type: z.literal("auto_retry_start"),
      attempt: z.number(),
      delayMs: z.number(),
      errorMessage: text,
    }),
  },
  auto_retry_end: {
    description: "The request succeeded at last, or failed for good.",
    shape: z.strictObject({
      type: z.literal("auto_retry_end"),
      success: z.boolean(),
      attempt: z.number(),
      finalError: text.optional(),
    }),
  },
  ttsr_triggered: {
    description:
      "The model broke rules and is told so. `interrupted`: its answer was stopped for them and is asked for again. `toolCallId`: it is told in front of that call's result.",
    shape: z.strictObject({
      type: z.literal("ttsr_triggered"),
      rules: z.array(z.strictObject({ name: text, path: text })),
      interrupted: z.boolean(),
      toolCallId: text.optional(),
    }),
  },
  thinking_level_changed: {
    description: "How hard the model thinks has changed.",
    shape: z.strictObject({ type: z.literal("thinking_level_changed"), thinkingLevel }),
  },
  notice: {
    description: "Something a person should know.",
    shape: z.strictObject({
      type: z.literal("notice"),
      level: z.enum(["info", "warning", "error"]),
      message: text,
    }),
  },
} as const satisfies Record<string, { description: string; shape: z.ZodType }>;

export type SessionEventName = keyof typeof SESSION_EVENTS;
export type SessionEvent = {
  [Name in SessionEventName]: z.infer<(typeof SESSION_EVENTS)[Name]["shape"]>;
}[SessionEventName];
export type AnswerEvent = z.infer<typeof answerEvent>;
