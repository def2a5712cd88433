import type { ToolCallPart } from "../protocol/messages.ts";
import type { SessionEntry } from "../protocol/session-entries.ts";
import { readSteadily } from "./entries/entry-list.ts";
import type { EntryStore } from "./entries/entry-store.ts";
import { interruptedResult } from "./settle-calls.ts";

type MessageDraft = { type: "message"; message: ReturnType<typeof interruptedResult> };

/**
 * What has to be appended so that the file itself tells what became of the calls that were running when Ralph was stopped.
 * With these appended nothing is in flight any more.
 */
export function repairsFor(calls: readonly ToolCallPart[]): MessageDraft[] {
  return calls.map((call) => ({ type: "message", message: interruptedResult(call) }));
}

/** The calls of the newest answer that were running when the last writer was stopped. Only the end of the branch is read. */
export function interruptedCalls(entries: EntryStore): ToolCallPart[] {
  return readSteadily(entries, () => {
    const rows = entries.rowsBack();
    const end: number[] = [];
    let isStarted = false;
    for (const row of rows) {
      end.push(row);
      isStarted ||= entries.typeOf(row) === "tool-started";
      // Every answer before this one had its results before this one was asked for.
      if (entries.mayBeBy(row, "assistant") && isAnswer(entries.read(row))) break;
    }
    return isStarted ? callsInFlight(end.reverse().flatMap((row) => entries.read(row) ?? [])) : [];
  });
}

function isAnswer(entry: SessionEntry | undefined): boolean {
  return entry?.type === "message" && entry.message.role === "assistant";
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
