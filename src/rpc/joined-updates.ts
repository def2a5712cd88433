import type { SessionEvent } from "./session-event-shapes.ts";

// Pieces for a host that reads more slowly than they come: those of one text become one. Nothing of an answer is lost that way;
// of the output of a tool only so much waits.

export interface JoinedUpdates {
  /** False for an event that has to go out as it is, behind everything that waits here. */
  add(event: SessionEvent): boolean;
  /** What waits, in the order in which it began; nothing waits afterwards. */
  take(): SessionEvent[];
  /** Characters of output that were left out since this was asked last. */
  takeLeftOut(): number;
}

/** Of the output of one tool call. */
export const MOST_JOINED_OUTPUT = 256 * 1024;

export function createJoinedUpdates(): JoinedUpdates {
  const waiting = new Map<string, SessionEvent>();
  let leftOut = 0;
  return {
    add(event) {
      const place = placeOf(event);
      if (place === undefined) return false;
      const joined = joinedWith(waiting.get(place), event);
      waiting.set(place, joined.event);
      leftOut += joined.leftOut;
      return true;
    },
    take() {
      const events = [...waiting.values()];
      waiting.clear();
      return events;
    },
    takeLeftOut() {
      const count = leftOut;
      leftOut = 0;
      return count;
    },
  };
}

/** What pieces that can be joined have in common. Undefined for anything that is no piece. */
function placeOf(event: SessionEvent): string | undefined {
  if (event.type === "tool_execution_update") return `tool ${event.toolCallId}`;
  if (event.type !== "message_update") return undefined;
  const { assistantMessageEvent: piece } = event;
  return "delta" in piece ? `${piece.type} ${piece.contentIndex}` : undefined;
}

function joinedWith(before: SessionEvent | undefined, event: SessionEvent): { event: SessionEvent; leftOut: number } {
  if (event.type === "tool_execution_update") {
    const known = before?.type === "tool_execution_update" ? textOf(before) : "";
    const text = textOf(event);
    const taken = text.slice(0, Math.max(0, MOST_JOINED_OUTPUT - known.length));
    const partialResult = { content: [{ type: "text" as const, text: known + taken }] };
    return { event: { ...event, partialResult }, leftOut: text.length - taken.length };
  }
  if (before?.type !== "message_update" || event.type !== "message_update") return { event, leftOut: 0 };
  const [first, next] = [before.assistantMessageEvent, event.assistantMessageEvent];
  const delta = ("delta" in first ? first.delta : "") + ("delta" in next ? next.delta : "");
  return { event: { ...event, assistantMessageEvent: { ...next, delta } as typeof next }, leftOut: 0 };
}

function textOf({ partialResult }: Extract<SessionEvent, { type: "tool_execution_update" }>): string {
  return partialResult.content.map(({ text }) => text).join("");
}
