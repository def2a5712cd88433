import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readArguments, START_OF_ARGUMENTS } from "../../src/extensions/rules/argument-reader.ts";
import type { Rule } from "../../src/extensions/rules/rule.ts";
import {
  type MatcherOptions,
  type RuleHit,
  START_OF_ANSWER,
  stepMatcher,
} from "../../src/extensions/rules/rule-matcher.ts";
import { parseScope, type Scope } from "../../src/extensions/rules/rule-scope.ts";
import { prepareRules } from "../../src/extensions/rules/watched-rule.ts";
import type { ModelEvent } from "../../src/protocol/model-events.ts";

const CANONICAL: Record<string, string> = { edit: "edit_file", write: "write_file", bash: "shell" };

function rule(name: string, fields: Partial<Rule>): Rule {
  return { name, path: `${name}.md`, content: `About ${name}.`, ...fields };
}

function optionsFor(rules: Rule[], stops: MatcherOptions["stops"] = () => false): MatcherOptions {
  const { watched, notes } = prepareRules(rules);
  expect(notes).toEqual([]);
  const places = { root: "/project", cwd: "/project/app" };
  return { rules: watched, places, toolName: (name) => CANONICAL[name] ?? name, stops };
}

/** Up to and with the first hit that stops the answer. */
function hitsOf(events: ModelEvent[], options: MatcherOptions): string[] {
  let state = START_OF_ANSWER;
  const all: RuleHit[] = [];
  for (const event of events) {
    const step = stepMatcher(state, event, options);
    state = step.state;
    all.push(...step.hits);
    if (step.hits.some(({ stops }) => stops)) break;
  }
  return all.map(({ rule: { name }, source, toolCallId }) => [name, source, toolCallId ?? []].flat().join(" ")).sort();
}

type Piece = { type: "text" | "thinking"; text: string } | { type: "tool"; name: string; text: string };

/** The events of an answer whose parts are cut after every so many characters. */
function answer(parts: Piece[], cutAt: (index: number) => number = () => 1000): ModelEvent[] {
  return parts.flatMap((part, index): ModelEvent[] => {
    const kind = part.type === "tool" ? "tool-call" : part.type;
    const pieces = cut(part.text, cutAt(index));
    const id = `call_${index}`;
    const deltas = pieces.map((text) => ({ type: `${kind}-delta`, index, text }) as ModelEvent);
    if (part.type !== "tool") {
      return [{ type: `${part.type}-start`, index }, ...deltas, { type: `${part.type}-end`, index }];
    }
    const { name } = part;
    return [
      { type: "tool-call-start", index, id, name },
      ...deltas,
      { type: "tool-call-end", index, id, name, input: {} },
    ];
  });
}

function cut(text: string, size: number): string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));
}

describe("the scope of a rule", () => {
  const ANSWER: Piece[] = [
    { type: "thinking", text: "bad" },
    { type: "text", text: "bad" },
    { type: "tool", name: "edit_file", text: '{"path":"src/a.ts","new_string":"bad"}' },
    { type: "tool", name: "shell", text: '{"command":"bad"}' },
  ];

  test.each([
    [undefined, ["r text"]],
    [["text"], ["r text"]],
    [["thinking"], ["r thinking"]],
    [["tool"], ["r tool call_2"]],
    [["tool:bash"], ["r tool call_3"]],
    [["tool:edit"], ["r tool call_2"]],
    [["edit(*.ts)"], ["r tool call_2"]],
    [["edit_file(app/src/**)"], ["r tool call_2"]],
    [["tool(a.ts)"], ["r tool call_2"]],
    [["edit(*.{js,ts})", "thinking"], ["r thinking"]],
    [["edit(*.{js,ts})"], ["r tool call_2"]],
    [["edit(*.js)"], []],
    [["edit(src/*)"], []],
    [["tool:read_file"], []],
    [["shell(*)"], []],
  ])("%p finds it first in %p", (scope, expected) => {
    const options = optionsFor([rule("r", { condition: ["bad"], ...(scope === undefined ? {} : { scope }) })]);
    expect(hitsOf(answer(ANSWER), options)).toEqual(expected);
  });

  test("is read back from its own words", () => {
    const name = fc.stringMatching(/^[a-z][a-z_]{0,10}$/);
    const glob = fc.stringMatching(/^[a-z*./{},-]{1,12}$/);
    const tool = fc.record({ type: fc.constant("tool" as const), name, glob }, { requiredKeys: ["type"] });
    const scopes: fc.Arbitrary<Scope> = fc.oneof(fc.constantFrom({ type: "text" }, { type: "thinking" }), tool);
    fc.assert(fc.property(scopes, (scope) => expect(parseScope(scopeText(scope))).toEqual(scope)));
  });

  test("that nobody knows is told, and a rule with no other is not watched", () => {
    const { watched, notes } = prepareRules([
      rule("r", { condition: ["x"], scope: ["everywhere", "edit()", "tool:"] }),
      rule("s", { condition: ["x"], scope: ["text", "texts"] }),
      rule("t", { condition: ["(?=x)", "a("] }),
    ]);
    expect(watched.map(({ rule: { name } }) => name)).toEqual(["s"]);
    expect(notes.map((note) => note.replace(/ Known are.*/, ""))).toEqual([
      'The scope "everywhere" of the rule r.md is not known.',
      'The scope "edit()" of the rule r.md is not known.',
      'The scope "tool:" of the rule r.md is not known.',
      'The scope "texts" of the rule s.md is not known.',
      'The condition "(?=x)" of the rule t.md cannot be used: (?=x… cannot be tested in one pass: no lookahead, lookbehind or flags of a group.',
      expect.stringContaining('The condition "a(" of the rule t.md cannot be used: '),
    ]);
  });
});

describe("the matcher", () => {
  test("sees arguments as they mean, whichever comes first, the text or the path", () => {
    const options = optionsFor([
      rule("quotes", { condition: ['log\\("x"\\);$'] }),
      rule("second-line", { condition: ["^import"], scope: ["write(*.ts)"] }),
      rule("field", { condition: ['"content":\\s*"console'] }),
      rule("letter", { condition: ["é"] }),
    ]);
    const text = JSON.stringify({ content: 'console.log("x");\nimport a', path: "a.ts" });
    const escaped = text.replace("import a", "import \\u00e9");
    expect(hitsOf(answer([{ type: "tool", name: "write_file", text: escaped }]), options)).toEqual([
      "field tool call_0",
      "letter tool call_0",
      "quotes tool call_0",
      "second-line tool call_0",
    ]);
  });

  test("finds a condition over pieces, but never over parts, and forgets an attempt that is made again", () => {
    const options = optionsFor([rule("r", { condition: ["one two"] })]);
    const parts: Piece[] = [
      { type: "text", text: "one " },
      { type: "text", text: "two" },
    ];
    expect(hitsOf(answer(parts), options)).toEqual([]);
    expect(
      hitsOf(
        answer([{ type: "text", text: "one two" }], () => 2),
        options,
      ),
    ).toEqual(["r text"]);
    const error = { kind: "server" as const, message: "later", retryable: true };
    const retry: ModelEvent = { type: "attempt-retry", attempt: 1, delayMs: 0, error };
    const start: ModelEvent = { type: "text-start", index: 0 };
    const first: ModelEvent = { type: "text-delta", index: 0, text: "one " };
    const second: ModelEvent = { type: "text-delta", index: 0, text: "two" };
    expect(hitsOf([start, first, retry, start, second], options)).toEqual([]);
    expect(hitsOf([start, first, second], options)).toEqual(["r text"]);
    const again = [start, first, second, retry, start, first, second];
    expect(hitsOf(again, options)).toEqual(["r text", "r text"]);
  });

  test("finds a rule once in an answer, and nothing behind the one that stops it", () => {
    const rules = [rule("late", { condition: ["b"] }), rule("stop", { condition: ["a"] })];
    const options = optionsFor(rules, ({ name }) => name === "stop");
    expect(hitsOf(answer([{ type: "text", text: "..a..b" }]), options)).toEqual(["stop text"]);
    expect(hitsOf(answer([{ type: "text", text: "..b..a" }]), options)).toEqual(["late text", "stop text"]);
    const twice: Piece[] = [
      { type: "text", text: "b b" },
      { type: "text", text: "b" },
    ];
    expect(hitsOf(answer(twice), options)).toEqual(["late text"]);
  });

  test("finds the same however the answer is cut into pieces", () => {
    const words = fc.constantFrom(
      "as any",
      "a",
      "s",
      " ",
      "any\n",
      "TODO",
      '"',
      "\\",
      "path",
      "é",
      "{",
      "}",
      ":",
      "x.ts",
    );
    const said = fc.array(words, { maxLength: 12 }).map((parts) => parts.join(""));
    const called = fc
      .record({ path: fc.constantFrom("x.ts", "y.js", "src/x.ts"), content: said })
      .map((input) => JSON.stringify(input));
    const piece: fc.Arbitrary<Piece> = fc.oneof(
      said.map((text) => ({ type: "text" as const, text })),
      said.map((text) => ({ type: "thinking" as const, text })),
      // Also arguments that are no JSON at all.
      fc.oneof(called, said).map((text) => ({ type: "tool" as const, name: "write_file", text })),
    );
    const rules = [
      rule("any", { condition: ["as any\\b"] }),
      rule("line", { condition: ["^a.*s$"], scope: ["text", "thinking", "tool"] }),
      rule("file", { condition: [".*"], scope: ["write(*.ts)"] }),
      rule("quoted", { condition: ['"$', "\\\\"] }),
      rule("end", { condition: ["\\}$"] }),
    ];
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 4 }),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 4, maxLength: 4 }),
        fc.subarray(rules.map(({ name }) => name)),
        (parts, sizes, stopping) => {
          const options = optionsFor(rules, ({ name }) => stopping.includes(name));
          const whole = hitsOf(answer(parts), options);
          expect(
            hitsOf(
              answer(parts, (index) => sizes[index] ?? 1),
              options,
            ),
          ).toEqual(whole);
        },
      ),
      { numRuns: 500 },
    );
  });

  test("looks at no more than a million characters of a part", () => {
    const options = optionsFor([rule("r", { condition: ["end"] })]);
    const fill = "x".repeat(999_997);
    expect(
      hitsOf(
        answer([{ type: "text", text: `${fill}end` }], () => 50_000),
        options,
      ),
    ).toEqual(["r text"]);
    expect(
      hitsOf(
        answer([{ type: "text", text: `${fill}.end` }], () => 50_000),
        options,
      ),
    ).toEqual([]);
  });
});

test("arguments read in any pieces give the text and the paths of the whole", () => {
  const value = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.string({ unit: "binary" }),
      fc.integer(),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom("path", "file_path", "content", "edits"), tie("value"), { maxKeys: 3 }),
    ),
  })).value;
  fc.assert(
    fc.property(value, fc.integer({ min: 1, max: 5 }), (given, size) => {
      const json = JSON.stringify({ path: "a/b.ts", given });
      const whole = readArguments(START_OF_ARGUMENTS, json);
      let state = START_OF_ARGUMENTS;
      let text = "";
      const paths: string[] = [];
      for (const piece of cut(json, size)) {
        const read = readArguments(state, piece);
        state = read.state;
        text += read.text;
        paths.push(...read.paths.map(({ path }) => path));
      }
      expect({ state, text, paths }).toEqual({
        state: whole.state,
        text: whole.text,
        paths: whole.paths.map(({ path }) => path),
      });
      expect(paths).toEqual(["a/b.ts", ...pathsIn(given)]);
    }),
  );
});

function pathsIn(value: unknown, name = ""): string[] {
  if (typeof value === "string") return ["path", "file_path"].includes(name) && value !== "" ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((item, index) => pathsIn(item, index === 0 ? name : ""));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => pathsIn(item, key));
}

function scopeText(scope: Scope): string {
  if (scope.type !== "tool") return scope.type;
  const name = scope.name === undefined ? "tool" : `tool:${scope.name}`;
  return scope.glob === undefined ? name : `${name}(${scope.glob})`;
}
