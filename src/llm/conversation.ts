import type { AssistantMessage, ImagePart, Message, TextPart } from "../protocol/messages.ts";
import type { Model } from "../protocol/models.ts";
import { wireToolName } from "./tool-call-id.ts";

/**
 * The conversation as this model may see it: reasoning, signatures and compacted messages of other models are left out, because
 * only their author can read them, and pictures it does not take become a note.
 */
export function prepareMessages(messages: readonly Message[], model: Model): Message[] {
  const known = PREPARED.get(model) ?? new WeakMap<Message, Message>();
  PREPARED.set(model, known);
  return messages.map((given) => {
    const prepared = known.get(given) ?? prepare(given, model);
    known.set(given, prepared);
    return prepared;
  });
}

/** Messages never change, and all of them go with every request. */
const PREPARED = new WeakMap<Model, WeakMap<Message, Message>>();

function prepare(given: Message, model: Model): Message {
  const message = withOwnCompaction(withPlainNames(given), model);
  if (message.role === "assistant") return isAuthor(message, model) ? message : withoutForeignReasoning(message);
  if (message.content.every((part) => isAccepted(part, model))) return message;
  return {
    ...message,
    content: message.content.map((part) => (isAccepted(part, model) ? part : noteFor(part, model))),
  };
}

function withOwnCompaction(message: Message, model: Model): Message {
  if (message.role !== "user" || message.compacted === undefined || isAuthor(message.compacted, model)) return message;
  const { compacted: _, ...readable } = message;
  return readable;
}

/** A name the model made up stays in the conversation for good, and providers refuse a conversation with a name of other signs. */
function withPlainNames(message: Message): Message {
  if (message.role === "tool-result")
    return isPlainName(message.toolName) ? message : { ...message, toolName: wireToolName(message.toolName) };
  if (message.role === "user" || message.content.every((part) => part.type !== "tool-call" || isPlainName(part.name)))
    return message;
  const content = message.content.map((part) =>
    part.type === "tool-call" ? { ...part, name: wireToolName(part.name) } : part,
  );
  return { ...message, content };
}

/** Whether `wireToolName` leaves it as it is. */
function isPlainName(name: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(name);
}

function isAuthor(made: Pick<AssistantMessage, "provider" | "api" | "model">, model: Model): boolean {
  return made.provider === model.provider && made.api === model.api && made.model === model.id;
}

function withoutForeignReasoning(message: AssistantMessage): AssistantMessage {
  const content = message.content.flatMap((part) => {
    if (part.type === "thinking") return [];
    const { signature: _, ...rest } = part;
    return [rest];
  });
  return { ...message, content };
}

function isAccepted(part: TextPart | ImagePart, model: Model): boolean {
  if (part.type === "text") return true;
  return model.input.includes(part.mediaType === "application/pdf" ? "pdf" : "image");
}

function noteFor(part: TextPart | ImagePart, model: Model): TextPart {
  const kind = part.type === "image" ? part.mediaType : part.type;
  return { type: "text", text: `[${kind} left out: ${model.id} does not take it]` };
}
