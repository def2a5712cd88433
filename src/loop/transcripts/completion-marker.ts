import { readableText } from "./escape-codes.ts";
import { lastLine } from "./last-line.ts";

// The agent's claim that it is finished, or that it cannot go on. It counts only as the last line of what the assistant said; a
// claim is never a proof.

export const COMPLETE_MARKER = "<promise>COMPLETE</promise>";

export type Marker =
  | { type: "none" }
  | { type: "complete" }
  /** `needs` is what the agent says a person has to do; it may be empty. */
  | { type: "blocked"; needs: string };

export interface AssistantWords {
  /** The whole last message, where the agent states it. It decides alone then. */
  finalMessage?: string;
  /** The last line of text that was the assistant's. */
  lastAssistantLine?: string;
}

export function readMarker({ finalMessage, lastAssistantLine }: AssistantWords): Marker {
  const line = finalMessage === undefined ? lastAssistantLine : lastLine(finalMessage);
  return line === undefined ? NONE : markerOfLine(line);
}

const NONE: Marker = { type: "none" };
const BLOCKED = /^<promise>BLOCKED(?::(.*))?<\/promise>$/;

/** Colours, control characters and blanks around the marker do not matter; anything else in the line does. */
function markerOfLine(line: string): Marker {
  const said = readableText(line).trim();
  if (said === COMPLETE_MARKER) return line.includes(COMPLETE_MARKER) ? { type: "complete" } : NONE;
  const blocked = BLOCKED.exec(said);
  const needs = blocked?.[1] ?? "";
  return blocked === null || needs.includes("<promise>") ? NONE : { type: "blocked", needs: needs.trim() };
}
