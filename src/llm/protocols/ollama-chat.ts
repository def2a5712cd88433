import type { Effort } from "../../protocol/effort.ts";
import type { Json, JsonObject } from "../../protocol/json.ts";
import type { AssistantMessage, ImagePart, Message, TextPart, ToolResultMessage } from "../../protocol/messages.ts";
import type { ModelRequest } from "../../protocol/model-request.ts";
import type { Model } from "../../protocol/models.ts";
import { mergeExtraBody } from "../extra-body.ts";
import { clampEffort } from "../thinking.ts";
import type { WireProtocol, WireRequest } from "../wire-protocol.ts";
import { type OllamaState, readBody, start, step } from "./ollama-chat/stream.ts";

/** Ollama's own chat format. */
export const ollamaChat: WireProtocol<OllamaState> = { framing: "json-lines", buildRequest, start, step, readBody };

function buildRequest(request: ModelRequest, model: Model): WireRequest {
  const body: JsonObject = {
    model: model.wireModelId ?? model.id,
    stream: request.stream,
    ...(request.maxOutputTokens === undefined ? {} : { options: { num_predict: request.maxOutputTokens } }),
    ...(model.reasoning ? { think: think(clampEffort(model, request.effort), model) } : {}),
    ...toolFields(request, model),
    // Last, so that the bytes of a request are a prefix of the next one's for as long as the conversation only grows.
    messages: ollamaMessages(request),
  };
  return { path: "/api/chat", headers: {}, body: mergeExtraBody(body, model.compat?.extraBody) };
}

/** Most models only think or do not; some take a level. */
function think(effort: Effort, model: Model): Json {
  const word = model.compat?.reasoningEffortMap?.[effort];
  if (word !== undefined) return word;
  if (effort === "off") return false;
  const takesLevels = model.id.includes("gpt-oss") || model.thinking?.mode === "effort";
  return takesLevels ? LEVELS[effort] : true;
}

const LEVELS: Record<Exclude<Effort, "off">, string> = {
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "high",
  max: "high",
};

// Tools. Ollama knows no tool choice: a forbidden tool is one that is not sent.

function toolFields(request: ModelRequest, model: Model): JsonObject {
  if (!model.tools || request.tools.length === 0 || request.toolChoice === "none") return {};
  const tools = request.tools.map(({ name, description, parameters }): JsonObject => {
    return { type: "function", function: { name, description, parameters: parameters as JsonObject } };
  });
  return { tools };
}

// The conversation, and behind it what changes with every request.

function ollamaMessages({ system, messages }: ModelRequest): JsonObject[] {
  return [
    ...(system.base === "" ? [] : [{ role: "system", content: system.base }]),
    ...messages.flatMap(ollamaMessage),
    ...(system.dynamic ? [{ role: "system", content: system.dynamic }] : []),
  ];
}

function ollamaMessage(message: Message): JsonObject[] {
  switch (message.role) {
    case "user":
      return message.content.length === 0 ? [] : [{ role: "user", ...contentFields(message.content) }];
    case "assistant":
      return assistantMessages(message);
    case "tool-result":
      return [toolMessage(message)];
  }
}

function assistantMessages({ content }: AssistantMessage): JsonObject[] {
  const thinking = textOf(content, "thinking");
  const text = textOf(content, "text");
  const calls = content.flatMap((part): JsonObject[] =>
    part.type === "tool-call"
      ? [{ id: part.id, function: { name: part.name, arguments: part.input as JsonObject } }]
      : [],
  );
  if (thinking === "" && text === "" && calls.length === 0) return [];
  return [
    {
      role: "assistant",
      content: text,
      ...(thinking === "" ? {} : { thinking }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
  ];
}

function toolMessage({ content, toolName, toolCallId }: ToolResultMessage): JsonObject {
  return { role: "tool", ...contentFields(content), tool_name: toolName, tool_call_id: toolCallId };
}

function contentFields(parts: (TextPart | ImagePart)[]): JsonObject {
  const isDocument = (part: ImagePart) => part.mediaType === "application/pdf";
  const documents = parts.filter((part) => part.type === "image" && isDocument(part));
  const images = parts.flatMap((part) => (part.type === "image" && !isDocument(part) ? [part.data] : []));
  const notes = documents.map(() => "[a PDF document is left out: Ollama does not take it]");
  const content = [textOf(parts, "text"), ...notes].filter((text) => text !== "").join("\n");
  return { content, ...(images.length === 0 ? {} : { images }) };
}

function textOf(parts: { type: string; text?: string }[], type: "text" | "thinking"): string {
  return parts.flatMap((part) => (part.type === type && part.text ? [part.text] : [])).join("\n");
}
