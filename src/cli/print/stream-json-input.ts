import { asArray, asObject, asString } from "../../protocol/json.ts";
import type { ImagePart, TextPart, UserMessage } from "../../protocol/messages.ts";

export type ReadInput = { ok: true; messages: UserMessage[] } | { ok: false; message: string };

export const MOST_MESSAGES = 1000;

/** What a program says to Claude Code with `--input-format stream-json`: a user message on every line. */
export function readStreamJsonInput(text: string): ReadInput {
  const messages: UserMessage[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const message = readUserLine(line);
    if (message === undefined) return { ok: false, message: noMessage(index + 1) };
    messages.push(message);
    if (messages.length > MOST_MESSAGES) return { ok: false, message: tooManyMessages() };
  }
  return { ok: true, messages };
}

export function noMessage(line: number): string {
  return `Line ${line} of standard input is no user message. Write {"type":"user","message":{"role":"user","content":"…"}} on each.`;
}

export function tooManyMessages(): string {
  return `Standard input has more than ${MOST_MESSAGES} messages. Send fewer.`;
}

/** Undefined for a line that says nothing. */
export function readUserLine(line: string): UserMessage | undefined {
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
