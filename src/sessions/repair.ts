import type { ToolCallPart } from "../protocol/messages.ts";
import type { SessionEntry } from "../protocol/session-entries.ts";
import { interruptedResult } from "./settle-calls.ts";

type MessageDraft = { type: "message"; message: ReturnType<typeof interruptedResult> };

/**
 * What has to be appended so that the file itself tells what became of the calls that were running when Ralph was stopped.
 * With these appended nothing is in flight any more.
 */
export function repairsFor(calls: readonly ToolCallPart[]): MessageDraft[] {
  return calls.map((call) => ({ type: "message", message: interruptedResult(call) }));
}

/** The calls of the branch that were started and have no result behind that. */
export function callsInFlight(branch: readonly SessionEntry[]): ToolCallPart[] {
  const running = new Map<string, ToolCallPart>();
  for (const entry of branch) {
    if (entry.type === "tool-started") running.set(entry.call.id, entry.call);
    if (entry.type === "message" && entry.message.role === "tool-result") running.delete(entry.message.toolCallId);
  }
  return [...running.values()];
}
