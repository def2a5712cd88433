import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { rawLinesOf } from "../../src/system/line-diff.ts";
import { decodeText, encodeText, linesOf, textContent } from "../../src/tools/text-content.ts";
import { applyLineEdits, applySpanEdits, conflictBetween, type LineEdit } from "../../src/tools/text-edits.ts";

const piece = fc.constantFrom("a", "b", "é", "\n", "\r\n", "\r", "😀");
const anyText = fc.array(piece, { maxLength: 40 }).map((parts) => parts.join(""));
const plainText = fc.array(fc.constantFrom("a", "b", "\n"), { maxLength: 40 }).map((parts) => parts.join(""));

describe("text content", () => {
  test("survives taking apart and putting together", () => {
    fc.assert(
      fc.property(anyText, fc.boolean(), (raw, hasMark) => {
        const bytes = new TextEncoder().encode((hasMark ? "\uFEFF" : "") + raw);
        const content = decodeText(bytes);
        expect(content === undefined ? undefined : encodeText(content, content.raw)).toEqual(bytes);
        expect(rawLinesOf(raw).join("")).toBe(raw);
      }),
    );
  });

  test("is not there for bytes that are no text", () => {
    expect(decodeText(new Uint8Array([0x61, 0]))).toBeUndefined();
    expect(decodeText(new Uint8Array([0xff, 0xfe, 0x41]))).toBeUndefined();
  });
});

describe("span edits", () => {
  test("equal cutting and pasting in a text with plain newlines", () => {
    fc.assert(
      fc.property(plainText, fc.array(fc.tuple(fc.nat(40), fc.nat(5), plainText), { maxLength: 5 }), (raw, wishes) => {
        const edits = spansIn(raw, wishes);
        let expected = raw;
        for (const { start, end, replacement } of [...edits].reverse())
          expected = expected.slice(0, start) + replacement + expected.slice(end);
        expect(applySpanEdits(textContent(raw), edits)).toBe(expected);
      }),
    );
  });

  test("in a file with Windows line ends give the same text with Windows line ends", () => {
    fc.assert(
      fc.property(plainText, fc.array(fc.tuple(fc.nat(40), fc.nat(5), plainText), { maxLength: 5 }), (raw, wishes) => {
        fc.pre(raw.includes("\n"));
        const edits = spansIn(raw, wishes);
        const windows = applySpanEdits(textContent(raw.replaceAll("\n", "\r\n")), edits);
        expect(windows).toBe(applySpanEdits(textContent(raw), edits).replaceAll("\n", "\r\n"));
      }),
    );
  });

  test("leave mixed line ends they do not change alone", () => {
    const content = textContent("a\r\nb\nc\r\nd");
    expect(applySpanEdits(content, [{ start: 0, end: 5, replacement: "a\nb\nX" }])).toBe("a\r\nb\nX\r\nd");
  });
});

describe("line edits", () => {
  const edit = fc.record({
    at: fc.nat(8),
    removed: fc.nat(3),
    inserted: fc.array(fc.constantFrom("x", "", "yy"), { maxLength: 3 }),
  });

  test("equal splicing a list of lines from the bottom up", () => {
    fc.assert(
      fc.property(plainText, fc.array(edit, { maxLength: 4 }), (raw, wishes) => {
        const lines = linesOf(raw);
        const edits = wishes.filter(({ at, removed }) => at + removed <= lines.length);
        fc.pre(conflictBetween(edits) === undefined);
        expect(applyLineEdits(textContent(raw), edits)).toBe(spliced(raw, edits));
        const windows = raw.replaceAll("\n", "\r\n");
        if (raw.includes("\n"))
          expect(applyLineEdits(textContent(windows), edits)).toBe(spliced(raw, edits).replaceAll("\n", "\r\n"));
      }),
      { numRuns: 1000 },
    );
  });

  test("that overlap are named", () => {
    const remove = (at: number, removed: number): LineEdit => ({ at, removed, inserted: [] });
    expect(conflictBetween([remove(0, 2), remove(2, 1)])).toBeUndefined();
    expect(conflictBetween([remove(3, 1), remove(0, 2), remove(1, 1)])).toEqual([1, 2]);
    expect(conflictBetween([{ at: 1, removed: 0, inserted: ["x"] }, remove(0, 2)])).toEqual([0, 1]);
    expect(
      conflictBetween([{ at: 0, removed: 0, inserted: ["x"] }, remove(0, 2), { at: 2, removed: 0, inserted: ["y"] }]),
    ).toBeUndefined();
  });
});

function spansIn(raw: string, wishes: [number, number, string][]) {
  const sorted = wishes.map(([start, length, replacement]) => ({ start, end: start + length, replacement }));
  sorted.sort((left, right) => left.start - right.start);
  let free = 0;
  return sorted.filter(({ start, end }) => {
    const fits = start >= free && end <= raw.length;
    if (fits) free = end;
    return fits;
  });
}

/** Later places first; at one place a removal before the insertions that stand above it, and those from last to first. */
function spliced(raw: string, edits: readonly LineEdit[]): string {
  const lines = linesOf(raw);
  const order = edits.map((edit, index) => ({ edit, index }));
  order.sort(
    (a, b) => b.edit.at - a.edit.at || Number(b.edit.removed > 0) - Number(a.edit.removed > 0) || b.index - a.index,
  );
  for (const { edit } of order) lines.splice(edit.at, edit.removed, ...edit.inserted);
  const isEnded = raw === "" || raw.endsWith("\n");
  return lines.join("\n") + (lines.length > 0 && isEnded ? "\n" : "");
}
