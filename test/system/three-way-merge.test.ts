import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { mergeThreeWays } from "../../src/system/three-way-merge.ts";

/** Few different lines, so that they repeat and line up in surprising ways; some without an end, some with Windows ends. */
const line = fc.constantFrom("a\n", "b\n", "c\r\n", "\n", "d\n");
const anyText = fc
  .tuple(fc.array(line, { maxLength: 12 }), fc.constantFrom("", "end", "a"))
  .map(([lines, last]) => lines.join("") + last);

const merge = (base: string, ours: string, theirs: string) => mergeThreeWays({ base, ours, theirs });

describe("a three-way merge", () => {
  test("with one side unchanged is the other side, byte for byte", () => {
    fc.assert(
      fc.property(anyText, anyText, (base, other) => {
        expect(merge(base, other, base)).toEqual({ ok: true, text: other });
        expect(merge(base, base, other)).toEqual({ ok: true, text: other });
        expect(merge(base, other, other)).toEqual({ ok: true, text: other });
      }),
    );
  });

  test("does not depend on who is ours and who is theirs", () => {
    fc.assert(
      fc.property(anyText, anyText, anyText, (base, ours, theirs) => {
        const one = merge(base, ours, theirs);
        const other = merge(base, theirs, ours);
        expect(one.ok).toBe(other.ok);
        if (one.ok && other.ok) expect(one.text).toBe(other.text);
      }),
    );
  });

  test("takes edits of different lines from both sides", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat({ max: 39 }), { minLength: 2, maxLength: 20 }), fc.nat(), (places, seed) => {
        const base = Array.from({ length: 40 }, (_, index) => `line ${index}\n`);
        const split = 1 + (seed % (places.length - 1));
        const edit = (lines: string[], chosen: number[], mark: string) =>
          lines.map((text, index) => (chosen.includes(index) ? `${mark} ${index}\n` : text));
        const [mine, other] = [places.slice(0, split), places.slice(split)];
        const expected = edit(edit(base, mine, "ours"), other, "theirs").join("");
        const merged = merge(base.join(""), edit(base, mine, "ours").join(""), edit(base, other, "theirs").join(""));
        expect(merged).toEqual({ ok: true, text: expected });
      }),
    );
  });

  test("puts nothing into the result that neither side has", () => {
    fc.assert(
      fc.property(anyText, anyText, anyText, (base, ours, theirs) => {
        const merged = merge(base, ours, theirs);
        if (!merged.ok) return;
        const known = new Set([base, ours, theirs].flatMap((text) => text.split("\n")));
        expect(merged.text.split("\n").filter((part) => !known.has(part))).toEqual([]);
      }),
    );
  });

  test("keeps insertions, removals, Windows line ends and a missing last newline apart", () => {
    const base = "one\r\ntwo\r\nthree\r\nfour\r\nfive";
    const ours = "zero\r\none\r\ntwo\r\nthree\r\nfour\r\nfive";
    const theirs = "one\r\ntwo\r\nfour\r\nFIVE";
    expect(merge(base, ours, theirs)).toEqual({ ok: true, text: "zero\r\none\r\ntwo\r\nfour\r\nFIVE" });
  });

  test("names the place where both sides changed the same lines, in each text", () => {
    expect(merge("a\nb\nc\nd\n", "x\na\nB\nc\nd\n", "a\nbb\nc\nd\n")).toEqual({
      ok: false,
      conflicts: [{ base: { start: 1, end: 2 }, ours: { start: 2, end: 3 }, theirs: { start: 1, end: 2 } }],
    });
  });

  test("does not guess an order for two insertions at one place", () => {
    expect(merge("a\nb\n", "a\nx\nb\n", "a\ny\nb\n").ok).toBe(false);
    expect(merge("a\nb\n", "a\nx\nb\n", "a\nB\n").ok).toBe(false);
    expect(merge("a\nb\n", "a\nx\nb\n", "a\nx\nb\n")).toEqual({ ok: true, text: "a\nx\nb\n" });
  });

  test("never joins two lines where a newline is missing", () => {
    expect(merge("a\nb", "a\nb\nc", "a\nb\n").ok).toBe(false);
    expect(merge("a\nb", "A\nb", "a\nb\nc\n")).toEqual({ ok: true, text: "A\nb\nc\n" });
  });
});
