import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  type AnswerSchema,
  checkAnswer,
  readAnswerSchema,
  SCHEMA_LIMITS,
} from "../../../src/rpc/gates/answer-schema.ts";

describe("a schema outside the subset is refused when it is made", () => {
  for (const [title, schema, path, words] of [
    ["an unknown keyword", { type: "string", pattern: "a" }, "/pattern", 'the keyword "pattern" is not supported'],
    ["a keyword of another draft", { $ref: "#/x" }, "/$ref", 'the keyword "$ref" is not supported'],
    [
      "a keyword below properties",
      { properties: { a: { minItems: 1 } } },
      "/properties/a/minItems",
      'the keyword "minItems" is not supported',
    ],
    ["a keyword in an alternative", { anyOf: [{}, { not: {} }] }, "/anyOf/1/not", 'the keyword "not" is not supported'],
    ["a name of Object.prototype", { constructor: {} }, "/constructor", 'the keyword "constructor" is not supported'],
    [
      "an unknown type",
      { type: "any" },
      "/type",
      '"type" must be one of string, number, integer, boolean, null, object, array',
    ],
    [
      "an inherited type",
      { type: "toString" },
      "/type",
      '"type" must be one of string, number, integer, boolean, null, object, array',
    ],
    ["an empty enum", { enum: [] }, "/enum", '"enum" must be a list of one or more values'],
    ["a negative length", { minLength: -1 }, "/minLength", '"minLength" must be a whole number from 0'],
    ["a limit that is no number", { maximum: "3" }, "/maximum", '"maximum" must be a number'],
    ["a list of items", { items: [{}] }, "/items", '"items" must be a schema'],
    [
      "a name with a slash",
      { properties: { "a/b~": { x: 1 } } },
      "/properties/a~1b~0/x",
      'the keyword "x" is not supported',
    ],
  ] as const) {
    test(title, () => {
      expect(readAnswerSchema(schema)).toEqual({
        ok: false,
        error: { code: "invalid_workflow_gate_schema", message: `The schema at ${path}: ${words}.`, path },
      });
    });
  }

  test("what is no object", () => {
    expect(readAnswerSchema(["a"])).toEqual({
      ok: false,
      error: { code: "invalid_workflow_gate_schema", message: "The schema: it is not an object.", path: "" },
    });
  });

  test("what is nested too deep, or too long", () => {
    let deep: object = {};
    for (let level = 0; level <= SCHEMA_LIMITS.depth; level++) deep = { items: deep };
    const path = "/items".repeat(SCHEMA_LIMITS.depth + 1);
    expect(readAnswerSchema(deep)).toEqual({
      ok: false,
      error: {
        code: "invalid_workflow_gate_schema",
        message: `The schema at ${path}: it is nested deeper than 16 levels.`,
        path,
      },
    });
    const long = readAnswerSchema({ description: "x".repeat(SCHEMA_LIMITS.characters) });
    expect(long).toEqual({
      ok: false,
      error: {
        code: "invalid_workflow_gate_schema",
        message: "The schema: it has 65554 characters, more than 65536.",
        path: "",
      },
    });
  });
});

test("what was read does not change with the object it was read from", () => {
  const raw = { type: "string", enum: ["a"] };
  const schema = readWell(raw);
  raw.enum.push("b");
  expect(checkAnswer(schema, "b")).toEqual([
    { path: "/answer", keyword: "enum", message: "must be one of the values it may have", expected: ["a"] },
  ]);
});

test("every keyword says where and what, with what it expected", () => {
  const schema = readWell({
    type: "object",
    properties: {
      name: { type: "string", minLength: 2, maxLength: 3 },
      count: { type: "integer", minimum: 1, maximum: 5 },
      "a/b": { const: { x: [1] } },
      tags: { type: "array", items: { enum: ["x", null] } },
    },
    required: ["name", "there"],
    additionalProperties: false,
  });
  const answer = { name: "😀", count: 7.5, "a/b": { x: [2] }, tags: ["x", "y"], more: 1 };
  expect(checkAnswer(schema, answer)).toEqual([
    { path: "/answer/more", keyword: "additionalProperties", message: "is not a property it may have" },
    { path: "/answer/a~1b", keyword: "const", message: "must be the one value it may have", expected: { x: [1] } },
    { path: "/answer/count", keyword: "maximum", message: "must be at most 5", expected: 5 },
    { path: "/answer/count", keyword: "type", message: "must be integer", expected: "integer" },
    { path: "/answer/name", keyword: "minLength", message: "must have at least 2 characters", expected: 2 },
    {
      path: "/answer/tags/1",
      keyword: "enum",
      message: "must be one of the values it may have",
      expected: ["x", null],
    },
    { path: "/answer/there", keyword: "required", message: "is missing" },
  ]);
});

test("alternatives are counted", () => {
  const one = readWell({ oneOf: [{ type: "number" }, { minimum: 3 }] });
  expect(checkAnswer(one, 2)).toEqual([]);
  expect(checkAnswer(one, 4)).toEqual([
    {
      path: "/answer",
      keyword: "oneOf",
      message: "must fit exactly one of the alternatives, and fits 2",
      expected: 1,
    },
  ]);
  const any = readWell({ anyOf: [{ type: "string" }, { type: "null" }] });
  expect(checkAnswer(any, false)).toEqual([
    { path: "/answer", keyword: "anyOf", message: "must fit at least one of the alternatives" },
  ]);
});

describe("names of Object.prototype are names like others", () => {
  test("what every object inherits does not count as there", () => {
    const schema = readWell({ required: ["toString", "__proto__"], additionalProperties: false });
    expect(checkAnswer(schema, {})).toEqual([
      { path: "/answer/toString", keyword: "required", message: "is missing" },
      { path: "/answer/__proto__", keyword: "required", message: "is missing" },
    ]);
  });

  test("a property of that name is checked where it is an own one", () => {
    const schema = readWell(
      JSON.parse('{"properties": {"__proto__": {"type": "string"}}, "additionalProperties": false}'),
    );
    expect(checkAnswer(schema, JSON.parse('{"__proto__": 3}'))).toEqual([
      { path: "/answer/__proto__", keyword: "type", message: "must be string", expected: "string" },
    ]);
    expect(checkAnswer(schema, JSON.parse('{"constructor": 3}'))).toEqual([
      { path: "/answer/constructor", keyword: "additionalProperties", message: "is not a property it may have" },
    ]);
    expect(({} as Record<string, unknown>).type).toBeUndefined();
  });
});

test("no more errors are told than the limit says", () => {
  const schema = readWell({ items: { type: "string" } });
  expect(checkAnswer(schema, Array(10_000).fill(1))).toHaveLength(SCHEMA_LIMITS.errors);
});

const NAMES = ["a", "b", "toString", "__proto__"];
const name = fc.constantFrom(...NAMES);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<unknown>(null, true, false, 0, 1, 1.5, -2, "", "x", "yy", "😀"),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(name, tie("value"), { maxKeys: 3 }),
  ),
}));
const typeName = fc.constantFrom("string", "number", "integer", "boolean", "null", "object", "array");
const { schema } = fc.letrec<{ schema: Record<string, unknown> }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constant({}),
    fc.record(
      {
        type: fc.oneof(typeName, fc.array(typeName, { minLength: 1, maxLength: 3 })),
        enum: fc.array(value, { minLength: 1, maxLength: 3 }),
        const: value,
        properties: fc.dictionary(name, tie("schema"), { maxKeys: 2 }),
        required: fc.array(name, { maxLength: 2 }),
        additionalProperties: fc.oneof(fc.boolean(), tie("schema")),
        items: tie("schema"),
        minLength: fc.nat(2),
        maxLength: fc.nat(2),
        minimum: fc.integer({ min: -2, max: 2 }),
        maximum: fc.integer({ min: -2, max: 2 }),
        title: fc.string(),
        oneOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }),
        anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }),
      },
      { requiredKeys: [] },
    ),
  ),
}));

interface Rules {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, Rules>;
  required?: string[];
  additionalProperties?: boolean | Rules;
  items?: Rules;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  oneOf?: Rules[];
  anyOf?: Rules[];
}

/** The subset as its specification reads, without saying what is wrong. */
function fits(rules: Rules, answer: unknown): boolean {
  const members = typeof answer === "object" && answer !== null && !Array.isArray(answer) ? Object.entries(answer) : [];
  const is = (type: string) => {
    if (type === "integer") return typeof answer === "number" && answer % 1 === 0;
    if (type === "array") return Array.isArray(answer);
    if (type === "null") return answer === null;
    const isPlain = answer !== null && !Array.isArray(answer);
    return typeof answer === type && (type !== "object" || isPlain);
  };
  const known = Object.entries(rules.properties ?? {});
  const { additionalProperties: more = true, minLength, maxLength, minimum, maximum, oneOf, anyOf } = rules;
  const length = typeof answer === "string" ? [...answer].length : undefined;
  const number = typeof answer === "number" ? answer : undefined;
  return [
    rules.type === undefined || [rules.type].flat().some(is),
    rules.enum?.some((one) => Bun.deepEquals(one, answer, true)) ?? true,
    !("const" in rules) || Bun.deepEquals(rules.const, answer, true),
    known.every(([name, inner]) => members.every(([key, member]) => key !== name || fits(inner, member))),
    !is("object") || (rules.required ?? []).every((name) => members.some(([key]) => key === name)),
    members.every(([key, member]) => {
      if (known.some(([name]) => name === key)) return true;
      return typeof more === "boolean" ? more : fits(more, member);
    }),
    rules.items === undefined || !Array.isArray(answer) || answer.every((one) => fits(rules.items ?? {}, one)),
    length === undefined || (length >= (minLength ?? 0) && length <= (maxLength ?? length)),
    number === undefined || (number >= (minimum ?? number) && number <= (maximum ?? number)),
    oneOf === undefined || oneOf.filter((one) => fits(one, answer)).length === 1,
    anyOf?.some((one) => fits(one, answer)) ?? true,
  ].every(Boolean);
}

test("an answer fits exactly where a plain reading of the subset says so", () => {
  fc.assert(
    fc.property(schema, value, (rules, answer) => {
      const plain = JSON.parse(JSON.stringify(answer));
      expect(checkAnswer(readWell(rules), plain).length === 0).toBe(fits(JSON.parse(JSON.stringify(rules)), plain));
    }),
    { numRuns: 1000 },
  );
});

function readWell(raw: unknown): AnswerSchema {
  const reading = readAnswerSchema(raw);
  if (!reading.ok) throw new Error(reading.error.message);
  return reading.schema;
}
