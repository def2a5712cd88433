import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { type Diff, diffTexts, formatDiff } from "../../src/tools/diff.ts";
import { markOf } from "../../src/tools/line-anchors.ts";

const text = fc
  .array(fc.constantFrom("a", "b", "c", "\n", "\n", "\r\n", "dd"), { maxLength: 60 })
  .map((parts) => parts.join(""));
const wide = { hasAnchors: false, maximumCharacters: 1_000_000 };

describe("a diff", () => {
  test("makes the new text of the old one", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(patchedByChanges(diffTexts(before, after))).toBe(after);
      }),
      { numRuns: 500 },
    );
  });

  test("makes the new text of the old one as it is written", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(patchedByHunks(before, formatDiff(diffTexts(before, after), wide))).toBe(after);
      }),
      { numRuns: 500 },
    );
  });

  test("is as short as the longest common part allows", () => {
    const lines = fc.array(fc.constantFrom("a\n", "b\n", "c\n"), { maxLength: 12 });
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const { changes } = diffTexts(before.join(""), after.join(""));
        const size = changes.reduce(
          (sum, { oldStart, oldEnd, newStart, newEnd }) => sum + oldEnd - oldStart + newEnd - newStart,
          0,
        );
        expect(size).toBe(before.length + after.length - 2 * commonLength(before, after));
      }),
      { numRuns: 300 },
    );
  });

  test("shows numbers, and anchors for what stands there now", () => {
    const before = "one\ntwo\nthree\nfour\nfive\nsix\n";
    const shown = formatDiff(diffTexts(before, before.replace("four", "4")), { ...wide, hasAnchors: true });
    expect(shown).toBe(
      [
        "@@ -2,5 +2,5 @@",
        ` 2:${markOf("two")}|two`,
        ` 3:${markOf("three")}|three`,
        "-4|four",
        `+4:${markOf("4")}|4`,
        ` 5:${markOf("five")}|five`,
        ` 6:${markOf("six")}|six`,
      ].join("\n"),
    );
  });

  test("is cut in the middle when it is long", () => {
    const after = Array.from({ length: 100 }, (_, index) => `line ${index}\n`).join("");
    const shown = formatDiff(diffTexts("", after), { hasAnchors: false, maximumCharacters: 80 }).split("\n");
    expect(shown).toEqual([
      "@@ -0,0 +1,100 @@",
      "+line 0",
      "+line 1",
      "[… 94 diff lines left out …]",
      "+line 96",
      "+line 97",
      "+line 98",
      "+line 99",
    ]);
  });

  test("of two wholly different large files is one replacement", () => {
    const file = (name: string) => Array.from({ length: 50_000 }, (_, index) => `${name} ${index}\n`).join("");
    expect(diffTexts(file("old"), file("new")).changes).toEqual([
      { oldStart: 0, oldEnd: 50_000, newStart: 0, newEnd: 50_000 },
    ]);
  });
});

function patchedByChanges({ changes, oldLines, newLines }: Diff): string {
  const result = [...oldLines];
  for (const { oldStart, oldEnd, newStart, newEnd } of [...changes].reverse())
    result.splice(oldStart, oldEnd - oldStart, ...newLines.slice(newStart, newEnd));
  return result.join("");
}

/** What a patch program does: context and removed lines must be there, added ones are put in. */
function patchedByHunks(before: string, diff: string): string {
  const old = before.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const result: string[] = [];
  let at = 0;
  const lines = diff === "" ? [] : diff.split("\n");
  for (const [index, line] of lines.entries()) {
    const header = /^@@ -(\d+),(\d+) /.exec(line);
    const body = line.slice(1) + (lines[index + 1]?.startsWith("\\") ? "" : "\n");
    if (header !== null) {
      const start = Number(header[1]) - (header[2] === "0" ? 0 : 1);
      while (at < start) result.push(old[at++] ?? "");
    } else if (line.startsWith("+")) result.push(body);
    else if (!line.startsWith("\\")) {
      expect(old[at]).toBe(body);
      if (line.startsWith(" ")) result.push(body);
      at++;
    }
  }
  return [...result, ...old.slice(at)].join("");
}

function commonLength(left: string[], right: string[]): number {
  const table = Array.from({ length: left.length + 1 }, () => new Array<number>(right.length + 1).fill(0));
  const at = (i: number, j: number) => table[i]?.[j] ?? 0;
  for (let i = 1; i <= left.length; i++) {
    for (let j = 1; j <= right.length; j++) {
      const row = table[i] ?? [];
      row[j] = left[i - 1] === right[j - 1] ? at(i - 1, j - 1) + 1 : Math.max(at(i - 1, j), at(i, j - 1));
    }
  }
  return at(left.length, right.length);
}
