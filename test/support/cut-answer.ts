import { type FakeAnswer, textAnswer } from "./fake-answer.ts";
import { anthropicMessages } from "./wire/anthropic-messages.ts";
import { renderStream } from "./wire/wire-renderer.ts";

/** The events of an Anthropic answer up to and with its first piece of text: start, ping, block start, the piece. */
export const FIRST_PIECE = 4;

/** An answer of Anthropic whose connection is closed behind its first piece of text. */
export function cutAfterFirstPiece(text: string): FakeAnswer {
  const answer = textAnswer(text);
  const context = { model: "claude-sonnet-5", serial: 1, includeUsage: true };
  const events = renderStream(anthropicMessages, answer, context).slice(0, FIRST_PIECE);
  return { ...answer, fault: { type: "cut", atByte: Buffer.concat(events).length } };
}
