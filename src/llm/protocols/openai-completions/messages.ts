import { asObject, type Json, type JsonObject, parseJson } from "../../../protocol/json.ts";
import type {
  AssistantMessage,
  ImagePart,
  Message,
  TextPart,
  ThinkingPart,
  ToolCallPart,
  ToolResultMessage,
  UserMessage,
} from "../../../protocol/messages.ts";
import type { ModelRequest } from "../../../protocol/model-request.ts";
import type { Model } from "../../../protocol/models.ts";
import type { ResolvedCompat } from "../../compat.ts";
import { NINE_CHARACTERS, SHORT, wireToolCallIds } from "./call-ids.ts";

// The conversation as the messages of a chat completion. What one request says stays as it is in the next: whatever changes
// from request to request stands behind it.

interface Context {
  compat: ResolvedCompat;
  /** Marks text as the end of a prefix worth caching; undefined where markers are not used. */
  cacheControl?: JsonObject;
  toolCallId: (id: string) => string;
}

export function chatMessages(request: ModelRequest, model: Model, compat: ResolvedCompat): JsonObject[] {
  const role = model.reasoning && compat.supportsDeveloperRole ? "developer" : "system";
  const cacheControl = cacheControlFor(request, model, compat);
  const rule = compat.requiresMistralToolIds ? NINE_CHARACTERS : SHORT;
  const context: Context = { compat, cacheControl, toolCallId: wireToolCallIds(request.messages, rule) };
  const conversation = request.messages.flatMap((message, index) => [
    ...chatMessage(message, context),
    ...imagesOfResults(request.messages, index, context),
  ]);
  markLastUserText(conversation, cacheControl);
  const base = request.system.base === "" ? [] : [{ role, content: markedText(request.system.base, cacheControl) }];
  const all = withDynamicPart([...base, ...conversation], role, { request, compat });
  return compat.requiresAssistantAfterToolResult ? withBridges(all) : all;
}

function cacheControlFor(request: ModelRequest, model: Model, compat: ResolvedCompat): JsonObject | undefined {
  const retention = request.cacheRetention ?? model.cacheRetention ?? "short";
  if (!compat.takesCacheMarkers || retention === "none") return undefined;
  return retention === "long" ? { type: "ephemeral", ttl: "1h" } : { type: "ephemeral" };
}

function markedText(text: string, cacheControl: JsonObject | undefined): Json {
  return cacheControl === undefined ? text : [{ type: "text", text, cache_control: cacheControl }];
}

function chatMessage(message: Message, context: Context): JsonObject[] {
  switch (message.role) {
    case "user":
      return userMessages(message, context);
    case "assistant":
      return assistantMessages(message, context);
    case "tool-result":
      return [toolMessage(message, context)];
  }
}

// The user.

function userMessages(message: UserMessage, context: Context): JsonObject[] {
  if (message.content.length === 0) return [];
  const isPlain = message.content.every((part) => part.type === "text") && context.cacheControl === undefined;
  const content = isPlain ? textOf(message.content) : message.content.map((part) => contentPart(part, context.compat));
  return [{ role: "user", content }];
}

function contentPart(part: TextPart | ImagePart, compat: ResolvedCompat): JsonObject {
  if (part.type === "text") return { type: "text", text: part.text };
  const url = `data:${part.mediaType};base64,${part.data}`;
  if (part.mediaType !== "application/pdf") return { type: "image_url", image_url: { url } };
  if (!compat.takesPdf) return { type: "text", text: "[a PDF document is left out: this endpoint does not take it]" };
  return { type: "file", file: { filename: "document.pdf", file_data: url } };
}

function textOf(parts: { type: string; text?: string }[]): string {
  return parts.flatMap((part) => (part.type === "text" && part.text ? [part.text] : [])).join("\n");
}

function markLastUserText(conversation: JsonObject[], cacheControl: JsonObject | undefined): void {
  if (cacheControl === undefined) return;
  const parts = conversation.findLast((message) => message.role === "user")?.content;
  const text = Array.isArray(parts) ? parts.map(asObject).findLast((part) => part?.type === "text") : undefined;
  if (text !== undefined) text.cache_control = cacheControl;
}

// The model.

function assistantMessages(message: AssistantMessage, { compat, toolCallId }: Context): JsonObject[] {
  const thoughts = message.content.filter((part) => part.type === "thinking");
  const calls = message.content.filter((part) => part.type === "tool-call");
  const thought = textOfThoughts(thoughts);
  const asText = compat.requiresThinkingAsText && thought !== "" ? [`<thinking>\n${thought}\n</thinking>`] : [];
  const text = [...asText, textOf(message.content)].filter((piece) => piece !== "").join("\n");
  const reasoning = compat.requiresThinkingAsText ? {} : reasoningFields(thoughts, calls, compat);
  if (text === "" && calls.length === 0 && Object.keys(reasoning).length === 0) return [];
  const filler = compat.requiresAssistantContentForToolCalls ? namesOf(calls) : null;
  const content = text !== "" ? text : calls.length > 0 ? filler : "";
  const toolCalls = calls.map((call) => toolCall(call, toolCallId));
  return [{ role: "assistant", content, ...reasoning, ...(calls.length > 0 ? { tool_calls: toolCalls } : {}) }];
}

function textOfThoughts(thoughts: ThinkingPart[]): string {
  return thoughts
    .map((part) => part.text)
    .filter((text) => text !== "")
    .join("\n");
}

function reasoningFields(thoughts: ThinkingPart[], calls: ToolCallPart[], compat: ResolvedCompat): JsonObject {
  const field = compat.reasoningContentField;
  if (field === undefined) return {};
  const details = thoughts.flatMap(encryptedDetails);
  if (details.length > 0) return { reasoning_details: details };
  const thought = textOfThoughts(thoughts);
  if (thought !== "") return { [field]: thought };
  if (!compat.requiresReasoningContentForToolCalls || calls.length === 0) return {};
  return { [field]: compat.allowsSyntheticReasoningContentForToolCalls ? namesOf(calls) : "" };
}

/** A gateway's own list of reasoning blocks, kept as it came because only the model behind it can read the hidden ones. */
function encryptedDetails(part: ThinkingPart): Json[] {
  const details = part.encrypted === undefined ? undefined : parseJson(part.encrypted);
  return Array.isArray(details) ? details : [];
}

function namesOf(calls: ToolCallPart[]): string {
  return `Calling ${calls.map((call) => call.name).join(", ")}.`;
}

function toolCall(call: ToolCallPart, toolCallId: (id: string) => string): JsonObject {
  const json: JsonObject = {
    id: toolCallId(call.id),
    type: "function",
    function: { name: call.name, arguments: JSON.stringify(call.input) },
  };
  if (call.signature !== undefined) json.extra_content = { google: { thought_signature: call.signature } };
  return json;
}

// The tools.

function toolMessage(message: ToolResultMessage, { compat, toolCallId }: Context): JsonObject {
  const hasImages = message.content.some((part) => part.type === "image");
  return {
    role: "tool",
    tool_call_id: toolCallId(message.toolCallId),
    ...(compat.requiresToolResultName ? { name: message.toolName } : {}),
    content: textOf(message.content) || (hasImages ? "The result is the attached image." : "(no output)"),
  };
}

/** A tool message holds text only, and the results of one turn must follow each other: their images come behind the last one. */
function imagesOfResults(messages: Message[], index: number, context: Context): JsonObject[] {
  if (messages[index]?.role !== "tool-result" || messages[index + 1]?.role === "tool-result") return [];
  const first = messages.findLastIndex((message, at) => at <= index && message.role !== "tool-result") + 1;
  const results = messages.slice(first, index + 1) as ToolResultMessage[];
  const images = results.flatMap((result) =>
    result.content.flatMap((part) => (part.type === "image" ? [contentPart(part, context.compat)] : [])),
  );
  return images.length === 0 ? [] : [{ role: "user", content: [{ type: "text", text: IMAGES_FOLLOW }, ...images] }];
}

const IMAGES_FOLLOW = "Images from the tool results above:";

/** For servers that want the model to speak between a tool result and the user. */
function withBridges(messages: JsonObject[]): JsonObject[] {
  return messages.flatMap((message, index) => {
    const isTurn = message.role === "user" && messages[index - 1]?.role === "tool";
    return isTurn ? [{ role: "assistant", content: "I have the results." }, message] : [message];
  });
}

// What changes with every request.

/** Behind the conversation: a system message of its own, or the last text the user says. */
function withDynamicPart(messages: JsonObject[], role: string, { request, compat }: Tail): JsonObject[] {
  const { dynamic } = request.system;
  if (dynamic === undefined || dynamic === "") return messages;
  if (compat.supportsMultipleSystemMessages) return [...messages, { role, content: dynamic }];
  const last = messages.at(-1);
  if (last?.role !== "user") return [...messages, { role: "user", content: dynamic }];
  const content = Array.isArray(last.content)
    ? [...last.content, { type: "text", text: dynamic }]
    : `${last.content}\n\n${dynamic}`;
  return [...messages.slice(0, -1), { ...last, content }];
}

interface Tail {
  request: ModelRequest;
  compat: ResolvedCompat;
}
