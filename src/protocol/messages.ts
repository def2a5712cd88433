import * as z from "zod";

// The conversation as Ralph keeps it. Every provider's form is made from this and read back into this.

/** `signature` is an opaque token of the provider that wrote the part and must be returned to it unchanged. */
export const textPart = z.strictObject({
  type: z.literal("text"),
  text: z.string(),
  signature: z.string().optional(),
});

export const imagePart = z.strictObject({
  type: z.literal("image"),
  /** IANA media type, for example image/png or application/pdf. */
  mediaType: z.string(),
  /** Base64 without line breaks. */
  data: z.string(),
});

/**
 * What the model thought. It is only ever sent back to the provider, API and model that wrote it.
 * `encrypted` holds reasoning the provider hides from us; then `text` may be empty.
 */
export const thinkingPart = z.strictObject({
  type: z.literal("thinking"),
  text: z.string(),
  id: z.string().optional(),
  signature: z.string().optional(),
  encrypted: z.string().optional(),
});

/** `invalidInput` is the raw argument text when it was not a JSON object; `input` is empty then. */
export const toolCallPart = z.strictObject({
  type: z.literal("tool-call"),
  id: z.string(),
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
  invalidInput: z.string().optional(),
  signature: z.string().optional(),
});

/** Token counts of one answer. `input` excludes what was read from or written to the provider's cache. */
export const usage = z.strictObject({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  /** The part of `cacheWrite` kept for an hour, which some providers bill higher. */
  cacheWriteLong: z.number().optional(),
  /** The part of `output` spent on thinking, where the provider says so. */
  reasoning: z.number().optional(),
});

/** Why a provider says that the model stopped; `pause` asks to be continued by sending the same conversation again. */
export const FINISH_REASONS = ["stop", "tool-use", "length", "refusal", "pause"] as const;

/**
 * `cut` is what had arrived of an answer that broke off or was stopped. Answers that end for `length`, `refusal` or `cut`
 * never carry tool calls.
 */
export const stopReason = z.enum([...FINISH_REASONS, "cut"]);

/**
 * What a provider made of the older part of a conversation. Only the model that made it can read it, so it is only ever sent
 * back to that provider, API and model. `items` is the text of a JSON array and never changes.
 */
export const compactedHistory = z.strictObject({
  provider: z.string(),
  api: z.string(),
  model: z.string(),
  items: z.string(),
});

export const userMessage = z.strictObject({
  role: z.literal("user"),
  content: z.array(z.discriminatedUnion("type", [textPart, imagePart])),
});

export const assistantMessage = z.strictObject({
  role: z.literal("assistant"),
  content: z.array(z.discriminatedUnion("type", [textPart, thinkingPart, toolCallPart])),
  provider: z.string(),
  api: z.string(),
  model: z.string(),
  /** The provider's own id of this answer. */
  responseId: z.string().optional(),
  stopReason,
  usage,
});

export const toolResultMessage = z.strictObject({
  role: z.literal("tool-result"),
  toolCallId: z.string(),
  toolName: z.string(),
  content: z.array(z.discriminatedUnion("type", [textPart, imagePart])),
  isError: z.boolean(),
});

export const message = z.discriminatedUnion("role", [userMessage, assistantMessage, toolResultMessage]);

export type TextPart = z.infer<typeof textPart>;
export type ImagePart = z.infer<typeof imagePart>;
export type ThinkingPart = z.infer<typeof thinkingPart>;
export type ToolCallPart = z.infer<typeof toolCallPart>;
export type AssistantPart = TextPart | ThinkingPart | ToolCallPart;
export type Usage = z.infer<typeof usage>;
export type FinishReason = (typeof FINISH_REASONS)[number];
export type StopReason = z.infer<typeof stopReason>;
export type CompactedHistory = z.infer<typeof compactedHistory>;
/** `compacted` stands before the content. It is put there when a session is folded, and never stored with a message. */
export type UserMessage = z.infer<typeof userMessage> & { compacted?: CompactedHistory };
export type AssistantMessage = z.infer<typeof assistantMessage>;
export type ToolResultMessage = z.infer<typeof toolResultMessage>;
export type Message = UserMessage | AssistantMessage | ToolResultMessage;
