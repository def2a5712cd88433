import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { problemsWith, readSchema } from "../../../src/cli/print/json-schema-check.ts";
import type { Schema } from "../../../src/cli/print/json-schema-places.ts";

const fits = (schema: Schema, value: unknown) => problemsWith(schema, value).length === 0;

/** schema, values that fit, values that do not */
const ROWS: [Schema, unknown[], unknown[]][] = [
  [true, [1, null, "x"], []],
  [false, [], [1, null]],
  [{ type: "integer" }, [1, -3, 1.0], [1.5, "1", null]],
  [{ type: ["string", "null"] }, ["", null], [0, false, []]],
  [{ enum: [1, { a: [2], b: 3 }] }, [1, { b: 3, a: [2] }], [2, { a: [2] }]],
  [{ const: { a: 1 } }, [{ a: 1 }], [{ a: 1, b: 1 }, 1]],
  [{ minimum: 2, exclusiveMaximum: 5 }, [2, 4.9, "9"], [1.9, 5]],
  [{ maximum: 2, exclusiveMinimum: 1 }, [2, 1.1], [1, 2.1]],
  [{ multipleOf: 0.1 }, [0.3, 2, "x"], [0.25]],
  [{ minLength: 2, maxLength: 2 }, ["😀😀", "ab", 5], ["😀", "abc"]],
  [{ pattern: "^a+$" }, ["aa", 3], ["ab"]],
  [
    { minItems: 1, maxItems: 2, uniqueItems: true },
    [[1], [{ a: 1 }, { a: 2 }], 7],
    [
      [],
      [1, 2, 3],
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
    ],
  ],
  [{ prefixItems: [{ type: "string" }], items: { type: "number" } }, [["a", 1, 2], [], ["a"]], [[1], ["a", "b"]]],
  [{ required: ["a"], minProperties: 1, maxProperties: 2 }, [{ a: 1 }, [], "x"], [{ b: 1 }, { a: 1, b: 1, c: 1 }]],
  [
    {
      properties: { a: { type: "string" } },
      patternProperties: { "^x-": { type: "number" } },
      additionalProperties: false,
    },
    [{ a: "b", "x-1": 1 }, {}, { toString: undefined, ...{} }].slice(0, 2),
    [{ a: 1 }, { "x-1": "b" }, { c: 1 }, { toString: 1 }],
  ],
  [{ additionalProperties: { type: "number" } }, [{ a: 1 }], [{ a: "x" }]],
  [{ propertyNames: { pattern: "^[a-z]+$" } }, [{ ab: 1 }], [{ A: 1 }]],
  [{ allOf: [{ minimum: 1 }, { maximum: 3 }] }, [2], [0, 4]],
  [{ anyOf: [{ type: "string" }, { minimum: 3 }] }, ["x", 3], [2]],
  [{ oneOf: [{ multipleOf: 2 }, { multipleOf: 3 }] }, [2, 3], [6, 5]],
  [{ not: { type: "null" } }, [0, "x"], [null]],
  [
    {
      $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } }, required: ["value"] } },
      $ref: "#/$defs/node",
    },
    [{ value: 1, next: { value: 2 } }],
    [{ value: 1, next: {} }, 1],
  ],
  [{ format: "date-time", type: "string" }, ["not a date"], [1]],
];

describe("a JSON Schema", () => {
  for (const [schema, right, wrong] of ROWS) {
    test(`like ${JSON.stringify(schema)} lets in what fits and nothing else`, () => {
      expect(readSchema(schema)).toEqual({ ok: true, schema });
      expect(right.filter((value) => !fits(schema, value))).toEqual([]);
      expect(wrong.filter((value) => fits(schema, value))).toEqual([]);
    });
  }

  test("names the place of everything that does not fit", () => {
    const schema = { properties: { list: { items: { type: "string" } }, name: { type: "string" } }, required: ["id"] };
    expect(problemsWith(schema, { list: ["a", 1], name: null })).toEqual([
      "/list/1: has to be string, not number",
      "/name: has to be string, not null",
      'the answer: "id" is missing',
    ]);
  });

  test("that goes round in circles ends, and nothing fits it", () => {
    expect(problemsWith({ $ref: "#" }, 1)).toEqual(["it takes too long to check: the schema goes round in circles"]);
    const branching = { anyOf: Array.from({ length: 20 }, () => ({ not: { $ref: "#" } })) };
    expect(problemsWith(branching, 1)).not.toEqual([]);
  });

  test("reports twenty problems at most", () => {
    expect(
      problemsWith(
        { items: { type: "string" } },
        Array.from({ length: 100 }, () => 1),
      ),
    ).toHaveLength(20);
  });

  test("made from a value lets that value in and every value of another type out", () => {
    const shapeOf = (value: unknown): Schema => {
      if (value === null) return { type: "null" };
      if (Array.isArray(value))
        return value.length === 0
          ? { type: "array", maxItems: 0 }
          : { type: "array", prefixItems: value.map(shapeOf), items: false, minItems: value.length };
      if (typeof value !== "object") return { type: typeof value, const: value };
      const entries = Object.entries(value as object);
      const properties = Object.fromEntries(entries.map(([name, inner]) => [name, shapeOf(inner)]));
      return { type: "object", properties, required: entries.map(([name]) => name), additionalProperties: false };
    };
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (value, other) => {
        const here = JSON.parse(JSON.stringify(value)) as unknown;
        const there = JSON.parse(JSON.stringify(other)) as unknown;
        const schema = shapeOf(here);
        expect(readSchema(schema).ok).toBe(true);
        expect(problemsWith(schema, here)).toEqual([]);
        expect(fits(schema, there)).toBe(Bun.deepEquals(here, there));
      }),
    );
  });

  test("of any JSON is read or refused with a place, never with an exception", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (schema, value) => {
        const read = readSchema(schema);
        if (read.ok) problemsWith(read.schema, value);
        else expect(read.message).toMatch(/^(#|a schema)/);
      }),
    );
  });
});
