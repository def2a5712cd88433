import type { EntrySeal } from "../../protocol/entry-seal.ts";
import type { Message } from "../../protocol/messages.ts";
import type { SessionEntry } from "../../protocol/session-entries.ts";
import { type CutAnswer, cutAnswer } from "./cut-answer.ts";
import { draftPath, readDraftText } from "./draft-file.ts";
import { type Draft, parseDraft } from "./parse-draft.ts";
import { throughSeal } from "./sealed-pieces.ts";

/** `message` is absent where nothing had been said yet. */
export interface UnstoredAnswer extends Pick<CutAnswer, "calls"> {
  message?: CutAnswer["message"];
}

export interface DraftOf {
  /** The file of the session. */
  path: string;
  seal?: EntrySeal | undefined;
  /** The entries from the last one back to the root. They are looked at only where there is a draft. */
  back(): Iterable<SessionEntry>;
}

/** The answer that was being written when the one who wrote the session was killed; undefined where there was none. */
export function unstoredAnswer({ path, seal, back }: DraftOf): UnstoredAnswer | undefined {
  const text = readDraftText(draftPath(path));
  const draft = text === undefined ? undefined : parseDraft(text);
  if (draft === undefined || !belongsBehind(draft, back())) return undefined;
  const { message, calls } = cutAnswer(draft.pieces, draft.header);
  const isSaid = message.content.some((part) => part.type === "text" && part.text.trim() !== "");
  return { calls, ...(isSaid ? { message: seal === undefined ? message : throughSeal(message, seal.open) } : {}) };
}

/** Whether the conversation still waits for this answer. What was stored beside it, like a waiting message, is not in its way. */
function belongsBehind({ header }: Draft, back: Iterable<SessionEntry>): boolean {
  let isParentSeen = false;
  for (const entry of back) {
    isParentSeen ||= entry.id === header.parentId;
    if (!MOVES_ON.has(entry.type)) continue;
    return isParentSeen && mayBeAnswered(entry);
  }
  return false;
}

const MOVES_ON: ReadonlySet<SessionEntry["type"]> = new Set([
  "message",
  "tool-started",
  "rules-injected",
  "branch-summary",
  "undo-started",
]);

function mayBeAnswered(entry: SessionEntry): boolean {
  if (entry.type === "rules-injected") return true;
  return entry.type === "message" && !isFinal(entry.message);
}

/** A model that paused goes on in another answer. */
function isFinal(message: Message): boolean {
  return message.role === "assistant" && message.stopReason !== "pause";
}
