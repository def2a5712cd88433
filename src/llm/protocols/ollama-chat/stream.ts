import { asArray, asNumber, asObject, asString, at } from "../../../protocol/json.ts";
import type { FinishReason, Usage } from "../../../protocol/messages.ts";
import { reportedError } from "../../errors.ts";
import { type Frame, NOTHING, type Step, type WireEvent } from "../../wire-protocol.ts";

// The lines of a streamed answer, and the whole answer, which is one such line.

export interface OllamaState {
  /** Calls read so far. */
  calls: number;
}

export function start(): OllamaState {
  return { calls: 0 };
}

export function step(state: OllamaState, frame: Frame): Step<OllamaState> {
  const line = asObject(frame.data);
  if (line === undefined) return { state, events: NOTHING };
  const error = asObject(line.error) ?? asString(line.error);
  if (error) return { state, events: [failure(error)] };
  const pieces = asArray(at(line, "message", "tool_calls")).filter((piece) => nameOf(piece) !== "");
  const calls = pieces.flatMap((piece, index) => callEvents(piece, state.calls + index, line));
  const next = { calls: state.calls + pieces.length };
  return { state: next, events: [...proseEvents(line.message), ...calls, ...endEvents(line, next)] };
}

export function readBody(body: unknown): WireEvent[] {
  return step(start(), { event: "", data: body }).events;
}

// Text and thinking.

function proseEvents(message: unknown): WireEvent[] {
  const thinking = asString(at(message, "thinking")) ?? "";
  const text = asString(at(message, "content")) ?? "";
  return [
    ...(thinking === "" ? NOTHING : [{ type: "thinking-delta", part: "thinking", text: thinking } as const]),
    ...(text === "" ? NOTHING : [{ type: "text-delta", part: "text", text } as const]),
  ];
}

// Calls, which arrive in one piece.

function callEvents(piece: unknown, ordinal: number, line: Record<string, unknown>): WireEvent[] {
  const part = `call-${ordinal}`;
  const value = at(piece, "function", "arguments");
  const text = typeof value === "string" ? value : JSON.stringify(value ?? {});
  const id = asString(at(piece, "id")) || madeId(ordinal, line);
  return [
    { type: "tool-call-start", part, id, name: nameOf(piece) },
    { type: "tool-call-delta", part, text },
    { type: "tool-call-end", part },
  ];
}

function nameOf(piece: unknown): string {
  return asString(at(piece, "function", "name")) ?? "";
}

/** Older servers give calls no id. The line's time and the call's place in the answer tell it from all others. */
function madeId(ordinal: number, line: Record<string, unknown>): string {
  const place = JSON.stringify([line.created_at ?? null, ordinal, at(line, "message", "tool_calls") ?? null]);
  return `call_${new Bun.CryptoHasher("sha256").update(place).digest("hex").slice(0, 16)}`;
}

// The end.

function endEvents(line: Record<string, unknown>, state: OllamaState): WireEvent[] {
  if (line.done !== true) return NOTHING;
  const reason: FinishReason = line.done_reason === "length" ? "length" : state.calls > 0 ? "tool-use" : "stop";
  return [
    { type: "usage", usage: usageOf(line) },
    { type: "finish", reason },
  ];
}

function usageOf(line: Record<string, unknown>): Partial<Usage> {
  return { input: asNumber(line.prompt_eval_count) ?? 0, output: asNumber(line.eval_count) ?? 0 };
}

// Errors inside the answer.

function failure(error: unknown): WireEvent {
  return { type: "fail", error: reportedError("", asString(error) ?? asString(at(error, "message")) ?? "") };
}
