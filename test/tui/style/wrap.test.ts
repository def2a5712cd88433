import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Line, line, lineWidth, sliceLine, span, textOf } from "../../../src/tui/style/styled-line.ts";
import { truncateLine, truncateStart, wrapLine } from "../../../src/tui/style/wrap.ts";
import { graphemesOf } from "../../../src/tui/text/graphemes.ts";

const styledLine = fc
  .array(
    fc.record({
      text: fc.oneof(fc.stringMatching(/^[a-z ]{0,12}$/), fc.string({ unit: "grapheme", maxLength: 6 })),
      style: fc.constantFrom({}, { bold: true }, { foreground: "red" as const }),
    }),
    { maxLength: 5 },
  )
  .map((spans): Line => spans.map((one) => span(one.text.replace(/\p{Cc}/gu, " "), one.style)));

describe("wrapping", () => {
  test("breaks between words and keeps the styles", () => {
    const bold = { bold: true };
    expect(wrapLine(line("one ", span("two three", bold), " four"), 9)).toEqual([
      [span("one "), span("two", bold)],
      [span("three", bold)],
      [span("four")],
    ]);
  });

  test("breaks a word that is longer than a row, and between wide characters", () => {
    expect(wrapLine(line("ab abcdefghij k"), 4).map(textOf)).toEqual(["ab", "abcd", "efgh", "ij k"]);
    expect(wrapLine(line("漢字漢字漢"), 5).map(textOf)).toEqual(["漢字", "漢字", "漢"]);
  });

  test("indents the rows after the first", () => {
    const rows = wrapLine(line("one two three"), 7, { continuation: line("  "), indent: 2 });
    expect(rows.map(textOf)).toEqual(["one two", "  three"]);
  });

  test("breaks a word that fits the first row but not the indented ones", () => {
    const rows = wrapLine(line("ab elevenchars cd"), 11, { continuation: line("  "), indent: 2 });
    expect(rows.map(textOf)).toEqual(["ab", "  elevencha", "  rs cd"]);
  });

  test("cuts every row out of the spans it stands in, however many there are", () => {
    fc.assert(
      fc.property(styledLine, fc.integer({ min: 1, max: 20 }), (given, width) => {
        const rows = wrapLine(given, width);
        let at = 0;
        const text = textOf(given);
        const expected = rows.map((row) => {
          const start = text.indexOf(textOf(row), at);
          at = start + textOf(row).length;
          return sliceLine(given, start, at);
        });
        expect(rows).toEqual(rows.length === 1 ? rows : expected);
      }),
    );
    const many = Array.from({ length: 200_000 }, (_, index) => span("ab ", index % 2 === 0 ? {} : { bold: true }));
    expect(wrapLine(many, 80).length).toBe(Math.ceil(200_000 / 27));
  });

  test("never makes a row wider than the limit, but for a single wider grapheme, and loses nothing but spaces", () => {
    fc.assert(
      fc.property(styledLine, fc.integer({ min: 2, max: 20 }), (given, width) => {
        const rows = wrapLine(given, width);
        const isOne = (row: Line) => [...graphemesOf(textOf(row).trim())].length === 1;
        expect(rows.filter((row) => lineWidth(row) > width && !isOne(row))).toEqual([]);
        expect(rows.map(textOf).join("").replace(/\s/g, "")).toBe(textOf(given).replace(/\s/g, ""));
      }),
      { numRuns: 500 },
    );
  });
});

describe("truncation", () => {
  test("ends in an ellipsis in the style of what it cuts", () => {
    const red = { foreground: "red" } as const;
    expect(truncateLine(line("abc", span("defgh", red)), 6)).toEqual([span("abc"), span("de", red), span("…", red)]);
    expect(truncateLine(line("漢字漢字"), 6).map(({ text }) => text)).toEqual(["漢字", "…"]);
    expect(truncateLine(line("abcdef"), 2, "...")).toEqual([span("ab")]);
  });

  test("of a path keeps its end", () => {
    expect([truncateStart("src/tui/screen.ts", 10), truncateStart("short", 10)]).toEqual(["…screen.ts", "short"]);
  });

  test("never gives more than the width", () => {
    fc.assert(fc.property(styledLine, fc.nat(20), (given, width) => lineWidth(truncateLine(given, width)) <= width));
  });
});
