import type { Answerer, DraftPiece } from "../../protocol/answer-drafts.ts";
import type { EntrySeal } from "../../protocol/entry-seal.ts";
import type { AssistantMessage } from "../../protocol/messages.ts";
import type { SessionEntry } from "../../protocol/session-entries.ts";
import { cutAnswer } from "./cut-answer.ts";

/** The pieces as they may stand in a file, parts whole. */
export function sealedPieces(pieces: readonly DraftPiece[], by: Answerer, seal: EntrySeal): DraftPiece[] {
  const { message, calls } = cutAnswer(pieces, by);
  const { content } = throughSeal(message, seal.close);
  const texts = content.flatMap((part, index): DraftPiece[] =>
    part.type === "tool-call" ? [] : [{ type: part.type, index, text: part.text }],
  );
  return [...texts, ...calls.map((name, at): DraftPiece => ({ type: "tool-call", index: content.length + at, name }))];
}

/** A seal works on entries; of this one only the message counts. */
export function throughSeal(
  message: AssistantMessage,
  change: (entry: SessionEntry) => SessionEntry,
): AssistantMessage {
  const changed = change({ id: "", parentId: null, at: "", type: "message", message });
  return changed.type === "message" && changed.message.role === "assistant" ? changed.message : message;
}
