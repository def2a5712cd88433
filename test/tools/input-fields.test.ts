import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { requireAll } from "../../src/llm/tool-schema.ts";
import {
  flag,
  integer,
  listOf,
  named,
  objectOf,
  oneOf,
  optional,
  parametersOf,
  parseInput,
  text,
} from "../../src/tools/input-fields.ts";

const fields = {
  path: named(text("where"), "file_path"),
  start: optional(integer("first line", { minimum: 1 })),
  mode: optional(oneOf(["fast", "slow"], "how")),
  deep: optional(flag("all the way")),
  edits: optional(listOf(objectOf({ line: integer("which"), by: text("what") }, "an edit"), "edits", 2)),
};

describe("the arguments of a tool", () => {
  test("have a closed JSON Schema that a strict provider takes", () => {
    expect(parametersOf(fields)).toEqual({
      type: "object",
      properties: {
        path: { type: "string", description: "where" },
        start: { type: "integer", description: "first line" },
        mode: { type: "string", enum: ["fast", "slow"], description: "how" },
        deep: { type: "boolean", description: "all the way" },
        edits: {
          type: "array",
          description: "edits",
          items: {
            type: "object",
            description: "an edit",
            properties: {
              line: { type: "integer", description: "which" },
              by: { type: "string", description: "what" },
            },
            required: ["line", "by"],
            additionalProperties: false,
          },
        },
      },
      required: ["path"],
      additionalProperties: false,
    });
    expect(requireAll(parametersOf(fields))).toBeDefined();
  });

  test("are read with the spellings models use: other names, quoted numbers and words, nulls for what is left out", () => {
    expect<unknown>(parseInput(fields, { file_path: "a", start: "12", deep: "true", mode: null })).toEqual({
      ok: true,
      value: { path: "a", start: 12, deep: true },
    });
  });

  test("that are wrong are all named at once", () => {
    const edits = [{ line: 1.5, by: "x" }];
    expect(parseInput(fields, { start: 0, mode: "quick", deep: 1, edits, colour: "red" })).toEqual({
      ok: false,
      message: [
        '"path" is missing',
        '"start" must be at least 1',
        '"mode" must be one of fast, slow',
        '"deep" must be true or false',
        '"edits" entry 1 "line" must be a whole number',
        '"colour" is not an argument of this tool',
      ].join("; "),
    });
    expect(parseInput(fields, { path: "a", edits: [1, 2, 3] })).toEqual({
      ok: false,
      message: '"edits" must have at most 2 entries',
    });
  });

  test("never throw, whatever they are", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (input) => {
        expect(typeof parseInput(fields, input).ok).toBe("boolean");
      }),
    );
  });
});
