import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { anchoredLine, anchorProblem, markOf, parseAnchor } from "../../src/tools/line-anchors.ts";

const line = fc.string({ unit: "binary" }).map((text) => text.replaceAll("\n", " "));

test("a shown line is its own anchor and holds in the text it was shown from", () => {
  fc.assert(
    fc.property(fc.array(line, { minLength: 1 }), fc.nat(), (lines, pick) => {
      const number = (pick % lines.length) + 1;
      const anchor = parseAnchor(anchoredLine(number, lines[number - 1] ?? ""));
      expect(anchor).toEqual({ line: number, mark: markOf(lines[number - 1] ?? "") });
      expect(anchor && anchorProblem(anchor, lines)).toBeUndefined();
    }),
  );
});

test("an anchor without its text counts, anything else does not", () => {
  expect(parseAnchor(" 12:a0")).toEqual({ line: 12, mark: "a0" });
  expect(["12", "12:", "12:a", "0:aa", "12:abc", "x:aa", "", "12:AA"].map(parseAnchor)).toEqual(
    Array(8).fill(undefined),
  );
});

test("a line that changed or went away makes its anchor stale, and what stands there now is shown", () => {
  const anchor = { line: 2, mark: markOf("old") };
  expect(anchorProblem(anchor, ["a", "new"])).toBe(
    `anchor 2:${markOf("old")} is stale; these lines stand there now:\n1:${markOf("a")}|a\n2:${markOf("new")}|new`,
  );
  expect(anchorProblem(anchor, ["a"])).toBe(`anchor 2:${markOf("old")} is past the end: the file has 1 lines`);
});

test("small changes of a line change its mark nearly always", () => {
  const marks = new Set(Array.from({ length: 1000 }, (_, index) => markOf(`  const value = ${index};`)));
  expect(marks.size).toBeGreaterThan(600);
});
