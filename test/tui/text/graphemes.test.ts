import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { cellWidth, expandTabs, graphemesOf, nextBoundary, previousBoundary } from "../../../src/tui/text/graphemes.ts";

const WIDTHS: [text: string, width: number, graphemes: number][] = [
  ["", 0, 0],
  ["plain", 5, 5],
  ["Grüße", 5, 5],
  ["e\u0301", 1, 1],
  ["漢字", 4, 2],
  ["한글", 4, 2],
  ["👩‍👩‍👧‍👦", 2, 1],
  ["🇩🇪🇫🇷", 4, 2],
  ["👍🏽", 2, 1],
  ["1️⃣", 2, 1],
  ["❤️", 2, 1],
  ["\u200b", 0, 1],
];

describe("the cells of a text", () => {
  test.each(WIDTHS)("%j takes %d cells in %d graphemes", (text, width, count) => {
    const graphemes = [...graphemesOf(text)];
    expect({
      width: cellWidth(text),
      count: graphemes.length,
      joined: graphemes.map((one) => one.text).join(""),
    }).toEqual({
      width,
      count,
      joined: text,
    });
  });

  test("characters of ambiguous width are as wide as the terminal shows them", () => {
    expect([cellWidth("±§"), cellWidth("±§", "wide")]).toEqual([2, 4]);
  });

  test("tabs reach to the next stop, counted in cells", () => {
    expect(["\tx", "ab\tx", "漢\tx", "abcd\tx"].map((text) => expandTabs(text))).toEqual([
      "    x",
      "ab  x",
      "漢  x",
      "abcd    x",
    ]);
    expect(expandTabs("\tx", 8, 3)).toBe("     x");
  });

  test("stepping forward and back goes from grapheme to grapheme", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 20 }), (given) => {
        const text = given.replaceAll("\r", "");
        const starts = [...graphemesOf(text)].map(({ start }) => start);
        const ends = [...starts.slice(1), text.length];
        expect(starts.map((start) => nextBoundary(text, start))).toEqual(starts.length === 0 ? [] : ends);
        expect(ends.slice(0, starts.length).map((end) => previousBoundary(text, end))).toEqual(starts);
      }),
    );
  });
});
