import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { setYamlValue } from "../../../src/cli/settings/edit-yaml.ts";

describe("setting a value in a YAML text", () => {
  const cases: [title: string, before: string, path: string[], value: unknown, after: string][] = [
    ["begins an empty file", "", ["a", "b"], "x", "a:\n  b: x\n"],
    ["keeps a file of comments", "# mine\n", ["a"], 1, "# mine\na: 1\n"],
    ["replaces on its line and keeps the comment behind it", "a: 1 # why\nb: 2\n", ["a"], 5, "a: 5 # why\nb: 2\n"],
    [
      "adds below a parent, as deep as its siblings",
      "a:\n    b: 1\nc: 2\n",
      ["a", "d"],
      3,
      "a:\n    d: 3\n    b: 1\nc: 2\n",
    ],
    ["fills a parent that holds nothing", "a:\nc: 2\n", ["a", "d"], 3, "a:\n  d: 3\nc: 2\n"],
    ["opens an empty flow mapping", "a: {}\nc: 2\n", ["a", "d"], 3, "a:\n  d: 3\nc: 2\n"],
    ["appends to a file without a last line break", "a: 1", ["b"], 2, "a: 1\nb: 2\n"],
  ];
  test.each(cases)("%s", (_, before, path, value, after) => {
    expect(setYamlValue(before, path, value)).toBe(after);
  });

  test("is refused where it could not be done safely", () => {
    const refused: [string, string[]][] = [
      ["a: [", ["b"]],
      ["- a\n- b\n", ["b"]],
      ["a: { b: 1, c: 2 }\n", ["a", "d"]],
      ["a: 5\n", ["a", "b"]],
      ["just text", ["a"]],
    ];
    expect(refused.map(([text, path]) => setYamlValue(text, path, 1))).toEqual(refused.map(() => undefined));
  });
});

describe("whatever the document", () => {
  const word = fc.stringMatching(/^[a-z][a-z0-9]{0,6}$/);
  const scalar = fc.oneof(fc.integer(), fc.boolean(), fc.stringMatching(/^[a-z][a-z ]{0,8}[a-z]$/));
  const block = fc.dictionary(word, fc.oneof(scalar, fc.dictionary(word, scalar, { minKeys: 1, maxKeys: 4 })), {
    maxKeys: 5,
  });

  test("every other value and every comment stays, and the value is set", () => {
    const input = fc.record({ document: block, path: fc.array(word, { minLength: 1, maxLength: 3 }), value: scalar });
    let edited = 0;
    fc.assert(
      fc.property(input, ({ document, path, value }) => {
        const text = withComments(document);
        const result = setYamlValue(text, path, value);
        if (result === undefined) return;
        edited++;
        expect(Bun.YAML.parse(result)).toEqual(set(document, path, value));
        const comments = text.match(/#.*/g) ?? [];
        expect(result.match(/#.*/g) ?? []).toEqual(comments);
      }),
    );
    expect(edited).toBeGreaterThan(50);
  });

  test("a new top-level key can always be added", () => {
    fc.assert(
      fc.property(block, scalar, (document, value) => {
        const result = setYamlValue(withComments(document), ["Fresh"], value);
        expect(Bun.YAML.parse(result ?? "")).toEqual({ ...document, Fresh: value });
      }),
    );
  });
});

/** The document in block style with a comment above and behind every line. */
function withComments(document: Record<string, unknown>): string {
  if (Object.keys(document).length === 0) return "# empty\n";
  const lines = Bun.YAML.stringify(document, null, 2).trimEnd().split("\n");
  return lines.map((line, index) => `# above ${index}\n${line} # behind ${index}\n`).join("");
}

function set(document: unknown, [key, ...rest]: string[], value: unknown): unknown {
  if (key === undefined) return value;
  const object = typeof document === "object" && document !== null ? (document as Record<string, unknown>) : {};
  return { ...object, [key]: set(object[key], rest, value) };
}
