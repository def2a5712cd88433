import { isDeepStrictEqual } from "node:util";
import type { AssistantPart } from "../../src/protocol/messages.ts";
import type { ModelEnd, ModelEvent } from "../../src/protocol/model-events.ts";

// What must hold for the events of every model request, whatever was asked and whatever went wrong.

/** Throws with all broken rules. What was emitted before a retry is void and not looked at. */
export function checkEventOrder(events: ModelEvent[]): void {
  const problems = eventOrderProblems(events);
  if (problems.length > 0) throw new Error(`the events break their rules:\n${problems.join("\n")}`);
}

export function eventOrderProblems(events: ModelEvent[]): string[] {
  const attempt = events.slice(events.findLastIndex((event) => event.type === "attempt-retry") + 1);
  const problems: string[] = [];
  const parts: FoldedPart[] = [];
  for (const event of attempt) problems.push(...foldEvent(parts, event));
  const ends = events.filter(isEnd);
  const end = attempt.at(-1);
  if (ends.length !== 1) problems.push(`there are ${ends.length} ends instead of one`);
  if (end === undefined || !isEnd(end)) problems.push("the last event is not an end");
  else problems.push(...endProblems(parts, end));
  return problems;
}

interface FoldedPart {
  kind: "text" | "thinking" | "tool-call";
  text: string;
  open: boolean;
  id?: string;
  name?: string;
  input?: Record<string, unknown>;
}

function isEnd(event: ModelEvent): event is ModelEnd {
  return event.type === "done" || event.type === "error";
}

function foldEvent(parts: FoldedPart[], event: ModelEvent): string[] {
  if (!("index" in event)) return [];
  const place = `part ${event.index}, ${event.type}`;
  const part = parts[event.index];
  switch (event.type) {
    case "text-start":
    case "thinking-start":
    case "tool-call-start":
      return foldStart(parts, event);
    case "text-delta":
    case "thinking-delta":
    case "tool-call-delta":
      if (part === undefined || !part.open || `${part.kind}-delta` !== event.type)
        return [`${place}: no such open part`];
      part.text += event.text;
      return event.text === "" ? [`${place}: empty`] : [];
    case "text-end":
    case "thinking-end":
    case "tool-call-end":
      if (part === undefined || !part.open || `${part.kind}-end` !== event.type) return [`${place}: no such open part`];
      part.open = false;
      return event.type === "tool-call-end" ? foldCallEnd(part, event) : [];
  }
}

type Start = Extract<ModelEvent, { type: "text-start" | "thinking-start" | "tool-call-start" }>;

function foldStart(parts: FoldedPart[], event: Start): string[] {
  const expected = parts.length;
  const call = event.type === "tool-call-start" ? { id: event.id, name: event.name } : {};
  parts.push({ kind: KINDS[event.type], text: "", open: true, ...call });
  return event.index === expected ? [] : [`part ${event.index} began where part ${expected} should`];
}

const KINDS = { "text-start": "text", "thinking-start": "thinking", "tool-call-start": "tool-call" } as const;

function foldCallEnd(part: FoldedPart, event: Extract<ModelEvent, { type: "tool-call-end" }>): string[] {
  part.input = event.input;
  const isSame = part.id === event.id && part.name === event.name;
  return isSame ? [] : [`part ${event.index}: began as ${part.id} ${part.name}, ended as ${event.id} ${event.name}`];
}

function endProblems(parts: FoldedPart[], end: ModelEnd): string[] {
  const keepsCalls = end.type === "done" && ["stop", "tool-use"].includes(end.message.stopReason);
  const kept = parts.filter((part) => part.kind !== "tool-call" || keepsCalls);
  const left = kept.filter((part) => part.open).map((part) => `a ${part.kind} part never ended`);
  const message = end.type === "done" ? end.message : end.partial;
  const said = (message?.content ?? []).map(comparable);
  const folded = kept.map(foldedPart);
  if (isDeepStrictEqual(said, folded)) return left;
  return [
    ...left,
    `the message is not the sum of its events: ${JSON.stringify(said)} against ${JSON.stringify(folded)}`,
  ];
}

/** Signatures and ids of the provider are no part of the events. */
function comparable(part: AssistantPart): object {
  if (part.type !== "tool-call") return { type: part.type, text: part.text };
  return { type: part.type, id: part.id, name: part.name, input: part.input };
}

function foldedPart({ kind, text, id, name, input }: FoldedPart): object {
  return kind === "tool-call" ? { type: kind, id, name, input } : { type: kind, text };
}
