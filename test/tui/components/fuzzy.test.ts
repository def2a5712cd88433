import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createFuzzySearch, matchOffsets } from "../../../src/tui/components/fuzzy.ts";

const FILES = [
  "src/tui/screen/screen.ts",
  "src/tui/text/sanitise.ts",
  "test/tui/screen.test.ts",
  "docs/screens.md",
  "README.md",
  "src/cli/command-line.ts",
];
const found = (query: string) =>
  createFuzzySearch(FILES)
    .search(query, 3)
    .map(({ index }) => FILES[index]);

describe("fuzzy search", () => {
  test("prefers whole words, starts of words and the name itself", () => {
    expect([found("screen")[0], found("readme"), found("cl")[0], found("sanit")[0]]).toEqual([
      "docs/screens.md",
      ["README.md"],
      "src/cli/command-line.ts",
      "src/tui/text/sanitise.ts",
    ]);
  });

  test("an empty query gives the first entries", () => {
    expect(found("")).toEqual(FILES.slice(0, 3));
  });

  test("starts anew when the query does not continue the one before, and gives no more than is asked for", () => {
    const search = createFuzzySearch(["ab", "xxc", "ce", "c"]);
    search.search("a", 10);
    expect([search.search("c", 2), search.search("", 1)].map((found) => found.map(({ index }) => index))).toEqual([
      [3, 2],
      [0],
    ]);
  });

  test("says which letters matched", () => {
    expect([matchOffsets("src/Screen.ts", "scr"), matchOffsets("abc", "cb"), matchOffsets("abc", "")]).toEqual([
      [4, 5, 6],
      [],
      [],
    ]);
  });

  test("finds exactly the entries that hold the letters in order, however the query was typed", () => {
    const word = fc.stringMatching(/^[a-d/]{1,8}$/);
    fc.assert(
      fc.property(fc.array(word, { maxLength: 30 }), fc.stringMatching(/^[a-d]{1,4}$/), (entries, query) => {
        const search = createFuzzySearch(entries);
        const typed = [...query].map((_, index) => search.search(query.slice(0, index + 1), 100)).at(-1) ?? [];
        const pattern = new RegExp([...query].join(".*"));
        const expected = entries.flatMap((entry, index) => (pattern.test(entry) ? [index] : []));
        expect(typed.map(({ index }) => index).sort((a, b) => a - b)).toEqual(expected);
        expect(typed).toEqual(createFuzzySearch(entries).search(query, 100));
      }),
    );
  });
});
