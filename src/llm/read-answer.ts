import { parseJson } from "../protocol/json.ts";
import type { ModelError } from "../protocol/model-errors.ts";
import type { ModelEnd } from "../protocol/model-events.ts";
import { Assembler, type AssemblerOptions } from "./assemble.ts";
import { createAwsEventStreamDecoder } from "./framing/aws-event-stream.ts";
import type { Decoder, RawFrame } from "./framing/decoder.ts";
import { createJsonLinesDecoder } from "./framing/json-lines.ts";
import { createSseDecoder } from "./framing/sse.ts";
import { ThinkTagSplitter } from "./think-tags.ts";
import type { Framing, WireEvent, WireProtocol } from "./wire-protocol.ts";

/** Reads one answer from its bytes. Nothing here waits, connects or fails: a bad answer is an end like any other. */
export interface AnswerReader {
  /** More of a streamed answer. */
  push(bytes: Uint8Array): void;
  /** The whole answer of a request that was not streamed. */
  pushWhole(text: string): void;
  /** The provider said how the answer ends; only counts may still follow. */
  readonly isSettled: boolean;
  /** Nothing that follows can save the answer: reading on is a waste. */
  readonly isBroken: boolean;
  /** The bytes ended, or `problem` ended them. Returns the last event without emitting it. */
  end(problem?: ModelError): ModelEnd;
}

const DECODERS: Record<Framing, () => Decoder> = {
  sse: createSseDecoder,
  "aws-event-stream": createAwsEventStreamDecoder,
  "json-lines": createJsonLinesDecoder,
};

export function createAnswerReader(protocol: WireProtocol, options: AssemblerOptions): AnswerReader {
  const assembler = new Assembler(options);
  const accept = acceptThrough(assembler, options.model.thinkingTags === true);
  const decoder = DECODERS[protocol.framing]();
  let state = protocol.start();
  let broken: ModelError | undefined;
  let received = 0;

  function readFrame(frame: RawFrame): boolean {
    if (frame.data === SENTINEL) return true;
    const data = parseJson(frame.data);
    if (data === undefined) return false;
    const step = protocol.step(state, { event: frame.event, data });
    state = step.state;
    for (const event of step.events) accept.event(event);
    return true;
  }

  return {
    push(bytes) {
      if (broken !== undefined) return;
      received += bytes.byteLength;
      if (received > MAX_ANSWER_BYTES) broken = TOO_LONG;
      if (broken !== undefined) return;
      const { frames, problem } = decoder.push(bytes);
      for (const frame of frames) {
        if (!readFrame(frame)) broken ??= badAnswer(`an event is not JSON: ${excerpt(frame.data)}`);
        if (broken !== undefined) return;
      }
      if (problem !== undefined) broken = badAnswer(problem);
    },
    pushWhole(text) {
      const body = parseJson(text);
      if (body === undefined) broken = badAnswer(`the body is not JSON: ${excerpt(text)}`);
      else for (const event of protocol.readBody(body)) accept.event(event);
    },
    get isSettled() {
      return assembler.isSettled;
    },
    get isBroken() {
      return broken !== undefined || assembler.hasFailed;
    },
    end(problem) {
      // What is left behind the last complete frame counts if it parses; else it is the torn end of a cut stream.
      if (broken === undefined) for (const frame of decoder.end().frames) readFrame(frame);
      accept.flush();
      return assembler.end(broken ?? problem);
    },
  };
}

/** What a model says in one answer fits many times over; more would only fill the memory. */
export const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

export const TOO_LONG: ModelError = {
  kind: "bad-answer",
  message: `the answer is longer than ${MAX_ANSWER_BYTES} bytes`,
  retryable: false,
};

/** Some servers end a stream of JSON with this word, which is not JSON. */
const SENTINEL = "[DONE]";

function acceptThrough(assembler: Assembler, thinkingTags: boolean) {
  if (!thinkingTags) return { event: (event: WireEvent) => assembler.accept(event), flush() {} };
  const tags = new ThinkTagSplitter();
  return {
    event(event: WireEvent) {
      for (const split of tags.split(event)) assembler.accept(split);
    },
    flush() {
      for (const rest of tags.flush()) assembler.accept(rest);
    },
  };
}

function badAnswer(message: string): ModelError {
  return { kind: "bad-answer", message, retryable: true };
}

function excerpt(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
