import type { Json, JsonObject } from "../../../src/protocol/json.ts";
import { encodeAwsEvent } from "../aws-event-stream-encoder.ts";
import type { ErrorReason, FakeAnswer } from "../fake-answer.ts";

// What every wire format of the fake provider offers, and how its frames become bytes. Everything here is pure.

export interface RenderContext {
  /** The model id the answer names. */
  model: string;
  /** Makes the ids of this answer; the same serial gives the same bytes. */
  serial: number;
  /** Whether the request asked for token counts in the stream, where the format has such a wish. */
  includeUsage: boolean;
}

/** `data` as text goes out as it is; `message` other than an event is AWS's word for a failure in the stream. */
export interface RenderedFrame {
  event: string;
  data: JsonObject | string;
  message?: "exception";
}

export interface VendorError {
  status: number;
  headers: Record<string, string>;
  body: JsonObject;
}

export interface WireRenderer {
  contentType: string;
  frames(answer: FakeAnswer, context: RenderContext): RenderedFrame[];
  whole(answer: FakeAnswer, context: RenderContext): JsonObject;
  /** An error answer with the vendor's own words and shape. */
  error(status: number, reason?: ErrorReason): VendorError;
  errorFrame(reason?: ErrorReason): RenderedFrame;
  /** An event of a kind no client knows. */
  unknownFrame: RenderedFrame;
  encode(frame: RenderedFrame): Uint8Array;
}

/** One element per event, with the faults that lie in the text itself already done. */
export function renderStream(renderer: WireRenderer, answer: FakeAnswer, context: RenderContext): Uint8Array[] {
  return faultyFrames(renderer, answer, context).map((frame) => renderer.encode(frame));
}

export function renderWhole(renderer: WireRenderer, answer: FakeAnswer, context: RenderContext): Uint8Array {
  const body = renderer.whole(answer, context);
  const text = JSON.stringify(answer.fault?.type === "unknown-events" ? withUnknownFields(body) : body);
  return bytesOf(answer.fault?.type === "garbage" ? text.slice(0, -1) : text);
}

function faultyFrames(renderer: WireRenderer, answer: FakeAnswer, context: RenderContext): RenderedFrame[] {
  const frames = renderer.frames(answer, context);
  const middle = Math.floor(frames.length / 2);
  switch (answer.fault?.type) {
    case "garbage":
      return frames.toSpliced(middle, 0, { event: frames[middle]?.event ?? "", data: '{"broken": "json' });
    case "error-event":
      return [...frames.slice(0, middle), renderer.errorFrame(answer.fault.reason)];
    case "unknown-events":
      return [renderer.unknownFrame, ...frames.flatMap((frame) => [decorate(frame), renderer.unknownFrame])];
    default:
      return frames;
  }
}

function decorate(frame: RenderedFrame): RenderedFrame {
  return typeof frame.data === "string" ? frame : { ...frame, data: withUnknownFields(frame.data) };
}

/** Arguments of tools belong to the model, so nothing is added inside them. */
const ARGUMENT_KEYS = ["args", "arguments", "input"];

function withUnknownFields(object: JsonObject): JsonObject {
  const entries = Object.entries(object).map(([key, value]) => [
    key,
    ARGUMENT_KEYS.includes(key) ? value : unknownInside(value ?? null),
  ]);
  return { x_unknown: { nested: [1, null, "text"] }, ...Object.fromEntries(entries) };
}

function unknownInside(value: Json): Json {
  if (Array.isArray(value)) return value.map(unknownInside);
  return typeof value === "object" && value !== null ? withUnknownFields(value) : value;
}

/** `event:` and `data:` lines, as Anthropic and OpenAI Responses send them. */
export function encodeNamedEvent(frame: RenderedFrame): Uint8Array {
  return bytesOf(`event: ${frame.event}\ndata: ${dataText(frame)}\n\n`);
}

export function encodeDataEvent(frame: RenderedFrame): Uint8Array {
  return bytesOf(`data: ${dataText(frame)}\n\n`);
}

/** Google ends its lines with CR LF. */
export function encodeDataEventWithCarriageReturns(frame: RenderedFrame): Uint8Array {
  return bytesOf(`data: ${dataText(frame)}\r\n\r\n`);
}

export function encodeJsonLine(frame: RenderedFrame): Uint8Array {
  return bytesOf(`${dataText(frame)}\n`);
}

export function encodeAwsFrame(frame: RenderedFrame): Uint8Array {
  const kind = frame.message === "exception" ? ":exception-type" : ":event-type";
  const headers = {
    [kind]: frame.event,
    ":content-type": "application/json",
    ":message-type": frame.message ?? "event",
  };
  return encodeAwsEvent(headers, bytesOf(dataText(frame)));
}

function dataText(frame: RenderedFrame): string {
  return typeof frame.data === "string" ? frame.data : JSON.stringify(frame.data);
}

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** The groups one after the other, or turn by turn when they are to be mixed. */
export function joinGroups<T>(groups: T[][], interleaved: boolean): T[] {
  if (!interleaved) return groups.flat();
  const rounds = Math.max(0, ...groups.map((group) => group.length));
  return Array.from({ length: rounds }, (_, round) => groups.flatMap((group) => group.slice(round, round + 1))).flat();
}

/** Two pieces whose border lies between two characters. */
export function halves(text: string): string[] {
  const characters = [...text];
  const middle = Math.ceil(characters.length / 2);
  return [characters.slice(0, middle).join(""), characters.slice(middle).join("")].filter((piece) => piece !== "");
}
