import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { closeObjects, dropOptionalNulls, requireAll } from "../../src/llm/tool-schema.ts";
import type { JsonObject } from "../../src/protocol/json.ts";

const text = { type: "string" };
const object = (properties: JsonObject, rest: JsonObject = {}): JsonObject => ({ type: "object", properties, ...rest });

describe("the form in which every property is required", () => {
  const cases: [string, JsonObject, JsonObject | undefined][] = [
    [
      "makes optional properties nullable and closes the object",
      object({ path: text, limit: { type: "integer", description: "Lines" } }, { required: ["path"] }),
      {
        type: "object",
        properties: { path: text, limit: { type: ["integer", "null"], description: "Lines" } },
        required: ["path", "limit"],
        additionalProperties: false,
      },
    ],
    [
      "closes objects inside arrays and unions",
      object({
        edits: { type: "array", items: object({ old: text }, { required: ["old"] }) },
        where: { oneOf: [object({ line: { type: "integer" } }, { required: ["line"] }), { type: "null" }] },
      }),
      {
        type: "object",
        properties: {
          edits: {
            anyOf: [
              {
                type: "array",
                items: { type: "object", properties: { old: text }, required: ["old"], additionalProperties: false },
              },
              { type: "null" },
            ],
          },
          where: {
            anyOf: [
              {
                type: "object",
                properties: { line: { type: "integer" } },
                required: ["line"],
                additionalProperties: false,
              },
              { type: "null" },
            ],
          },
        },
        required: ["edits", "where"],
        additionalProperties: false,
      },
    ],
    [
      "inlines local references and collapses a single allOf, the outer description winning",
      object(
        {
          first: { $ref: "#/$defs/Place", description: "Where it starts" },
          last: { allOf: [{ $ref: "#/$defs/Place" }] },
        },
        { required: ["first", "last"], $defs: { Place: { type: "integer", description: "A line" } } },
      ),
      {
        type: "object",
        properties: {
          first: { type: "integer", description: "Where it starts" },
          last: { type: "integer", description: "A line" },
        },
        required: ["first", "last"],
        additionalProperties: false,
      },
    ],
    [
      "turns a const into an enum, infers the type of an enum and adds null to an optional one",
      object({ kind: { const: "file" }, mode: { enum: ["r", "w"] } }, { required: ["kind"] }),
      {
        type: "object",
        properties: {
          kind: { type: "string", enum: ["file"] },
          mode: { type: ["string", "null"], enum: ["r", "w", null] },
        },
        required: ["kind", "mode"],
        additionalProperties: false,
      },
    ],
    [
      "keeps the limits the decoder knows and moves the others into the description",
      object(
        {
          count: { type: "integer", minimum: 1, maximum: 9, default: 3, description: "How many" },
          name: { type: "string", minLength: 1, pattern: "^a", format: "uri", title: "Name" },
          when: { type: "string", format: "date-time" },
        },
        { required: ["count", "name", "when"], $schema: "https://json-schema.org/draft/2020-12/schema" },
      ),
      {
        type: "object",
        properties: {
          count: { type: "integer", minimum: 1, maximum: 9, description: "How many (default: 3)" },
          name: { type: "string", description: '(format: "uri", pattern: "^a", minLength: 1)' },
          when: { type: "string", format: "date-time" },
        },
        required: ["count", "name", "when"],
        additionalProperties: false,
      },
    ],
    [
      "reads an object without properties at the root as a tool without arguments",
      { type: "object" },
      { type: "object", properties: {}, required: [], additionalProperties: false },
    ],
    ["refuses an open map", object({ env: { type: "object", additionalProperties: text } }), undefined],
    ["refuses an object that names no properties", object({ env: { type: "object" } }), undefined],
    ["refuses a value of any kind", object({ value: {} }), undefined],
    ["refuses a schema that contains itself", object({ child: { $ref: "#" } }), undefined],
    [
      "refuses a reference to itself",
      object({ a: { $ref: "#/$defs/A" } }, { $defs: { A: { $ref: "#/$defs/A" } } }),
      undefined,
    ],
    ["refuses references to other documents", object({ a: { $ref: "https://example.com/a.json" } }), undefined],
    ["refuses references that lead nowhere", object({ a: { $ref: "#/$defs/Missing" } }), undefined],
    ["refuses several allOf parts", object({ a: { allOf: [text, { minLength: 1 }] } }), undefined],
    ["refuses negation", object({ a: { type: "string", not: { const: "x" } } }), undefined],
    ["refuses arrays and objects in enums", object({ a: { enum: [["x"]] } }), undefined],
    ["refuses a union at the root", { anyOf: [object({ a: text }), object({ b: text })] }, undefined],
    ["refuses a required name that is no property", object({ a: text }, { required: ["b"] }), undefined],
  ];
  test.each(cases)("%s", (_title, schema, expected) => {
    const before = structuredClone(schema);
    expect(requireAll(schema)).toEqual(expected);
    expect(schema).toEqual(before);
  });

  test("gives up on a schema nested deeper than ten objects and on one that would grow too large", () => {
    let deep: JsonObject = object({ leaf: text });
    for (let level = 0; level < 10; level += 1) deep = object({ next: deep });
    expect(requireAll(deep)).toBeUndefined();

    const doubling: JsonObject = { D0: text };
    for (let n = 1; n < 30; n += 1) {
      doubling[`D${n}`] = { anyOf: [{ $ref: `#/$defs/D${n - 1}` }, { $ref: `#/$defs/D${n - 1}` }] };
    }
    expect(requireAll(object({ all: { $ref: "#/$defs/D29" } }, { $defs: doubling }))).toBeUndefined();
  });

  test("is closed and all-required everywhere, and the same when applied again", () => {
    fc.assert(
      fc.property(schemaArbitrary, (schema) => {
        const once = requireAll(schema);
        if (once === undefined) return;
        for (const node of objectsIn(once)) {
          expect(node.additionalProperties).toBe(false);
          expect(node.required).toEqual(Object.keys(node.properties as JsonObject));
        }
        expect(requireAll(once)).toEqual(once);
      }),
      { numRuns: 300 },
    );
  });

  test("takes whatever it is given", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...KEYWORDS), fc.jsonValue()), (schema) => {
        requireAll(schema as JsonObject);
        closeObjects(schema as JsonObject);
        dropOptionalNulls({ a: null, properties: { a: [null] } }, schema as JsonObject);
      }),
    );
  });
});

describe("the form in which objects are closed", () => {
  test("leaves optional properties optional and moves every limit into the description", () => {
    const schema = object(
      {
        path: { ...text, minLength: 1 },
        url: { type: "string", format: "uri" },
        tags: { type: "array", items: text, minItems: 2 },
      },
      { required: ["path"] },
    );
    expect(closeObjects(schema)).toEqual({
      type: "object",
      properties: {
        path: { type: "string", description: "(minLength: 1)" },
        url: { type: "string", format: "uri" },
        tags: { type: "array", items: text, description: "(minItems: 2)" },
      },
      required: ["path"],
      additionalProperties: false,
    });
  });

  test("is not there for an open map", () => {
    expect(closeObjects(object({ env: { type: "object", additionalProperties: true } }))).toBeUndefined();
  });
});

describe("nulls that stand for a property left out", () => {
  const schema = object(
    {
      path: text,
      limit: { type: "integer" },
      owner: { type: ["string", "null"] },
      anything: {},
      mode: { enum: ["r", "w"] },
      edits: { type: "array", items: object({ old: text, all: { type: "boolean" } }, { required: ["old"] }) },
      target: {
        anyOf: [
          object({ kind: { const: "file" }, name: text }, { required: ["kind"] }),
          object({ kind: { const: "line" }, name: { type: ["string", "null"] } }, { required: ["kind"] }),
        ],
      },
      place: { $ref: "#/$defs/Place" },
    },
    { required: ["path"], $defs: { Place: object({ column: { type: "integer" } }) } },
  );

  test("are removed where the schema does not allow null, and stay where it does", () => {
    const input = {
      path: null,
      limit: null,
      owner: null,
      anything: null,
      mode: null,
      unknown: null,
      edits: [{ old: "a", all: null }, null],
      target: { kind: "line", name: null },
      place: { column: null },
    };
    expect(dropOptionalNulls(input, schema)).toEqual({
      path: null,
      owner: null,
      anything: null,
      unknown: null,
      edits: [{ old: "a" }, null],
      target: { kind: "line", name: null },
      place: {},
    });
    expect(dropOptionalNulls({ path: "a", target: { kind: "file", name: null } }, schema)).toEqual({
      path: "a",
      target: { kind: "file" },
    });
  });

  test("survive a schema that refers to itself", () => {
    const loop = object(
      { next: { $ref: "#/$defs/A" } },
      { $defs: { A: { $ref: "#/$defs/B" }, B: { $ref: "#/$defs/A" } } },
    );
    expect(dropOptionalNulls({ next: { a: null } }, loop)).toEqual({ next: { a: null } });
  });
});

test("a property called __proto__ is only a property", () => {
  const schema = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"},"a":{"type":"string"}}}');
  const strict = requireAll(schema);
  expect(JSON.stringify(strict)).toBe(
    '{"type":"object","properties":{"__proto__":{"type":["string","null"]},"a":{"type":["string","null"]}},"required":["__proto__","a"],"additionalProperties":false}',
  );
  const input = JSON.parse('{"__proto__":{"polluted":true},"a":null}');
  expect(JSON.stringify(dropOptionalNulls(input, schema))).toBe('{"__proto__":{"polluted":true}}');
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

const KEYWORDS = [
  ...["type", "properties", "required", "items", "anyOf", "oneOf", "allOf", "$ref", "enum", "const", "nullable"],
  ...["additionalProperties", "description", "default", "format", "minItems", "$defs", "__proto__"],
];

const leaf = fc.oneof(
  fc.record(
    {
      type: fc.constantFrom("string", "integer", "boolean", "number"),
      description: fc.constantFrom("A thing", ""),
      default: fc.constantFrom("x", 1, null),
      format: fc.constantFrom("uri", "date", "made-up"),
      nullable: fc.boolean(),
      minLength: fc.nat(5),
    },
    { requiredKeys: ["type"] },
  ),
  fc.record({ enum: fc.uniqueArray(fc.constantFrom("a", "b", 1, null, true), { minLength: 1 }) }),
  fc.record({ const: fc.constantFrom("a", 1, false) }),
  fc.record({ type: fc.constant(["string", "null"]) }),
  fc.record({ $ref: fc.constantFrom("#/$defs/Leaf", "#/$defs/Object") }),
);

const { node } = fc.letrec<{ node: JsonObject; object: JsonObject }>((tie) => ({
  object: fc
    .dictionary(fc.constantFrom("a", "b", "c", "__proto__", "toString"), tie("node"), { maxKeys: 3 })
    .chain((properties) =>
      fc.subarray(Object.keys(properties)).map((required) => ({ type: "object", properties, required }) as JsonObject),
    ),
  node: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf as fc.Arbitrary<JsonObject>,
    tie("object"),
    fc.record({ type: fc.constant("array"), items: tie("node") }) as fc.Arbitrary<JsonObject>,
    fc.record({ anyOf: fc.array(tie("node"), { minLength: 1, maxLength: 3 }) }) as fc.Arbitrary<JsonObject>,
    fc.record({ allOf: fc.tuple(tie("node")) }) as unknown as fc.Arbitrary<JsonObject>,
  ),
}));

const schemaArbitrary = fc
  .dictionary(fc.constantFrom("a", "b", "c", "d"), node, { maxKeys: 4 })
  .map((properties) => object(properties, { $defs: { Leaf: text, Object: object({ deep: text }) } }));

function objectsIn(value: unknown): JsonObject[] {
  if (typeof value !== "object" || value === null) return [];
  const self = (value as JsonObject).type === "object" ? [value as JsonObject] : [];
  return [...self, ...Object.values(value).flatMap(objectsIn)];
}
