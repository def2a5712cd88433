import type { AssistantPart, ImagePart, Message, TextPart } from "../../protocol/messages.ts";
import { mapStrings } from "./map-strings.ts";

/** The message with its words changed. Ids, signatures, encrypted thinking and pictures stay as they are. */
export function mapMessage<Kind extends Message>(message: Kind, change: (text: string) => string): Kind {
  const content = message.content.map((part) => (part.type === "image" ? part : mapPart(part, change)));
  return { ...message, content };
}

export function mapPart<Part extends AssistantPart>(part: Part, change: (text: string) => string): Part {
  if (part.type !== "tool-call") return { ...part, text: change(part.text) };
  const input = mapStrings(part.input, change);
  return part.invalidInput === undefined
    ? { ...part, input }
    : { ...part, input, invalidInput: change(part.invalidInput) };
}

export function mapTexts(parts: readonly (TextPart | ImagePart)[], change: (text: string) => string) {
  return parts.map((part) => (part.type === "text" ? mapPart(part, change) : part));
}
