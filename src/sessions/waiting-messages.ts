import type { UserMessage } from "../protocol/messages.ts";
import type { SessionEntry } from "../protocol/session-entries.ts";
import { type EntryList, lastOfType } from "./entries/entry-list.ts";
import { currentBranch } from "./tree.ts";

/** A message that was said and not yet sent. `id` is that of its entry. */
export interface WaitingMessage {
  id: string;
  kind: "steering" | "follow-up";
  message: UserMessage;
}

/** What still waits in a session. In most nothing was ever queued, which is known without reading it. */
export function waitingIn(entries: EntryList, leafId: string | null): WaitingMessage[] {
  return lastOfType(entries, "queued") === undefined ? [] : waitingMessages(currentBranch(entries, leafId));
}

/** What still waits on a branch, in the order in which it was said. */
function waitingMessages(branch: readonly SessionEntry[]): WaitingMessage[] {
  const waiting = new Map<string, WaitingMessage>();
  for (const entry of branch) {
    if (entry.type === "queued") waiting.set(entry.id, { id: entry.id, kind: entry.kind, message: entry.message });
    else if (entry.type === "unqueued") waiting.delete(entry.targetId);
    else if (entry.type === "message" && entry.queuedAs !== undefined) waiting.delete(entry.queuedAs);
  }
  return [...waiting.values()];
}
