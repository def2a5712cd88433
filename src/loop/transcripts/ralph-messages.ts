import { asArray, asNumber, asObject, asString } from "../../protocol/json.ts";
import type { TranscriptEvent } from "../../protocol/transcript-events.ts";
import { metaEvent, NO_EVENTS, textEvent, usageEvent } from "./make-event.ts";
import { finishStream, growStream, pendingOf, restOf, type StreamedText, startStream } from "./streamed-text.ts";

// The messages of Ralph's own agent: parts that grow, then the whole message.

/** By the index of the part. Parts after these are shown when the message is whole. */
export type RalphParts = readonly (StreamedText | undefined)[];

const MAX_PARTS = 32;

type Fields = Record<string, unknown>;

interface PartsStep {
  parts: RalphParts;
  events: readonly TranscriptEvent[];
}

export function stepModelEvent(parts: RalphParts, event: Fields): PartsStep {
  switch (event.type) {
    case "text-delta":
    case "thinking-delta":
      return grow(parts, event);
    case "text-end":
    case "thinking-end":
      return finish(parts, asNumber(event.index) ?? -1);
    case "attempt-retry":
      return { parts: [], events: [...pendingParts(parts), retryEvent(event)] };
    default:
      return { parts, events: NO_EVENTS };
  }
}

function grow(parts: RalphParts, { type, index, text }: Fields): PartsStep {
  const at = asNumber(index);
  const piece = asString(text);
  if (at === undefined || at < 0 || at >= MAX_PARTS || !Number.isInteger(at) || piece === undefined)
    return { parts, events: NO_EVENTS };
  const before = parts[at] ?? startStream(type === "text-delta" ? "AI" : "THINK");
  const { stream, text: lines } = growStream(before, piece);
  return {
    parts: withPart(parts, at, stream),
    events: lines === undefined ? NO_EVENTS : [textEvent(stream.tag, lines)],
  };
}

function finish(parts: RalphParts, at: number): PartsStep {
  const part = parts[at];
  if (part === undefined) return { parts, events: NO_EVENTS };
  const { stream, text } = finishStream(part);
  return text === undefined
    ? { parts, events: NO_EVENTS }
    : { parts: withPart(parts, at, stream), events: [textEvent(stream.tag, text)] };
}

function withPart(parts: RalphParts, at: number, part: StreamedText): RalphParts {
  return Array.from({ length: Math.max(parts.length, at + 1) }, (_, index) => (index === at ? part : parts[index]));
}

function retryEvent({ delayMs, error }: Fields): TranscriptEvent {
  const waitMs = asNumber(delayMs);
  const message = asString(asObject(error)?.message) ?? "The request is sent again.";
  return metaEvent({ kind: "retry", message, ...(waitMs === undefined ? {} : { waitMs }) });
}

/** The text and thinking of a message, less what was shown while it arrived: the n-th text is the n-th that was streamed. */
export function messageTexts(parts: RalphParts, content: unknown): TranscriptEvent[] {
  const streamed = { AI: ofTag(parts, "AI"), THINK: ofTag(parts, "THINK") };
  return asArray(content).flatMap((part) => {
    const { type, text } = asObject(part) ?? {};
    if (typeof text !== "string" || (type !== "text" && type !== "thinking")) return [];
    const tag = type === "text" ? "AI" : "THINK";
    const stream = streamed[tag].shift();
    const rest = stream === undefined ? text : restOf(stream, text);
    return rest === undefined || rest === "" ? [] : [textEvent(tag, rest)];
  });
}

function ofTag(parts: RalphParts, tag: StreamedText["tag"]): StreamedText[] {
  return parts.filter((part) => part !== undefined).filter((part) => part.tag === tag);
}

/** What is left of parts whose message never came. */
export function pendingParts(parts: RalphParts): TranscriptEvent[] {
  return parts.flatMap((part) => {
    const rest = part === undefined ? undefined : pendingOf(part);
    return part === undefined || rest === undefined ? [] : [textEvent(part.tag, rest)];
  });
}

export function usageOfMessage({ usage, model }: Fields): TranscriptEvent[] {
  const { prompt, completion, cached } = ralphTokens(usage);
  if (prompt + completion === 0) return [];
  return [usageEvent("turn", { prompt, completion, cached, ...(typeof model === "string" ? { model } : {}) })];
}

/** What was read from a cache or written to it was read, too. */
export function ralphTokens(usage: unknown): { prompt: number; completion: number; cached: number } {
  const { input, output, cacheRead, cacheWrite } = asObject(usage) ?? {};
  const count = (value: unknown) => Math.max(0, asNumber(value) ?? 0);
  const cached = count(cacheRead);
  return { prompt: count(input) + cached + count(cacheWrite), completion: count(output), cached };
}
