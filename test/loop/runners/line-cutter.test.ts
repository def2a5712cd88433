import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { lineCutter } from "../../../src/loop/runners/line-cutter.ts";

function cut(pieces: readonly Uint8Array[], limit?: number): string[] {
  const cutter = lineCutter(limit);
  return [
    ...pieces.flatMap((piece) => {
      const reused = piece.slice();
      const lines = cutter.add(reused);
      reused.fill(88);
      return lines;
    }),
    ...cutter.end(),
  ];
}

/** Cuts at sizes that go round. */
function inPieces(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let start = 0, turn = 0; start < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    pieces.push(bytes.subarray(start, start + size));
    start += size;
  }
  return pieces;
}

const encode = (text: string) => new TextEncoder().encode(text);
const sizes = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 5 });
const text = fc.string({ unit: fc.constantFrom("a", "é", "€", "😀", "\ufeff", "\n", "\r", "\r\n", "\0") });

describe("lines", () => {
  test("are those of the whole text, however the bytes are cut", () => {
    fc.assert(
      fc.property(text, sizes, (whole, pieces) => {
        const expected = whole.split(/\r\n|\r|\n/);
        if (expected.at(-1) === "") expected.pop();
        expect(cut(inPieces(encode(whole), pieces))).toEqual(expected);
      }),
    );
  });

  test("of any bytes come out the same however they are cut, and never throw", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), sizes, fc.integer({ min: 4, max: 20 }), (bytes, pieces, limit) => {
        expect(cut(inPieces(bytes, pieces), limit)).toEqual(cut([bytes], limit));
      }),
    );
  });

  test("are the same in one piece that is much longer than a line may be", () => {
    fc.assert(
      fc.property(text, sizes, fc.integer({ min: 4, max: 6 }), (whole, pieces, limit) => {
        expect(cut([encode(whole)], limit)).toEqual(cut(inPieces(encode(whole), pieces), limit));
      }),
    );
  });

  test("longer than the limit go on as the next line, cut between characters", () => {
    fc.assert(
      fc.property(text, sizes, fc.integer({ min: 4, max: 12 }), (whole, pieces, limit) => {
        const lines = cut(inPieces(encode(whole), pieces), limit);
        expect(lines.join("")).toBe(whole.replaceAll(/\r|\n/g, ""));
        for (const line of lines) expect(encode(line).length).toBeLessThanOrEqual(limit);
      }),
    );
    expect(cut([encode("0123456789\nab")], 4)).toEqual(["0123", "4567", "89", "ab"]);
  });

  test("of exactly the limit stay whole", () => {
    expect(cut([encode("0123\n4567"), encode("\n")], 4)).toEqual(["0123", "4567"]);
  });
});
