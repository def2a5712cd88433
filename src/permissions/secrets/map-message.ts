import type { AssistantPart, ImagePart, Message, TextPart } from "../../protocol/messages.ts";
import { mapStrings } from "./map-strings.ts";

/** The message with its words changed. Ids, signatures, encrypted thinking and pictures stay as they are. */
export function mapMessage<Kind extends Message>(message: Kind, change: (text: string) => string): Kind {
  const content = message.content.map((part) => (part.type === "image" ? part : mapPart(part, change)));
  if (message.role !== "user" || message.compacted === undefined) return { ...message, content };
  const { compacted } = message;
  return { ...message, content, compacted: { ...compacted, items: mapItems(compacted.items, change) } };
}

/** What a provider made of a conversation: what the person said is in it in plain words, beside what is encrypted. */
export function mapItems(items: string, change: (text: string) => string): string {
  const changed = (key: string, value: unknown) =>
    typeof value === "string" && PLAIN_FIELDS.has(key) ? change(value) : value;
  try {
    return JSON.stringify(JSON.parse(items, changed));
  } catch {
    // What is damaged is never sent.
    return items;
  }
}

const PLAIN_FIELDS = new Set(["text", "output", "arguments"]);

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
