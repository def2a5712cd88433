import type { JsonObject } from "../../../protocol/json.ts";
import type { AssistantPart, ImagePart, TextPart, ThinkingPart } from "../../../protocol/messages.ts";
import { wireToolCallId } from "../../tool-call-id.ts";
import { type BlockForms, isBlank, NO_OUTPUT } from "../../turns.ts";

export const blockForms: BlockForms = {
  user: contentBlock,
  assistant: assistantBlock,
  toolResult: ({ toolCallId, content, isError }) => {
    const blocks = content.map(contentBlock).filter((block) => block !== undefined);
    return {
      type: "tool_result",
      tool_use_id: wireToolCallId(toolCallId),
      content: blocks.length > 0 ? blocks : [textBlock(NO_OUTPUT)],
      ...(isError ? { is_error: true } : {}),
    };
  },
};

export function textBlock(text: string): JsonObject {
  return { type: "text", text };
}

function contentBlock(part: TextPart | ImagePart): JsonObject | undefined {
  if (part.type === "text") return isBlank(part.text) ? undefined : textBlock(part.text);
  const { mediaType, data } = part;
  const source = { type: "base64", media_type: mediaType, data };
  if (mediaType === "application/pdf") return { type: "document", source };
  if (IMAGE_TYPES.includes(mediaType)) return { type: "image", source };
  return textBlock(`[${mediaType} left out: only PNG, JPEG, GIF, WebP and PDF can be sent]`);
}

const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

function assistantBlock(part: AssistantPart): JsonObject | undefined {
  switch (part.type) {
    case "text":
      return isBlank(part.text) ? undefined : textBlock(part.text);
    case "thinking":
      return thinkingBlock(part);
    case "tool-call":
      return { type: "tool_use", id: wireToolCallId(part.id), name: part.name, input: part.input as JsonObject };
  }
}

/** Without the provider's own token thinking is refused, so it is left out. */
function thinkingBlock({ text, signature, encrypted }: ThinkingPart): JsonObject | undefined {
  if (encrypted !== undefined) return { type: "redacted_thinking", data: encrypted };
  return signature === undefined ? undefined : { type: "thinking", thinking: text, signature };
}
