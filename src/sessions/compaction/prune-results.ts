import type { Message, ToolResultMessage } from "../../protocol/messages.ts";
import { headAndTail } from "./head-and-tail.ts";

// Shortening large tool results in what the model sees. A result is written out again from its entry each time, so the same
// `keep` gives the same bytes after a resume.

/** A longer result is shortened to this many characters. */
export const PRUNE_TO = 2000;
/** What is left where a conversation would not fit otherwise. */
export const PRUNE_TO_LEAST = 200;

/** Only tool results change. Their pictures become a line. */
export function prunedMessage(message: Message, keep: number): Message {
  if (message.role !== "tool-result" || !isPrunable(message, keep)) return message;
  const text = message.content
    .map((part) => (part.type === "text" ? part.text : `[${part.mediaType} left out]`))
    .join("\n");
  return {
    ...message,
    content: [{ type: "text", text: headAndTail(text, keep, "the whole output is in the session") }],
  };
}

/** Whether shortening this to `keep` characters changes anything. */
export function isPrunable(message: Message, keep: number): message is ToolResultMessage {
  if (message.role !== "tool-result") return false;
  const characters = message.content.reduce((sum, part) => sum + (part.type === "text" ? part.text.length : 0), 0);
  // The line in the middle takes room itself; a result that is hardly too long is not worth a new prefix.
  return characters > keep + MARGIN || message.content.some((part) => part.type === "image");
}

const MARGIN = 200;
