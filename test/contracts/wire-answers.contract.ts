import { expect, test } from "bun:test";
import type { ModelEvent } from "../../src/protocol/model-events.ts";
import { answered, answerOf, messageOf } from "./ask-model.ts";
import { READ, SAMPLES, TEXT } from "./sample-answers.ts";
import type { WireProtocolRow } from "./wire-protocols.ts";

/** Complete answers become complete messages. */
export function describeAnswers(row: WireProtocolRow): void {
  describeWholeMessages(row);
  describePieces(row);
  describeEnds(row);
}

function describeWholeMessages(row: WireProtocolRow): void {
  test.each(Object.entries(SAMPLES))("%s arrives whole and in order, in any cut of the bytes", async (_, answer) => {
    const done = { type: "done" as const, message: messageOf(row, answer) };
    for (const chunking of ["whole", "event", { bytes: 41 }] as const) {
      const { end } = await answered(row, { ...answer, chunking });
      expect(end).toEqual(done);
    }
  });

  test.each(Object.entries(SAMPLES))("%s is the same when it is not streamed", async (_, answer) => {
    const { end } = await answered(row, answer, { request: { stream: false } });
    expect(end).toEqual({ type: "done", message: messageOf(row, answer) });
  });

  test.each(Object.entries(SAMPLES))("%s: unknown events and fields change nothing", async (_, answer) => {
    for (const stream of [true, false]) {
      const { end } = await answered(row, { ...answer, fault: { type: "unknown-events" } }, { request: { stream } });
      expect(end).toEqual({ type: "done", message: messageOf(row, answer) });
    }
  });
}

function describePieces(row: WireProtocolRow): void {
  test("text is passed on piece by piece", async () => {
    const { events } = await answered(row, answerOf([TEXT]));
    const pieces = TEXT.type === "text" ? TEXT.deltas : [];
    expect(events.filter((event) => event.type.startsWith("text-"))).toEqual([
      { type: "text-start", index: 0 },
      ...pieces.map((text): ModelEvent => ({ type: "text-delta", index: 0, text })),
      { type: "text-end", index: 0 },
    ]);
  });

  test("the arguments of a call are passed on as they come", async () => {
    const { events } = await answered(row, answerOf([READ]));
    const pieces = events.flatMap((event) => (event.type === "tool-call-delta" ? [event.text] : []));
    const sent = READ.type === "tool-call" ? READ.deltas : [];
    if (row.streamsArguments) expect(pieces).toEqual(sent);
    else expect(JSON.parse(pieces.join(""))).toEqual(JSON.parse(sent.join("")));
  });
}

function describeEnds(row: WireProtocolRow): void {
  test("all counters are read, those of caches included", async () => {
    const answer = answerOf([TEXT], { usage: row.usage });
    for (const stream of [true, false]) {
      const { events, end } = await answered(row, answer, { request: { stream } });
      expect(end).toEqual({ type: "done", message: messageOf(row, answer) });
      expect(events.findLast((event) => event.type === "usage")).toEqual({
        type: "usage",
        usage: { ...row.alwaysCounted, ...row.usage },
      });
    }
  });

  test.each(row.stopReasons)("the end %s is understood", async (stopReason) => {
    const answer = answerOf([TEXT, ...(stopReason === "tool-use" ? [READ] : [])], { stopReason });
    for (const stream of [true, false]) {
      const { end } = await answered(row, answer, { request: { stream } });
      expect(end).toEqual({ type: "done", message: messageOf(row, answer) });
    }
  });

  test("an answer that ran out of room carries no tool call, whole or not", async () => {
    const torn = { ...READ, deltas: ['{"path": "/et'] } as typeof READ;
    for (const [call, stream] of [torn, READ].flatMap((part) => [true, false].map((way) => [part, way] as const))) {
      const { end } = await answered(row, answerOf([TEXT, call], { stopReason: "length" }), { request: { stream } });
      const expected = messageOf(row, answerOf([TEXT], { stopReason: "length" }));
      expect(end).toEqual({ type: "done", message: expected });
    }
  });
}
