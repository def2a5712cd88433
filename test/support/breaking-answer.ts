import { type FakeAnswer, textAnswer } from "./fake-answer.ts";

/** The events of an Anthropic answer up to and with its first piece of text: start, ping, block start, the piece. */
export const FIRST_PIECE = 4;

/** An answer of Anthropic whose connection is closed behind its first piece of text as soon as `cut` is called. */
export function breakingAnswer(text: string): { answer: FakeAnswer; cut: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const fault = { type: "hold", afterEvents: FIRST_PIECE, until: promise, ending: "close" } as const;
  return { answer: textAnswer(text, { fault }), cut: resolve };
}
