import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { sanitise, sanitiseLine } from "../../../src/tui/text/sanitise.ts";

const CASES: [name: string, given: string, shown: string][] = [
  ["colours", "\x1b[1;31mred\x1b[0m", "red"],
  ["cursor movement and clearing", "a\x1b[2J\x1b[3J\x1b[Hb\x1b[?1049h", "ab"],
  ["a window title", "\x1b]0;title\x07after", "after"],
  ["a clipboard write", "\x1b]52;c;aGk=\x1b\\after", "after"],
  ["a hyperlink", "\x1b]8;;http://evil\x1b\\text\x1b]8;;\x1b\\", "text"],
  ["DCS, APC, PM and SOS", "\x1bPq1\x1b\\\x1b_Gx\x1b\\\x1b^p\x1b\\\x1bXs\x1b\\end", "end"],
  ["8-bit forms", "\x9b31mred\x9d0;t\x9cend\x90x\x9c", "redend"],
  ["short escapes", "\x1bc\x1b7\x1b8\x1b(B\x1b#8\x1b=x", "x"],
  ["a lone escape", "\x1b", ""],
  ["a string that never ends, which hides nothing", "\x1b]0;shown\nnext", "]0;shown\nnext"],
  ["bells, backspaces and nulls", "a\x07\b\0b\x7f", "ab"],
  ["line ends", "a\r\nb\rc\td", "a\nb\nc\td"],
  ["what turns the direction, by name", "a\u202eb\u2066c", "a<U+202E>b<U+2066>c"],
];

describe("untrusted text", () => {
  test.each(CASES)("is shown without %s", (_, given, shown) => {
    expect(sanitise(given)).toBe(shown);
  });

  test("in one line has no line ends", () => {
    expect(sanitiseLine("a\n\nb\tc\u2028d\x1b[1m")).toBe("a b c d");
  });

  const part = fc.oneof(
    fc.constantFrom(
      "\x1b",
      "[",
      "]",
      "\x9b",
      "\x9d",
      "\x07",
      "\x1b\\",
      "\x1bP",
      "31m",
      "\n",
      "\t",
      "\r",
      "\u202e",
      "\x18",
      "a",
    ),
    fc.string({ unit: "binary", maxLength: 4 }),
  );
  const hostile = fc.array(part, { maxLength: 20 }).map((parts) => parts.join(""));

  test("keeps no control character but line feed and tab, and a second pass changes nothing", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const clean = sanitise(text);
        expect([/(?![\n\t])[\p{Cc}\p{Bidi_Control}]/u.test(clean), sanitise(clean)]).toEqual([false, clean]);
      }),
      { numRuns: 500 },
    );
  });

  test("is cleaned line by line as it is as a whole", () => {
    fc.assert(
      fc.property(hostile, (given) => {
        const text = given.replaceAll("\r", "");
        expect(text.split("\n").map(sanitise).join("\n")).toBe(sanitise(text));
      }),
      { numRuns: 500 },
    );
  });

  test("of a million sequences takes no time to speak of", () => {
    const flood = "\x1b[31mx\x1b]0;t\x07".repeat(500_000);
    const started = performance.now();
    expect(sanitise(flood)).toBe("x".repeat(500_000));
    expect(performance.now() - started).toBeLessThan(2000);
  });
});
