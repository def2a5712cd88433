import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { findFault } from "../../src/models/yaml-fault.ts";
import { formatPath, type PathPart, type Position, yamlPositions } from "../../src/models/yaml-positions.ts";

const EXAMPLE = `# my models
providers:
  my-provider: # the team's
    baseUrl: http://localhost:8000/v1
    "apiKey": 'KEY # not a comment'
    headers: {X-Team: platform, "X-Two": [1, 2]}
    notes: |
      models: not a key
      # neither
    models:
    - id: first
      cost: { input: 1,
        output: 2 }
    -
      id: second
      name: folded
        over lines
    -   id: third:8b
'other/one':
  - - deep
    - deeper: 1
`;

describe("yamlPositions", () => {
  const positions = yamlPositions(EXAMPLE);
  const cases: [PathPart[], Position][] = [
    [[], { line: 1, column: 1 }],
    [["providers"], { line: 2, column: 1 }],
    [["providers", "my-provider"], { line: 3, column: 3 }],
    [["providers", "my-provider", "apiKey"], { line: 5, column: 5 }],
    [["providers", "my-provider", "headers", "X-Two"], { line: 6, column: 33 }],
    [["providers", "my-provider", "headers", "X-Two", 1], { line: 6, column: 46 }],
    [["providers", "my-provider", "models"], { line: 10, column: 5 }],
    [["providers", "my-provider", "models", 0], { line: 11, column: 7 }],
    [["providers", "my-provider", "models", 0, "cost", "output"], { line: 13, column: 9 }],
    [["providers", "my-provider", "models", 1, "name"], { line: 16, column: 7 }],
    [["providers", "my-provider", "models", 2, "id"], { line: 18, column: 9 }],
    [["other/one", 0, 1, "deeper"], { line: 21, column: 7 }],
  ];
  for (const [path, position] of cases) {
    test(`finds ${formatPath(path) || "the document"} where it stands`, () => {
      expect(positions.find(path)).toEqual(position);
    });
  }

  test("answers with the nearest parent of a key that is missing", () => {
    expect(positions.find(["providers", "my-provider", "models", 1, "contextWindow"])).toEqual({ line: 15, column: 7 });
    expect(positions.find(["providers", "my-provider", "notes", "models"])).toEqual({ line: 7, column: 5 });
    expect(positions.find(["nothing", "here"])).toEqual({ line: 1, column: 1 });
  });

  test("looks through anchors, tags, document marks and a byte order mark", () => {
    const found = yamlPositions("\ufeff%YAML 1.2\n---\na: &x\n  b: !!str 1\nc: !!map {d: &y 2}\n");
    expect(found.find(["a", "b"])).toEqual({ line: 4, column: 3 });
    expect(found.find(["c", "d"])).toEqual({ line: 5, column: 11 });
  });

  test("lists keys that are written twice, at any depth", () => {
    const text = "a: 1\nb:\n  - {x: 1, y: 2, x: 3}\na: 2\n";
    expect(yamlPositions(text).repeatedKeys()).toEqual([
      { path: ["b", 0, "x"], first: { line: 3, column: 6 }, again: { line: 3, column: 18 } },
      { path: ["a"], first: { line: 1, column: 1 }, again: { line: 4, column: 1 } },
    ]);
  });

  test("finds every key and item of any document that Bun writes, in block form and as JSON", () => {
    fc.assert(
      fc.property(document(), fc.constantFrom(0, 2, 4), (value, indent) => {
        const text = indent === 0 ? JSON.stringify(value, null, 1) : Bun.YAML.stringify(value, null, indent);
        expect(Bun.YAML.parse(text)).toEqual(value);
        const found = yamlPositions(text);
        for (const path of pathsOf(value)) expectKeyAt(text, found.find(path), path);
        expect(found.repeatedKeys()).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test("returns whatever the text holds", () => {
    const piece = fc.constantFrom(
      "a",
      ": ",
      "- ",
      "\n",
      "  ",
      "{",
      "}",
      "[",
      "]",
      ",",
      '"',
      "'",
      "#",
      "|",
      "&x ",
      "---",
      "\t",
    );
    const text = fc.oneof(
      fc.string(),
      fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join("")),
    );
    fc.assert(
      fc.property(text, (any) => {
        const { line, column } = yamlPositions(any).find(["a", 0, "a"]);
        expect(line >= 1 && column >= 1).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  test("reads deep nesting and long lines without growing slow", () => {
    expect(yamlPositions("[".repeat(200_000)).find(["a"])).toEqual({ line: 1, column: 1 });
    expect(yamlPositions("- ".repeat(200_000)).find(["a"])).toEqual({ line: 1, column: 1 });
    expect(yamlPositions(`${" ".repeat(500_000)}\nb: 1`).find(["b"])).toEqual({ line: 2, column: 1 });
  });
});

describe("findFault", () => {
  const cases: [string, string, { line: number; column: number; unclosed?: "{" | "[" }][] = [
    ["a tab used for indentation", "a:\n  b: 1\n\tc: 2\nd: 3\n", { line: 3, column: 2 }],
    ["a value with a second colon", "a: 1\nb: c: d\ne: 1\n", { line: 2, column: 1 }],
    ["a bracket that is never closed", "a: 1\nb: [1,\n  2\n", { line: 2, column: 4, unclosed: "[" }],
    ["a wrong indentation", "a:\n  b: 1\n c: 2\nd: 1\n", { line: 3, column: 2 }],
    ["an unknown alias", "a: 1\nb: *nowhere\n", { line: 2, column: 1 }],
    ["a missing colon in JSON", '{\n  "a": 1,\n  "b" 2,\n  "c": 3\n}\n', { line: 3, column: 3 }],
    ["a text that begins wrong", "@", { line: 1, column: 1 }],
  ];
  for (const [what, text, fault] of cases) {
    test(`points at the line of ${what}`, () => {
      expect(findFault(text, parses)).toEqual(fault);
    });
  }

  test("is not misled by values that span lines", () => {
    expect(findFault('a: "one\n  two"\nb: |\n  [ {\nc: {\n  d: 1\n}\ne: ]\n', parses)).toEqual({ line: 8, column: 1 });
  });
});

function parses(text: string): boolean {
  try {
    Bun.YAML.parse(text);
    return true;
  } catch {
    return false;
  }
}

function document(): fc.Arbitrary<Record<string, unknown>> {
  const key = fc
    .oneof(fc.stringMatching(/^[a-z][a-z0-9/.: -]{0,10}$/), fc.string({ maxLength: 8 }))
    .filter(
      (text) =>
        text !== "__proto__" &&
        !/^(0x|0o|[-+.\d~]|null|true|false|<<)/i.test(text.trim()) &&
        !/[\ud800-\udfff\ufeff\u0085\u2028\u2029]/.test(text),
    );
  const scalar = fc.oneof(
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.string({ maxLength: 12 }),
    fc.constant("a: b\n# c\n- d"),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      scalar,
      fc.dictionary(key, tie("value"), { minKeys: 1, maxKeys: 4 }),
      fc.array(tie("value"), { minLength: 1, maxLength: 3 }),
    ),
  }));
  return fc
    .dictionary(key, value ?? scalar, { minKeys: 1, maxKeys: 5 })
    .map((found) => JSON.parse(JSON.stringify(found)));
}

function pathsOf(value: unknown, path: PathPart[] = []): PathPart[][] {
  if (typeof value !== "object" || value === null) return path.length === 0 ? [] : [path];
  const children: [PathPart, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  const below = children.flatMap(([key, child]) => pathsOf(child, [...path, key]));
  return path.length === 0 ? below : [path, ...below];
}

/** The text at the place must begin with the key; an item's own text differs by style, so its line is enough there. */
function expectKeyAt(text: string, { line, column }: Position, path: PathPart[]): void {
  const rest = (text.split("\n")[line - 1] ?? "").slice(column - 1);
  const key = path.at(-1);
  if (typeof key === "number") return;
  const written = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|.*?)(?=\s*:(?:\s|$))/.exec(rest)?.[0] ?? rest;
  expect(Object.keys(Bun.YAML.parse(`${written}: 1`) as object)).toEqual([key ?? ""]);
}
