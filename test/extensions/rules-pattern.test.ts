import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createAutomaton, type PatternAutomaton } from "../../src/extensions/rules/pattern-automaton.ts";
import { parsePattern } from "../../src/extensions/rules/pattern-syntax.ts";

function automatonFor(...patterns: string[]): PatternAutomaton {
  const trees = patterns.map((pattern) => {
    const parsed = parsePattern(pattern);
    if (!parsed.ok) throw new Error(`${pattern}: ${parsed.message}`);
    return parsed.tree;
  });
  const created = createAutomaton(trees);
  if (!created.ok) throw new Error(created.message);
  return created.automaton;
}

function matches(automaton: PatternAutomaton, ...pieces: string[]): boolean {
  let place = automaton.start;
  for (const piece of pieces) place = automaton.read(place, piece, 0).place;
  return automaton.finish(place).isMatched;
}

const ATOMS = "a,b,-,.,\\d,\\w,\\s,\\S,[ab],[^a],[\\]x],[^],^,$,\\b,\\B,\\n,\\x61,\\u0062,{,],\\.,é".split(",");
const REPEATS = ["*", "+", "?", "{2}", "{1,3}", "{0,}", "{0}", "*?", "+?"];

const pattern = fc.letrec<{ part: string }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(...ATOMS),
    fc.array(tie("part"), { minLength: 1, maxLength: 4 }).map((parts) => parts.join("")),
    fc.tuple(tie("part"), fc.constantFrom(...REPEATS)).map(([part, repeat]) => `(?:${part})${repeat}`),
    fc.tuple(tie("part"), tie("part")).map(([one, other]) => `(${one}|${other})`),
  ),
})).part;

const text = fc.string({ unit: fc.constantFrom("a", "b", "-", "1", " ", "\n", "x", "é", "{", "]"), maxLength: 12 });

function isRegular(source: string): boolean {
  try {
    return new RegExp(source, "m") !== undefined;
  } catch {
    return false;
  }
}

describe("a condition", () => {
  test("matches what the expression of the language matches, line by line", () => {
    fc.assert(
      fc.property(pattern.filter(isRegular), text, fc.boolean(), (source, given, ignoresCase) => {
        const expected = new RegExp(source, ignoresCase ? "mi" : "m").test(given);
        expect(matches(automatonFor(`${ignoresCase ? "(?i)" : ""}${source}`), given)).toBe(expected);
      }),
      { numRuns: 1000 },
    );
  });

  test("matches at the same character however the text is cut", () => {
    fc.assert(
      fc.property(pattern.filter(isRegular), fc.array(text, { maxLength: 5 }), (source, pieces) => {
        const automaton = automatonFor(source);
        const whole = automaton.read(automaton.start, pieces.join(""), 0);
        let place = automaton.start;
        let end = 0;
        for (const piece of pieces) {
          if (place.isMatched) break;
          const read = automaton.read(place, piece, 0);
          place = read.place;
          end += read.end;
        }
        const wasMatchedAtOnce = automaton.start.isMatched;
        expect({ isMatched: place.isMatched, end }).toEqual({
          isMatched: whole.place.isMatched,
          end: wasMatchedAtOnce ? 0 : whole.end,
        });
      }),
      { numRuns: 500 },
    );
  });

  test("is found as soon as it is said, not a character later", () => {
    const automaton = automatonFor("as any");
    expect(automaton.read(automaton.start, "x as any;", 0).end).toBe("x as any".length);
  });

  test("takes properties of letters, flags in front, and several at once", () => {
    expect(matches(automatonFor("^\\p{Lu}\\p{Ll}+$"), "éa\nÉté")).toBe(true);
    expect(matches(automatonFor("(?is)console.log"), "CONSOLE\nLOG")).toBe(true);
    expect(matches(automatonFor("none", "two$"), "one\ntwo")).toBe(true);
    expect(matches(automatonFor("(?<name>a)(?:b)"), "ab")).toBe(true);
  });

  test.each([
    ["a(?=b)", "(?=b… cannot be tested in one pass: no lookahead, lookbehind or flags of a group"],
    ["(?<!a)b", "(?<!… cannot be tested in one pass: no lookahead, lookbehind or flags of a group"],
    ["(a)\\1", "\\1 refers back, which cannot be tested in one pass"],
    ["(?<x>a)\\k<x>", "\\k refers back, which cannot be tested in one pass"],
  ])("that cannot be tested in one pass is refused with the reason: %p", (source, message) => {
    expect(parsePattern(source)).toEqual({ ok: false, message });
  });

  test("that is too long or nested too deep is refused", () => {
    expect(parsePattern("a".repeat(2001))).toEqual({ ok: false, message: "it is longer than 2000 characters" });
    const nested = `${"(".repeat(60)}a${")".repeat(60)}`;
    expect(parsePattern(nested)).toEqual({ ok: false, message: "it is nested deeper than 50 levels" });
  });

  test("that is no expression is refused", () => {
    expect(parsePattern("a(").ok).toBe(false);
    expect(parsePattern("[z-a]").ok).toBe(false);
  });

  test("whose counted repetitions would fill the memory is refused", () => {
    const parsed = parsePattern("((a{1,100}){1,100}){1,100}");
    if (!parsed.ok) throw new Error(parsed.message);
    expect(createAutomaton([parsed.tree])).toEqual({
      ok: false,
      message: "it has more than 1000 places, counted repetitions written out",
    });
  });

  test("that makes other engines go back forever takes one pass", () => {
    const automaton = automatonFor("(a+)+$", "^(a|aa)*b", "(x+x+)+y", "(.*)*(.*)*z");
    expect(matches(automaton, `${"a".repeat(200_000)}!`)).toBe(false);
    expect(automaton.isExhausted()).toBe(false);
  });

  test("that needs too many situations is given up and matches nothing", () => {
    const automaton = automatonFor("a(?:a|b){60}c");
    let number = 1;
    const letters = Array.from({ length: 100_000 }, () => {
      number = (number * 1_103_515_245 + 12_345) & 0x7f_ff_ff_ff;
      return (number & 65_536) === 0 ? "a" : "b";
    });
    expect(matches(automaton, letters.join(""))).toBe(false);
    expect(automaton.isExhausted()).toBe(true);
    expect(matches(automaton, `${"a".repeat(61)}c`)).toBe(false);
  });
});
