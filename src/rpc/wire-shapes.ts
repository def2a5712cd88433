import * as z from "zod";
import { EFFORTS } from "../protocol/effort.ts";

// Messages, and what else several frames share, in the form the wire has them.

const text = z.string();

export const thinkingLevel = z.enum(EFFORTS).meta({ id: "ThinkingLevel" });

export const wireText = z.strictObject({ type: z.literal("text"), text });
export const wireImage = z.strictObject({ type: z.literal("image"), data: text, mimeType: text }).meta({ id: "Image" });
const wireThinking = z.strictObject({ type: z.literal("thinking"), thinking: text });
export const wireToolCall = z.strictObject({
  type: z.literal("toolCall"),
  id: text,
  name: text,
  arguments: z.record(z.string(), z.unknown()),
});
export const wireContent = z.discriminatedUnion("type", [wireText, wireImage]).meta({ id: "Content" });

export const wireUsage = z.strictObject({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  totalTokens: z.number(),
});
const wireStopReason = z.enum(["stop", "length", "toolUse", "error", "aborted"]);

const wireUserMessage = z
  .strictObject({ role: z.literal("user"), content: z.array(wireContent) })
  .meta({ id: "UserMessage" });

export const wireAssistantMessage = z
  .strictObject({
    role: z.literal("assistant"),
    content: z.array(z.discriminatedUnion("type", [wireText, wireThinking, wireToolCall])),
    api: text,
    provider: text,
    model: text,
    usage: wireUsage,
    stopReason: wireStopReason,
    /** Why it is an error, for a person. */
    errorMessage: text.optional(),
  })
  .meta({ id: "AssistantMessage" });

export const wireToolResultMessage = z
  .strictObject({
    role: z.literal("toolResult"),
    toolCallId: text,
    toolName: text,
    content: z.array(wireContent),
    isError: z.boolean(),
  })
  .meta({ id: "ToolResultMessage" });

export const wireMessage = z
  .discriminatedUnion("role", [wireUserMessage, wireAssistantMessage, wireToolResultMessage])
  .meta({ id: "Message" });

export type WireText = z.infer<typeof wireText>;
export type WireImage = z.infer<typeof wireImage>;
export type WireToolCall = z.infer<typeof wireToolCall>;
export type WireUsage = z.infer<typeof wireUsage>;
export type WireStopReason = z.infer<typeof wireStopReason>;
export type WireAssistantMessage = z.infer<typeof wireAssistantMessage>;
export type WireAssistantPart = WireAssistantMessage["content"][number];
export type WireToolResultMessage = z.infer<typeof wireToolResultMessage>;
export type WireMessage = z.infer<typeof wireMessage>;
