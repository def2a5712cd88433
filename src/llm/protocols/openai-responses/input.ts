import { asArray, type JsonObject, parseJson } from "../../../protocol/json.ts";
import type {
  AssistantMessage,
  AssistantPart,
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
import { detectEndpoint } from "../../compat-endpoints.ts";
import { wireToolCallId } from "../../tool-call-id.ts";
import { callForms, type ForeignCalls, type ToldCall } from "./call-forms.ts";

interface Telling {
  calls: Map<string, ToldCall>;
  /** A server without a key; it keeps no reasoning for us and takes only text as the output of a call. */
  isLocal: boolean;
}

/** The conversation as input items. What changes from request to request stands last, behind everything cacheable. */
export function inputItems(request: ModelRequest, model: Model, foreignCalls: ForeignCalls): JsonObject[] {
  const telling = { calls: callForms(request.messages, model, foreignCalls), isLocal: model.auth === "none" };
  const items: JsonObject[] = [];
  let images: ImagePart[] = [];
  for (const message of request.messages) {
    if (message.role !== "tool-result") {
      items.push(...imageMessage(images));
      images = [];
    }
    items.push(...itemsOf(message, telling));
    if (message.role === "tool-result" && telling.isLocal) images.push(...message.content.filter(isImage));
  }
  items.push(...imageMessage(images));
  return request.system.dynamic ? withDynamic(items, request.system.dynamic, model) : items;
}

/** Pictures from tools, told behind the results of a turn where a result itself cannot hold them. */
function imageMessage(images: ImagePart[]): JsonObject[] {
  if (images.length === 0) return [];
  return [userItem([{ type: "text", text: "[images from the tool results above]" }, ...images])];
}

function itemsOf(message: Message, telling: Telling): JsonObject[] {
  if (message.role === "user") return [...compactedItems(message), userItem(message.content)];
  if (message.role === "tool-result") return [resultItem(message, telling)];
  return assistantItems(message, telling);
}

/** As they came, in their order; the API wants all of them back. */
function compactedItems({ compacted }: UserMessage): JsonObject[] {
  return compacted === undefined ? [] : (asArray(parseJson(compacted.items)) as JsonObject[]);
}

function userItem(content: (TextPart | ImagePart)[]): JsonObject {
  return { type: "message", role: "user", content: content.map(inputContent) };
}

function inputContent(part: TextPart | ImagePart): JsonObject {
  if (part.type === "text") return { type: "input_text", text: part.text };
  const url = `data:${part.mediaType};base64,${part.data}`;
  if (part.mediaType === "application/pdf") return { type: "input_file", filename: "document.pdf", file_data: url };
  return { type: "input_image", detail: "auto", image_url: url };
}

function resultItem(result: ToolResultMessage, { calls, isLocal }: Telling): JsonObject {
  const told = calls.get(result.toolCallId);
  if (told?.form !== "items") return foreignResultItem(result, told?.call);
  return {
    type: "function_call_output",
    call_id: wireToolCallId(result.toolCallId),
    output: !isLocal && result.content.some(isImage) ? result.content.map(inputContent) : textOf(result.content),
  };
}

/** Told as the user's words: a call written as assistant text teaches the model to write calls as text. */
function foreignResultItem(result: ToolResultMessage, call: ToolCallPart | undefined): JsonObject {
  const input = call === undefined ? "" : ` with ${JSON.stringify(call.input)}`;
  const outcome = result.isError ? "failed" : "returned";
  const note: TextPart = { type: "text", text: `[The tool ${result.toolName} was called${input} and ${outcome}:]` };
  return userItem([note, ...result.content]);
}

function assistantItems(message: AssistantMessage, telling: Telling): JsonObject[] {
  const items: JsonObject[] = [];
  message.content.forEach((part, index) => {
    if (part.type === "text") addText(items, part);
    if (part.type === "tool-call" && telling.calls.get(part.id)?.form === "items") items.push(callItem(part));
    if (part.type !== "thinking") return;
    if (isReturnable(part, telling) && message.content.slice(index).some((later) => isItem(later, telling)))
      items.push(reasoningItem(part));
  });
  return items;
}

/** Nothing is stored for us, so hosted reasoning without its encrypted form would be a reference to nothing. */
function isReturnable(part: ThinkingPart, { isLocal }: Telling): boolean {
  return part.encrypted !== undefined || (isLocal && part.text !== "");
}

/** Reasoning is refused unless an item that came from it follows. */
function isItem(part: AssistantPart, { calls }: Telling): boolean {
  if (part.type === "text") return part.text !== "";
  return part.type === "tool-call" && calls.get(part.id)?.form === "items";
}

function reasoningItem({ id, text, encrypted }: ThinkingPart): JsonObject {
  return {
    type: "reasoning",
    ...(id === undefined ? {} : { id }),
    summary: text === "" ? [] : [{ type: "summary_text", text }],
    ...(encrypted === undefined ? {} : { encrypted_content: encrypted }),
  };
}

/** `signature` is the phase (commentary or final answer) newer models give their messages and do worse without. */
function addText(items: JsonObject[], { text, signature }: TextPart): void {
  if (text === "") return;
  items.push({
    type: "message",
    role: "assistant",
    content: [{ type: "output_text", text, annotations: [] }],
    ...(signature === undefined ? {} : { phase: signature }),
  });
}

function callItem({ id, name, input }: ToolCallPart): JsonObject {
  return { type: "function_call", call_id: wireToolCallId(id), name, arguments: JSON.stringify(input) };
}

function withDynamic(items: JsonObject[], text: string, model: Model): JsonObject[] {
  const role = dynamicRole(model);
  if (role !== "user") return [...items, { type: "message", role, content: [{ type: "input_text", text }] }];
  const last = items.at(-1);
  const part = { type: "input_text", text: `<context>\n${text}\n</context>` };
  if (last?.role !== "user" || !Array.isArray(last.content))
    return [...items, { type: "message", role, content: [part] }];
  return [...items.slice(0, -1), { ...last, content: [...last.content, part] }];
}

/** Chat templates of local models often refuse a system message behind the conversation, so there it is the user's. */
function dynamicRole(model: Model): "developer" | "system" | "user" {
  const said = { ...detectEndpoint(model), ...model.compat };
  const isHosted = model.auth !== "none";
  if (said.supportsDeveloperRole ?? isHosted) return "developer";
  return (said.supportsMultipleSystemMessages ?? isHosted) ? "system" : "user";
}

function textOf(content: (TextPart | ImagePart)[]): string {
  return content.map((part) => (part.type === "text" ? part.text : "[image]")).join("\n");
}

function isImage(part: { type: string }): part is ImagePart {
  return part.type === "image";
}
