import type { UserMessage } from "../../protocol/messages.ts";
import { type InboundLine, InboundLines } from "../../rpc/inbound-lines.ts";
import { MOST_MESSAGES, noMessage, readUserLine, tooManyMessages } from "./stream-json-input.ts";

export type NextPrompt =
  | { type: "message"; message: UserMessage }
  | { type: "end" }
  /** Nothing more is read. */
  | { type: "problem"; message: string };

/** Prompts that come one by one, as long as somebody writes them. */
export interface PromptLines {
  /** Waits for the next one. Where the signal is aborted meanwhile, nothing more comes. */
  next(signal?: AbortSignal): Promise<NextPrompt>;
}

const MAX_LINE_BYTES = 10_000_000;

/** A program that writes a line, waits for its result and writes the next is served as well as one that writes all at once. */
export function readPromptLines(input: AsyncIterable<Uint8Array>): PromptLines {
  const lines = linesOf(input);
  let read = 0;
  let taken = 0;
  const next = async (): Promise<NextPrompt> => {
    for (let line = await lines.next(); !line.done; line = await lines.next()) {
      read++;
      if (line.value.type === "text" && line.value.text.trim() === "") continue;
      const message = line.value.type === "text" ? readUserLine(line.value.text) : undefined;
      if (message === undefined) return { type: "problem", message: noMessage(read) };
      taken++;
      return taken > MOST_MESSAGES ? { type: "problem", message: tooManyMessages() } : { type: "message", message };
    }
    return { type: "end" };
  };
  return {
    async next(signal) {
      if (signal === undefined) return next();
      const { promise, resolve } = Promise.withResolvers<NextPrompt>();
      const stop = () => resolve({ type: "end" });
      signal.addEventListener("abort", stop, { once: true });
      if (signal.aborted) stop();
      const result = await Promise.race([next(), promise]);
      signal.removeEventListener("abort", stop);
      return result;
    },
  };
}

async function* linesOf(input: AsyncIterable<Uint8Array>): AsyncGenerator<InboundLine> {
  const lines = new InboundLines(MAX_LINE_BYTES);
  for await (const chunk of input) yield* lines.take(chunk);
  yield* lines.rest();
}
