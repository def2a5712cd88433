import type { Answerer, DraftPiece } from "../../protocol/answer-drafts.ts";
import type { AssistantMessage, TextPart, ThinkingPart } from "../../protocol/messages.ts";

export interface CutAnswer {
  /** What a person who had stopped the answer would find in the session: texts and thoughts, never a call. */
  message: AssistantMessage;
  /** The names of the calls the model had begun to write. */
  calls: string[];
}

export function cutAnswer(pieces: readonly DraftPiece[], { provider, api, model }: Answerer): CutAnswer {
  const parts = new Map<number, TextPart | ThinkingPart>();
  const calls: string[] = [];
  for (const piece of pieces) {
    if (piece.type === "tool-call") {
      calls.push(piece.name);
      continue;
    }
    const { type, index, text } = piece;
    const known = parts.get(index);
    if (known?.type === type) known.text += text;
    else if (known === undefined) parts.set(index, { type, text });
  }
  const content = [...parts].sort(([one], [other]) => one - other).map(([, part]) => part);
  return { message: { role: "assistant", content, provider, api, model, stopReason: "cut", usage: NO_USAGE }, calls };
}

/** Providers count at the end of an answer. */
const NO_USAGE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
