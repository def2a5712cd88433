import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { createAnswerReader } from "../../src/llm/read-answer.ts";
import { PROTOCOLS } from "../../src/llm/stream.ts";
import type { WireProtocol } from "../../src/llm/wire-protocol.ts";
import type { AssistantMessage } from "../../src/protocol/messages.ts";
import type { ModelError } from "../../src/protocol/model-errors.ts";
import type { ModelEnd, ModelEvent } from "../../src/protocol/model-events.ts";
import type { FakeAnswer } from "../support/fake-answer.ts";
import { everyBytes } from "../support/send-answer.ts";
import { renderStream, renderWhole } from "../support/wire/wire-renderer.ts";
import { type Asked, answered, answerOf, messageOf, TOOLS } from "./ask-model.ts";
import { eventOrderProblems } from "./event-order.ts";
import { READ, SAMPLES, TEXT, THINKING } from "./sample-answers.ts";
import { modelOf, type WireProtocolRow } from "./wire-protocols.ts";

const RECORDED = answerOf([TEXT, READ]);
const NETWORK: ModelError = { kind: "network", message: "the connection broke", retryable: true };

/** Answers that stop or break in the middle. Bytes are read here without a network: every offset is tried. */
export function describeBrokenStreams(row: WireProtocolRow): void {
  describeCuts(row);
  describeDamage(row);
}

function describeCuts(row: WireProtocolRow): void {
  test("cut at any byte, an answer ends once, without a tool call unless it was complete", async () => {
    const protocol = await PROTOCOLS[row.api]();
    const bytes = streamOf(row, RECORDED);
    const problems: string[] = [];
    for (let offset = 0; offset <= bytes.length; offset++) {
      // How the connection ended makes no difference to what had come, so the second way is tried at fewer places.
      for (const problem of offset % 7 === 0 ? [undefined, NETWORK] : [undefined]) {
        const asked = read({ row, protocol, problem }, [bytes.subarray(0, offset)]);
        problems.push(...cutProblems(row, asked).map((text) => `cut at ${offset} of ${bytes.length}: ${text}`));
      }
    }
    expect(problems.slice(0, 10)).toEqual([]);
    expect(read({ row, protocol }, [bytes]).end.type).toBe("done");
    expect(read({ row, protocol }, []).end).toMatchObject({ type: "error", error: { kind: "stream-cut" } });
  });

  test("a whole answer cut at any byte is a bad answer", async () => {
    const protocol = await PROTOCOLS[row.api]();
    const text = new TextDecoder().decode(renderWhole(row.renderer, RECORDED, contextOf(row)));
    const kinds = new Set<string>();
    for (let offset = 0; offset < text.length; offset++) {
      const end = readWhole(row, protocol, text.slice(0, offset));
      kinds.add(end.type === "error" ? end.error.kind : "done");
    }
    expect(kinds).toEqual(new Set(["bad-answer"]));
    expect(readWhole(row, protocol, text)).toEqual({ type: "done", message: messageOf(row, RECORDED) });
  });

  test.each(["close", "reset", "end"] as const)("a connection that ends early (%s) is a cut answer", async (ending) => {
    const length = streamOf(row, RECORDED).length;
    for (const atByte of [1, Math.floor(length / 3), Math.floor(length / 2)]) {
      const { end, events } = await answered(row, { ...RECORDED, fault: { type: "cut", atByte, ending } });
      expect(cutProblems(row, { end, events })).toEqual([]);
      // The runtime throws away what it had not yet handed over when a connection breaks, so that not one byte was seen.
      const unseen = ending !== "end" && events.length === 1 && kindOf(end) === "network";
      expect(unseen ? "stream-cut" : kindOf(end)).toBe("stream-cut");
    }
  });
}

function describeDamage(row: WireProtocolRow): void {
  test("the same bytes give the same events, however they are cut", async () => {
    const protocol = await PROTOCOLS[row.api]();
    const bytes = streamOf(row, answerOf([THINKING, TEXT, READ], { interleaved: true }));
    const expected = read({ row, protocol }, [bytes]);
    expect(read({ row, protocol }, everyBytes(bytes, 1))).toEqual(expected);
    const cuts = fc.array(fc.nat(bytes.length), { maxLength: 40 });
    fc.assert(
      fc.property(cuts, (places) => {
        expect(read({ row, protocol }, cutAt(bytes, places))).toEqual(expected);
      }),
      { numRuns: 40 },
    );
  });

  test.each(Object.entries(SAMPLES))("%s: one broken event ends the answer as a bad one", async (_, answer) => {
    for (const stream of [true, false]) {
      const { end } = await answered(row, { ...answer, fault: { type: "garbage" } }, { request: { stream } });
      expect(kindOf(end)).toBe("bad-answer");
      expect(callsIn(end)).toBe(0);
    }
  });

  test("no bytes whatsoever make the reader throw", async () => {
    const protocol = await PROTOCOLS[row.api]();
    const bytes = streamOf(row, RECORDED);
    const damage = fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(damage, (places) => {
        const damaged = new Uint8Array(bytes);
        for (const [place, value] of places) damaged[place] = value;
        expect(eventOrderProblems(read({ row, protocol }, [damaged]).events)).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });
}

function contextOf(row: WireProtocolRow) {
  return { model: row.modelId, serial: 1, includeUsage: true };
}

function streamOf(row: WireProtocolRow, answer: FakeAnswer): Uint8Array {
  return Buffer.concat(renderStream(row.renderer, answer, contextOf(row)));
}

interface Reading {
  row: WireProtocolRow;
  protocol: WireProtocol;
  /** How the connection broke, if it did. */
  problem?: ModelError;
}

function read({ row, protocol, problem }: Reading, pieces: Uint8Array[]): Asked {
  const events: ModelEvent[] = [];
  const emit = (event: ModelEvent) => void events.push(event);
  const reader = createAnswerReader(protocol, { model: modelOf(row, "http://fake"), tools: TOOLS, emit });
  for (const piece of pieces) reader.push(piece);
  const end = reader.end(problem);
  events.push(end);
  return { events, end };
}

function readWhole(row: WireProtocolRow, protocol: WireProtocol, text: string): ModelEnd {
  const options = { model: modelOf(row, "http://fake"), tools: TOOLS, emit: () => {} };
  const reader = createAnswerReader(protocol, options);
  reader.pushWhole(text);
  return reader.end();
}

/** What must hold for an answer that may have been cut anywhere. */
function cutProblems(row: WireProtocolRow, { events, end }: Asked): string[] {
  const problems = eventOrderProblems(events);
  if (end.type === "done") {
    // Counters may be missing: in some formats they come after everything else.
    const complete = substance(messageOf(row, RECORDED));
    if (substance(end.message) !== complete) problems.push(`done with ${substance(end.message)}`);
  } else if (callsIn(end) > 0) problems.push("the partial answer holds a tool call");
  return problems;
}

function substance({ content, stopReason }: AssistantMessage): string {
  return JSON.stringify([
    stopReason,
    content.map((part) => (part.type === "tool-call" ? [part.id, part.name, part.input] : [part.type, part.text])),
  ]);
}

function callsIn(end: ModelEnd): number {
  const message = end.type === "done" ? end.message : end.partial;
  return (message?.content ?? []).filter((part) => part.type === "tool-call").length;
}

function kindOf(end: ModelEnd): string {
  return end.type === "error" ? end.error.kind : end.type;
}

function cutAt(bytes: Uint8Array, places: number[]): Uint8Array[] {
  const borders = [0, ...places.toSorted((a, b) => a - b), bytes.length];
  return borders.slice(1).map((border, index) => bytes.subarray(borders[index], border));
}
