import type { JsonObject } from "../../../protocol/json.ts";
import type {
  AssistantMessage,
  ImagePart,
  Message,
  TextPart,
  ThinkingPart,
  ToolCallPart,
  ToolResultMessage,
} from "../../../protocol/messages.ts";
import type { ModelRequest } from "../../../protocol/model-request.ts";
import type { Model } from "../../../protocol/models.ts";
import { isBlank } from "../../turns.ts";
import { isMadeCallId } from "./call-ids.ts";

interface Content {
  role: "user" | "model";
  parts: JsonObject[];
}

interface Telling {
  /** The calls whose ids came from this very model; it knows no others and some models refuse the field. */
  knownIds: ReadonlySet<string>;
  /** Gemini 3 and later: results hold their pictures, and a turn's first call must carry a signature. */
  isLevelled: boolean;
}

/** Accepted by Gemini 3 in place of the signature of a call that it did not write. */
const FOREIGN_SIGNATURE = "skip_thought_signature_validator";

/** The conversation as contents of alternating roles. What changes from request to request is the last part of the last one. */
export function contentsOf(request: ModelRequest, model: Model): JsonObject[] {
  const isLevelled = model.thinking?.mode === "google-level";
  const telling = { knownIds: knownIds(request.messages, model), isLevelled };
  const contents: Content[] = [];
  let images: JsonObject[] = [];
  for (const message of request.messages) {
    if (message.role !== "tool-result") {
      append(contents, "user", images);
      images = [];
    }
    append(contents, message.role === "assistant" ? "model" : "user", partsOf(message, telling));
    if (message.role === "tool-result" && !isLevelled) images.push(...imagesOf(message).map(inlineData));
  }
  append(contents, "user", images);
  const { dynamic } = request.system;
  if (dynamic) append(contents, "user", [{ text: `<context>\n${dynamic}\n</context>` }]);
  return contents.map(({ role, parts }) => ({ role, parts }));
}

function knownIds(messages: Message[], model: Model): Set<string> {
  const ids = new Set<string>();
  for (const message of messages) {
    if (message.role !== "assistant" || message.provider !== model.provider || message.api !== model.api) continue;
    if (message.model !== model.id) continue;
    for (const part of message.content) if (part.type === "tool-call" && !isMadeCallId(part.id)) ids.add(part.id);
  }
  return ids;
}

/** Neighbours of one role become one content, because roles must alternate. */
function append(contents: Content[], role: Content["role"], parts: JsonObject[]): void {
  if (parts.length === 0) return;
  const last = contents.at(-1);
  if (last?.role === role) last.parts.push(...parts);
  else contents.push({ role, parts: [...parts] });
}

function partsOf(message: Message, telling: Telling): JsonObject[] {
  if (message.role === "user") return message.content.filter(isSaid).map(userPart);
  return message.role === "tool-result" ? [responsePart(message, telling)] : modelParts(message, telling);
}

function isSaid(part: TextPart | ImagePart): boolean {
  return part.type === "image" || !isBlank(part.text);
}

function userPart(part: TextPart | ImagePart): JsonObject {
  return part.type === "text" ? { text: part.text } : inlineData(part);
}

function inlineData({ mediaType, data }: ImagePart): JsonObject {
  return { inlineData: { mimeType: mediaType, data } };
}

function responsePart(result: ToolResultMessage, { knownIds, isLevelled }: Telling): JsonObject {
  const text = result.content.map((part) => (part.type === "text" ? part.text : "[image]")).join("\n");
  const images = isLevelled ? imagesOf(result).map(inlineData) : [];
  return {
    functionResponse: {
      ...(knownIds.has(result.toolCallId) ? { id: result.toolCallId } : {}),
      name: result.toolName,
      response: result.isError ? { error: text } : { output: text },
      ...(images.length === 0 ? {} : { parts: images }),
    },
  };
}

function modelParts(message: AssistantMessage, telling: Telling): JsonObject[] {
  const firstCall = message.content.find((part) => part.type === "tool-call");
  return message.content.flatMap((part) => {
    if (part.type === "text") return textParts(part);
    if (part.type === "thinking") return thoughtParts(part);
    return [callPart(part, part === firstCall, telling)];
  });
}

function textParts({ text, signature }: TextPart): JsonObject[] {
  return isBlank(text) && signature === undefined ? [] : [{ text, ...signed(signature) }];
}

/** Without its signature a thought says nothing to the model. A signature that came alone is no thought. */
function thoughtParts({ text, signature }: ThinkingPart): JsonObject[] {
  if (signature === undefined) return [];
  return [{ text, ...(text === "" ? {} : { thought: true }), ...signed(signature) }];
}

function callPart({ id, name, input, signature }: ToolCallPart, isFirst: boolean, telling: Telling): JsonObject {
  const known = telling.knownIds.has(id) ? { id } : {};
  const needed = isFirst && telling.isLevelled ? FOREIGN_SIGNATURE : undefined;
  return { functionCall: { ...known, name, args: input as JsonObject }, ...signed(signature ?? needed) };
}

function signed(signature: string | undefined): JsonObject {
  return signature === undefined ? {} : { thoughtSignature: signature };
}

function imagesOf({ content }: ToolResultMessage): ImagePart[] {
  return content.filter((part) => part.type === "image");
}
