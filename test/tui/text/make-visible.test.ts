import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { makeVisible, makeVisibleInOneLine } from "../../../src/tui/text/make-visible.ts";

describe("a text that is to be allowed", () => {
  test("has every character that cannot be seen named, and long blanks counted", () => {
    expect(makeVisible("a\u200bb\u202ec\x1b[2Jd\u00ade\ufe0f\u2028")).toBe(
      "a<U+200B>b<U+202E>c<U+001B>[2Jd<U+00AD>e<U+FE0F><U+2028>",
    );
    expect([makeVisible(`a${" ".repeat(8)}b`), makeVisible(`a${" ".repeat(200)}b`)]).toEqual([
      `a${" ".repeat(8)}b`,
      "a [200 blanks] b",
    ]);
    expect(makeVisibleInOneLine("one\r\ntwo\nthree")).toBe("one⏎two⏎three");
  });

  test("holds nothing that cannot be seen, whatever it was", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(/(?!\t)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(makeVisibleInOneLine(text))).toBe(false);
      }),
    );
  });
});
