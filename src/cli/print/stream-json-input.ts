import { asArray, asObject, asString } from "../../protocol/json.ts";
import type { ImagePart, TextPart, UserMessage } from "../../protocol/messages.ts";

export type ReadInput = { ok: true; messages: UserMessage[] } | { ok: false; message: string };

const MOST_MESSAGES = 1000;

/** What a program says to Claude Code with `--input-format stream-json`: a user message on every line. */
export function readStreamJsonInput(text: string): ReadInput {
  const messages: UserMessage[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const message = messageOf(line);
    if (message === undefined)
      return {
        ok: false,
        message: `Line ${index + 1} of standard input is no user message. Write {"type":"user","message":{"role":"user","content":"…"}} on each.`,
      };
    messages.push(message);
    if (messages.length > MOST_MESSAGES)
      return { ok: false, message: `Standard input has more than ${MOST_MESSAGES} messages. Send fewer.` };
  }
  return { ok: true, messages };
}

function messageOf(line: string): UserMessage | undefined {
  const event = objectIn(line);
  const message = asObject(event?.message);
  if (event?.type !== "user" || message?.role !== "user") return undefined;
  if (typeof message.content === "string") return userMessage([{ type: "text", text: message.content }]);
  const parts = asArray(message.content).map(partOf);
  return parts.every((part) => part !== undefined) ? userMessage(parts) : undefined;
}

function userMessage(content: UserMessage["content"]): UserMessage | undefined {
  const isEmpty = content.every((part) => part.type === "text" && part.text.trim() === "");
  return isEmpty ? undefined : { role: "user", content };
}

function partOf(value: unknown): TextPart | ImagePart | undefined {
  const part = asObject(value);
  if (part?.type === "text" && typeof part.text === "string") return { type: "text", text: part.text };
  const source = asObject(part?.source);
  const mediaType = asString(source?.media_type);
  const data = asString(source?.data);
  if (source?.type !== "base64" || mediaType === undefined || data === undefined) return undefined;
  return part?.type === "image" || part?.type === "document" ? { type: "image", mediaType, data } : undefined;
}

function objectIn(line: string): Record<string, unknown> | undefined {
  try {
    return asObject(JSON.parse(line));
  } catch {
    return undefined;
  }
}
