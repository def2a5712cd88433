import type { JsonObject } from "../../../protocol/json.ts";
import type { AssistantPart, ImagePart, TextPart, ThinkingPart } from "../../../protocol/messages.ts";
import { wireToolCallId } from "../../tool-call-id.ts";
import { type BlockForms, isBlank, NO_OUTPUT, type Turn } from "../../turns.ts";
import type { Family } from "./families.ts";

/** For one request: documents need names, and those are counted from the beginning of the conversation. */
export function createBlockForms(family: Family): BlockForms {
  let documents = 0;

  function contentBlock(part: TextPart | ImagePart): JsonObject | undefined {
    if (part.type === "text") return isBlank(part.text) ? undefined : textBlock(part.text);
    const { mediaType, data } = part;
    const source = { bytes: data };
    if (mediaType === "application/pdf") {
      documents += 1;
      return { document: { format: "pdf", name: `document-${documents}`, source } };
    }
    const format = IMAGE_FORMATS[mediaType];
    if (format !== undefined) return { image: { format, source } };
    return textBlock(`[${mediaType} left out: only PNG, JPEG, GIF, WebP and PDF can be sent]`);
  }

  return {
    user: contentBlock,
    assistant: assistantBlock,
    toolResult: ({ toolCallId, content, isError }) => {
      const blocks = content.map(contentBlock).filter((block) => block !== undefined);
      return {
        toolResult: {
          toolUseId: wireToolCallId(toolCallId),
          content: blocks.length > 0 ? blocks : [textBlock(NO_OUTPUT)],
          ...(isError && family.hasResultStatus ? { status: "error" } : {}),
        },
      };
    },
  };
}

export function textBlock(text: string): JsonObject {
  return { text };
}

const IMAGE_FORMATS: Record<string, string> = {
  "image/png": "png",
  "image/jpeg": "jpeg",
  "image/gif": "gif",
  "image/webp": "webp",
};

function assistantBlock(part: AssistantPart): JsonObject | undefined {
  switch (part.type) {
    case "text":
      return isBlank(part.text) ? undefined : textBlock(part.text);
    case "thinking":
      return thinkingBlock(part);
    case "tool-call":
      return { toolUse: { toolUseId: wireToolCallId(part.id), name: part.name, input: part.input as JsonObject } };
  }
}

/** Without the provider's own token thinking is refused, so it is left out. */
function thinkingBlock({ text, signature, encrypted }: ThinkingPart): JsonObject | undefined {
  if (encrypted !== undefined) return { reasoningContent: { redactedContent: encrypted } };
  return signature === undefined ? undefined : { reasoningContent: { reasoningText: { text, signature } } };
}

/** A turn with a document and no text is refused. */
export function withTextBesideDocuments(turn: Turn): Turn {
  const has = (key: string) => turn.content.some((block) => Object.hasOwn(block, key));
  return has("document") && !has("text") ? { ...turn, content: [textBlock("Document:"), ...turn.content] } : turn;
}
