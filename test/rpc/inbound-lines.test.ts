import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type InboundLine, InboundLines } from "../../src/rpc/inbound-lines.ts";

function taken(bytes: Uint8Array, cuts: readonly number[], maxBytes?: number): InboundLine[] {
  const lines = new InboundLines(maxBytes);
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  const read = places.slice(1).flatMap((end, index) => lines.take(bytes.slice(places[index], end)));
  return [...read, ...lines.rest()];
}

describe("lines that come in", () => {
  test("are the same wherever the bytes are cut", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme" })), fc.array(fc.nat()), (texts, cuts) => {
        const lines = texts.map((text) => text.replaceAll("\n", " "));
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
        expect(taken(bytes, cuts)).toEqual(lines.map((text) => ({ type: "text", text })));
      }),
    );
  });

  test("that are too long or not UTF-8 do not spoil those behind them", () => {
    const bytes = Buffer.concat([
      Buffer.from(`${"x".repeat(11)}\n`),
      Buffer.from([0xff, 0x0a]),
      Buffer.from(`${"y".repeat(10)}\nlast`),
    ]);
    const lines: InboundLine[] = [
      { type: "too-long" },
      { type: "not-utf8" },
      { type: "text", text: "y".repeat(10) },
      { type: "text", text: "last" },
    ];
    for (let cut = 0; cut <= bytes.length; cut++) expect(taken(bytes, [cut], 10)).toEqual(lines);
  });
});
