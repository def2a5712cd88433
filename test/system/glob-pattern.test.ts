import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { expandBraces, globExpression } from "../../src/system/glob-pattern.ts";

describe("a glob", () => {
  const atom = fc.constantFrom("a", "b", "é", "😀", "*", "**", "/**/", "?", "/", "[ab]", "[!a]", "\\*", "\\/", "**/");
  const pattern = fc.array(atom, { maxLength: 7 }).map((atoms) => atoms.join(""));
  const path = fc
    .array(fc.constantFrom("a", "b", "ab", "é", "😀", "*", "/"), { maxLength: 8 })
    .map((all) => all.join(""));

  test("fits what trying everything finds to fit", () => {
    fc.assert(
      fc.property(pattern, path, (glob, text) => {
        expect({ glob, text, fits: globExpression(glob)?.test(text) }).toEqual({
          glob,
          text,
          fits: simplyFits(glob, text),
        });
      }),
      { numRuns: 5_000 },
    );
  });

  test("is never slow, however it is made", () => {
    const hostile: [pattern: string, path: string][] = [
      ["*a*a*a*a*a*a*a*a*a*a*a*ab", "a".repeat(60)],
      [`${"*a".repeat(120)}b`, "a".repeat(255)],
      [`${"*?".repeat(120)}b`, "a".repeat(255)],
      [`${"*[a-z]".repeat(120)}b`, "a".repeat(255)],
      [`${"**/a/".repeat(100)}b`, "a/".repeat(2000)],
      [`${"**/*a*a*a*a/".repeat(100)}b`, "aaaaaaaaa/".repeat(400)],
      [`${"*a*/".repeat(100)}b`, "aaaaaaaaa/".repeat(400)],
      [`[${"[:".repeat(2000)}]b`, "a"],
      [`${"*".repeat(4000)}b`, "a".repeat(4000)],
    ];
    const slow = hostile.filter(([glob, text]) => {
      const began = performance.now();
      expect(globExpression(glob)?.test(text) ?? false).toBe(false);
      return performance.now() - began > 100;
    });
    expect(slow).toEqual([]);
  });

  test("with a set nobody can read fits nothing, and does not throw", () => {
    expect(globExpression("[[:constructor:]]")).toBeUndefined();
    expect(globExpression("[[:nothing:]]")).toBeUndefined();
    expect(globExpression("[a")).toBeUndefined();
    expect(["😀", "\ufffd"].map((letter) => globExpression("[😀-\ufffd]")?.test(letter))).toEqual([true, false]);
    expect(globExpression("[\ufffd-😀]")?.test("😀")).toBe(true);
  });
});

describe("braces", () => {
  test("are expanded from the inside, each in its turn", () => {
    expect(expandBraces("{a,b{c,d}}.{x,y}")).toEqual(["a.x", "a.y", "bc.x", "bc.y", "bd.x", "bd.y"].sort());
    expect(expandBraces("{a}{}{,b}}")).toEqual(["{a}{}}", "{a}{}b}"]);
  });

  test("that would make more than a hundred stay as they are written, in little time", () => {
    const began = performance.now();
    const many = `{${",".repeat(200_000)}}`;
    expect(expandBraces(many)).toEqual([many]);
    expect(expandBraces(`{${",".repeat(200_000)}`)).toHaveLength(1);
    expect(expandBraces("{a,b}".repeat(200)).length).toBeLessThanOrEqual(100);
    expect(performance.now() - began).toBeLessThan(500);
  });
});

/** Says the same as simply as it can be said, trying everything; only for short patterns. */
function simplyFits(glob: string, text: string, before = "/"): boolean {
  const [letter = ""] = text;
  const next = (piece: string, fits: boolean) =>
    fits && simplyFits(glob.slice(piece.length), text.slice(letter.length), piece.at(-1));
  if (glob === "") return text === "";
  const folders = before === "/" ? /^\*\*+(\/|$)/.exec(glob)?.[0] : undefined;
  if (folders?.endsWith("*")) return true;
  const stars = folders ?? /^\*+/.exec(glob)?.[0];
  if (stars !== undefined) {
    const rest = glob.slice(stars.length);
    const starts = [
      "",
      ...Array.from(text, (_, index) =>
        Array.from(text)
          .slice(0, index + 1)
          .join(""),
      ),
    ];
    const canTake = (start: string) => (folders === undefined ? !start.includes("/") : /^$|\/$/.test(start));
    return starts.some((start) => canTake(start) && simplyFits(rest, text.slice(start.length), stars.at(-1)));
  }
  if (glob.startsWith("?")) return next("?", letter !== "" && letter !== "/");
  if (glob.startsWith("[ab]")) return next("[ab]", letter === "a" || letter === "b");
  if (glob.startsWith("[!a]")) return next("[!a]", letter !== "" && letter !== "/" && letter !== "a");
  const [literal = ""] = glob.replace(/^\\/, "");
  return next(glob.startsWith("\\") ? `\\${literal}` : literal, letter === literal);
}
