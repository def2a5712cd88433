import type {
  AssistantMessage,
  ImagePart,
  Message,
  StopReason,
  TextPart,
  ToolCallPart,
  ToolResultMessage,
  Usage,
  UserMessage,
} from "../protocol/messages.ts";
import { isBase64 } from "./base64.ts";
import type {
  WireAssistantMessage,
  WireAssistantPart,
  WireImage,
  WireMessage,
  WireStopReason,
  WireText,
  WireToolCall,
  WireToolResultMessage,
  WireUsage,
} from "./wire-shapes.ts";

// Messages in the form the wire has them. What only a provider can read (signatures, hidden reasoning) stays here.

export function wireMessage(message: Message): WireMessage {
  if (message.role === "assistant") return wireAssistant(message);
  return message.role === "user"
    ? { role: "user", content: message.content.map(wireContent) }
    : wireToolResult(message);
}

export function wireAssistant(message: AssistantMessage): WireAssistantMessage {
  const { api, provider, model, stopReason } = message;
  return {
    role: "assistant",
    content: message.content.map(wirePart),
    api,
    provider,
    model,
    usage: wireUsage(message.usage),
    stopReason: STOP_REASONS[stopReason],
    ...(stopReason === "refusal" ? { errorMessage: "The model refused to answer." } : {}),
  };
}

export function wireToolResult({ toolCallId, toolName, content, isError }: ToolResultMessage): WireToolResultMessage {
  return { role: "toolResult", toolCallId, toolName, content: content.map(wireContent), isError };
}

export function wireToolCall({ id, name, input }: Pick<ToolCallPart, "id" | "name" | "input">): WireToolCall {
  return { type: "toolCall", id, name, arguments: input };
}

const NO_USAGE: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

export function wireUsage({ input, output, cacheRead, cacheWrite }: Usage = NO_USAGE): WireUsage {
  return { input, output, cacheRead, cacheWrite, totalTokens: input + output + cacheRead + cacheWrite };
}

/** An answer that broke off is one that was stopped, unless somebody knows better. */
const STOP_REASONS: Record<StopReason, WireStopReason> = {
  stop: "stop",
  pause: "stop",
  "tool-use": "toolUse",
  length: "length",
  refusal: "error",
  cut: "aborted",
};

function wirePart(part: AssistantMessage["content"][number]): WireAssistantPart {
  if (part.type === "tool-call") return wireToolCall(part);
  return part.type === "text" ? { type: "text", text: part.text } : { type: "thinking", thinking: part.text };
}

function wireContent(part: TextPart | ImagePart): WireText | WireImage {
  return part.type === "text"
    ? { type: "text", text: part.text }
    : { type: "image", data: part.data, mimeType: part.mediaType };
}

export type ReadPrompt = { ok: true; message: UserMessage } | { ok: false; message: string };

/** What a host says to the agent. */
export function readPrompt({
  message,
  images = [],
}: {
  message: string;
  images?: readonly WireImage[] | undefined;
}): ReadPrompt {
  if (message.trim() === "" && images.length === 0) return { ok: false, message: "The message is empty." };
  const content = readContent([...(message === "" ? [] : [{ type: "text" as const, text: message }]), ...images]);
  return content.ok ? { ok: true, message: { role: "user", content: content.parts } } : content;
}

export type ReadContent = { ok: true; parts: (TextPart | ImagePart)[] } | { ok: false; message: string };

/** Words and pictures as a host sends them. */
export function readContent(parts: readonly (WireText | WireImage)[]): ReadContent {
  const read: (TextPart | ImagePart)[] = [];
  for (const part of parts) {
    const problem = part.type === "image" ? pictureProblem(part) : undefined;
    if (problem !== undefined) return { ok: false, message: problem };
    read.push(part.type === "text" ? { type: "text", text: part.text } : pictureOf(part));
  }
  return { ok: true, parts: read };
}

const MEDIA_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf"];

function pictureProblem({ data, mimeType }: WireImage): string | undefined {
  if (!MEDIA_TYPES.includes(mimeType.toLowerCase()))
    return `An image of type ${JSON.stringify(mimeType.slice(0, 80))} cannot be sent. Types are ${MEDIA_TYPES.join(", ")}.`;
  return isBase64(data) ? undefined : "The data of an image is not base64.";
}

function pictureOf({ data, mimeType }: WireImage): ImagePart {
  return { type: "image", mediaType: mimeType.toLowerCase(), data };
}
