import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { highlightLine, type OpenCode } from "../../../src/tui/code/highlight.ts";
import { languageOf } from "../../../src/tui/code/languages.ts";

const NAMES = [
  "ts",
  "python",
  "rust",
  "go",
  "c",
  "java",
  "bash",
  "ruby",
  "php",
  "sql",
  "json",
  "yaml",
  "toml",
  "css",
  "html",
  "lua",
];

describe("highlighting", () => {
  test("tells strings, comments, numbers and keywords apart", () => {
    const { tokens } = highlightLine('const a = "x\\"y" + 0x1f; // const', languageOf("ts"));
    expect(tokens.map(({ text, role }) => `${role}:${text}`)).toEqual([
      "keyword:const",
      "text: a = ",
      'string:"x\\"y"',
      "text: + ",
      "number:0x1f",
      "text:; ",
      "comment:// const",
    ]);
  });

  test("carries an open comment or string over to the next line", () => {
    expect(roles("ts", ["/* one", "two */ let", "`a", "b` 1"])).toEqual([
      "comment",
      "comment text keyword",
      "string",
      "string text number",
    ]);
    expect(roles("python", ['x = """a', 'b""" # c'])).toEqual(["text string", "string text comment"]);
  });

  test("a sign inside a word or a string starts no comment", () => {
    expect(roles("bash", ['echo "# no" $# a#b # yes'])).toEqual(["keyword text string text comment"]);
    expect(roles("sql", ["SELECT 1 -- all"])).toEqual(["keyword text number text comment"]);
  });

  test("an unknown language is plain", () => {
    expect(highlightLine("let x", languageOf("klingon"))).toEqual({
      tokens: [{ text: "let x", role: "text" }],
      open: undefined,
    });
  });

  test("never changes the text, in any language", () => {
    fc.assert(
      fc.property(fc.constantFrom(...NAMES), fc.string({ unit: "grapheme" }), (name, text) => {
        const language = languageOf(name);
        expect(language).toBeDefined();
        expect(
          highlightLine(text, language)
            .tokens.map((token) => token.text)
            .join(""),
        ).toBe(text);
      }),
      { numRuns: 500 },
    );
  });
});

function roles(name: string, lines: string[]): string[] {
  let open: OpenCode;
  return lines.map((text) => {
    const line = highlightLine(text, languageOf(name), open);
    open = line.open;
    return line.tokens.map(({ role }) => role).join(" ");
  });
}
