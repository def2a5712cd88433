import type { ImagePart, Message, TextPart } from "../protocol/messages.ts";
import type { ModelError } from "../protocol/model-errors.ts";

// When a provider cannot use a picture it refuses the whole conversation, now and with every prompt that follows. The picture goes
// then, and the words stay.

/**
 * The pictures a refusal can mean, by their data. Whatever was sent before the last answer has been taken at least once, so those
 * no answer stands behind yet are suspected first; without any of these, all are.
 */
export function suspectedPictures(messages: readonly Message[], known: ReadonlySet<string>): string[] {
  const fresh = messages.slice(messages.findLastIndex(({ role }) => role === "assistant") + 1);
  const unknown = (list: readonly Message[]) => picturesOf(list).filter((data) => !known.has(data));
  const suspects = unknown(fresh);
  return suspects.length > 0 ? suspects : unknown(messages);
}

function picturesOf(messages: readonly Message[]): string[] {
  return messages.flatMap((message) =>
    message.role === "assistant" ? [] : message.content.filter(isPicture).map(({ data }) => data),
  );
}

/** The same conversation with a line of text where each of these pictures was. What holds none of them is the same object. */
export function withoutPictures(messages: readonly Message[], refused: ReadonlySet<string>): Message[] {
  const isRefused = (part: TextPart | ImagePart) => isPicture(part) && refused.has(part.data);
  return messages.map((message) => {
    if (message.role === "assistant" || !message.content.some(isRefused)) return message;
    return {
      ...message,
      content: message.content.map((part) => (isPicture(part) && isRefused(part) ? noteFor(part) : part)),
    };
  });
}

function isPicture(part: TextPart | ImagePart): part is ImagePart {
  return part.type === "image";
}

function noteFor({ mediaType }: ImagePart): TextPart {
  return { type: "text", text: `[${mediaType} left out: the provider could not use it]` };
}

/** Whether the provider refused the conversation because of a picture or PDF in it. Some report that as their own fault. */
export function refusesPicture({ kind, message }: ModelError): boolean {
  return (kind === "invalid-request" || kind === "server") && PICTURE_WORDS.some((words) => words.test(message));
}

/** What providers say. Each row is a habit of one of them; compatible endpoints repeat the words of who they imitate. */
const PICTURE_WORDS: readonly RegExp[] = [
  // Anthropic, also on Bedrock and Vertex
  /could not process (image|pdf|document)/i,
  /\b(image|document)\.source\b/i,
  /image (exceeds|dimensions exceed|cannot be empty|was specified using)/i,
  /the pdf specified/i,
  // OpenAI and those who imitate it
  /unsupported image|invalid_image|image_parse_error|image_too_large|image_content_policy/i,
  /image data you provided|failed to (decode|load|process|parse) (the )?image|invalid (base64 )?image/i,
  /image_url.*(not supported|only supported|invalid)|does not support (image|vision)/i,
  // Google
  /unable to process input image|provided image is not valid|unsupported mime ?type: image/i,
  /the document has no pages/i,
];
