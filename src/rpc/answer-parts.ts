import type { ModelEvent } from "../protocol/model-events.ts";
import type { AnswerEvent } from "./session-event-shapes.ts";
import { wireToolCall } from "./wire-messages.ts";

/** What a model request reports of one part of its answer. */
export type PartEvent = Exclude<ModelEvent, { type: "usage" | "attempt-retry" | "done" | "error" }>;

/** The text of every part so far, by its index. */
export function grownParts(parts: readonly string[], event: PartEvent): readonly string[] {
  if (event.type !== "text-delta" && event.type !== "thinking-delta") return parts;
  const grown = [...parts];
  grown[event.index] = (grown[event.index] ?? "") + event.text;
  return grown;
}

/** `parts` are those after the event. */
export function answerEvent(parts: readonly string[], event: PartEvent): AnswerEvent {
  const contentIndex = event.index;
  switch (event.type) {
    case "text-start":
      return { type: "text_start", contentIndex };
    case "text-delta":
      return { type: "text_delta", contentIndex, delta: event.text };
    case "text-end":
      return { type: "text_end", contentIndex, content: parts[contentIndex] ?? "" };
    case "thinking-start":
      return { type: "thinking_start", contentIndex };
    case "thinking-delta":
      return { type: "thinking_delta", contentIndex, delta: event.text };
    case "thinking-end":
      return { type: "thinking_end", contentIndex, content: parts[contentIndex] ?? "" };
    case "tool-call-start":
      return { type: "toolcall_start", contentIndex, id: event.id, name: event.name };
    case "tool-call-delta":
      return { type: "toolcall_delta", contentIndex, delta: event.text };
    case "tool-call-end":
      return { type: "toolcall_end", contentIndex, toolCall: wireToolCall(event) };
  }
}
