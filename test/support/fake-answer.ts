import type { JsonObject } from "../../src/protocol/json.ts";
import type { FinishReason, Usage } from "../../src/protocol/messages.ts";

// What the fake provider is told to answer, in no provider's words. The renderers of `wire/` turn it into each format.

export type FakePart =
  /** `encrypted` is thinking the provider hides; formats without such a thing leave it out. */
  | { type: "thinking"; text: string; signature?: string; encrypted?: string }
  | { type: "text"; deltas: string[]; signature?: string }
  /** `deltas` are the pieces of the argument text; none at all is a call without arguments. */
  | { type: "tool-call"; id: string; name: string; deltas: string[]; signature?: string };

export interface FakeAnswer {
  parts: FakePart[];
  stopReason: FinishReason;
  usage: Usage;
  /** Mixes the events of neighbouring tool calls in the formats that number their parts. */
  interleaved?: boolean;
  /** How the body is cut into writes; the provider's own setting where absent. */
  chunking?: Chunking;
  fault?: Fault;
}

/** In one write, one write per event, or every so many bytes, which splits characters as well. */
export type Chunking = "whole" | "event" | { bytes: number };

export type Fault =
  /** An error answer; without `body` in the vendor's own shape for the status and reason. */
  | { type: "status"; status: number; reason?: ErrorReason; headers?: Record<string, string>; body?: string }
  /** The connection is reset before any byte of the answer. */
  | { type: "reset" }
  /** Nothing more comes: before the headers, after them, or after so many events. The connection stays open. */
  | { type: "silence"; after: "request" | "headers" | { events: number } }
  /** After so many events the rest waits for the promise; with `ending` the connection is closed instead. */
  | { type: "hold"; afterEvents: number; until: Promise<unknown>; ending?: "close" }
  | { type: "slow"; delayMs: number; bytes?: number }
  /** The body stops before byte `atByte`: closed (default), reset, or ended as if it were complete. */
  | { type: "cut"; atByte: number; ending?: "close" | "reset" | "end" }
  /** An event of broken JSON in the middle of the stream; a whole answer loses its last byte. */
  | { type: "garbage" }
  /** Unknown events between all events, and unknown fields in every object. */
  | { type: "unknown-events" }
  /** The vendor's own error event after the first half of the stream; a whole answer becomes an error answer. */
  | { type: "error-event"; reason?: ErrorReason }
  | { type: "huge-error-body"; status?: number; bytes?: number };

export type ErrorReason = "context-overflow" | "quota" | "overloaded" | "rate-limit";

export const NO_USAGE: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

export function textAnswer(text: string, more: Partial<FakeAnswer> = {}): FakeAnswer {
  const usage = { ...NO_USAGE, input: 10, output: 2 };
  return { parts: [{ type: "text", deltas: text.split(/(?<= )/) }], stopReason: "stop", usage, ...more };
}

/** An answer that only calls tools, one after the other. */
export function toolCallAnswer(...calls: { name: string; input: Record<string, unknown>; id?: string }[]): FakeAnswer {
  const parts = calls.map(({ name, input, id }, index): FakePart => {
    const text = JSON.stringify(input);
    const middle = Math.ceil(text.length / 2);
    const deltas = [text.slice(0, middle), text.slice(middle)];
    return { type: "tool-call", id: id ?? `call_${index + 1}`, name, deltas };
  });
  return { parts, stopReason: "tool-use", usage: { ...NO_USAGE, input: 20, output: 8 } };
}

export function failAnswer(fault: Fault): FakeAnswer {
  return { ...textAnswer("never seen whole"), fault };
}

/** The arguments of a call as an object; empty or broken argument text is an empty object, as whole answers have it. */
export function callInput(part: Extract<FakePart, { type: "tool-call" }>): JsonObject {
  try {
    return JSON.parse(part.deltas.join("")) as JsonObject;
  } catch {
    return {};
  }
}
