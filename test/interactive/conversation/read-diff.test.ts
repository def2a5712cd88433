import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readShownDiff } from "../../../src/interactive/conversation/read-diff.ts";
import { diffTexts, formatDiff } from "../../../src/tools/diff.ts";

const shown = (before: string, after: string, maximumCharacters = 100_000) =>
  `Changed a.ts:\n${formatDiff(diffTexts(before, after), { hasAnchors: true, maximumCharacters })}`;

describe("the difference of an editing tool, read back", () => {
  test("has the numbers and the texts of its lines", () => {
    expect(readShownDiff(`merged\n${shown("a\nb\nc\n", "a\nB\nc\nd")}\nBackup: /b`)).toEqual({
      remarks: ["merged", "Backup: /b"],
      hunks: [
        {
          oldStart: 1,
          newStart: 1,
          lines: [
            { type: "same", text: "a" },
            { type: "removed", text: "b" },
            { type: "added", text: "B" },
            { type: "same", text: "c" },
            { type: "added", text: "d" },
          ],
        },
      ],
    });
  });

  test("what was left out in the middle shifts no number", () => {
    const numbered = (name: string) => Array.from({ length: 300 }, (_, index) => `${name} ${index + 1}\n`).join("");
    const { hunks } = readShownDiff(shown(numbered("old"), numbered("new"), 600)) ?? { hunks: [] };
    expect(hunks.map(({ oldStart, newStart, lines }) => [oldStart, newStart, lines[0]])).toEqual([
      [1, 1, { type: "removed", text: "old 1" }],
      [1, expect.any(Number), { type: "added", text: expect.stringMatching(/^new 2\d\d$/) }],
    ]);
    const last = hunks.at(-1);
    expect(last?.lines[0]?.text).toBe(`new ${last?.newStart}`);
  });

  test("is nothing for other texts", () => {
    expect([readShownDiff("Created a.ts (3 lines)."), readShownDiff("@@ -1,1 +1,1 @@\nfree words")]).toEqual([
      undefined,
      undefined,
    ]);
  });

  test("gives back all changed lines of any two texts", () => {
    const text = fc
      .array(fc.constantFrom("a", "b|", "-1|x", "+2:ab|y", "@@ -1,1 +1,1 @@", ""))
      .map((rows) => rows.join("\n"));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const diff = diffTexts(before, after);
        const count = (type: string) =>
          (readShownDiff(shown(before, after))?.hunks ?? []).flatMap(({ lines }) =>
            lines.filter((line) => line.type === type),
          ).length;
        const removed = diff.changes.reduce((sum, { oldStart, oldEnd }) => sum + oldEnd - oldStart, 0);
        const added = diff.changes.reduce((sum, { newStart, newEnd }) => sum + newEnd - newStart, 0);
        expect([count("removed"), count("added")]).toEqual([removed, added]);
      }),
    );
  });
});
