import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { MAX_DEPTH, parseStrictJson, type StrictJson } from "../../src/rpc/strict-json.ts";

const TWICE = { ok: false, message: "A key stands twice in the same object." } as const;
const NOT_JSON = { ok: false, message: "The line is not JSON." } as const;

/** Any JSON with at most ten levels and no key that reaches for a prototype. */
const json = fc.jsonValue({ maxDepth: 10 }).filter((value) => !JSON.stringify(value).includes("__proto__"));
/** Strings in which quotes, backslashes and colons are likely. */
const awkward = fc.string({ unit: fc.constantFrom('"', "\\", ":", "{", "}", "a", ",", "\n", "é", "\u{1f600}") });

describe("a line of JSON", () => {
  test("gives what JSON.parse gives, however it is written", () => {
    fc.assert(
      fc.property(json, fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        expect(parseStrictJson(text)).toEqual({ ok: true, value: JSON.parse(text) });
      }),
    );
  });

  test("is refused exactly where JSON.parse refuses it", () => {
    fc.assert(
      fc.property(json, fc.nat(), fc.string({ maxLength: 2 }), (value, place, change) => {
        const whole = JSON.stringify(value);
        const text =
          whole.slice(0, place % (whole.length + 1)) + change + whole.slice((place % (whole.length + 1)) + 1);
        fc.pre(!text.includes("__proto__"));
        const parsed = parseStrictJson(text);
        if (parses(text)) expect(parsed).toEqual(parsed.ok ? { ok: true, value: JSON.parse(text) } : TWICE);
        else expect(parsed).toEqual(NOT_JSON);
      }),
    );
  });

  test("keeps strings and keys that look like JSON", () => {
    fc.assert(
      fc.property(fc.dictionary(awkward, awkward), (value) => {
        const text = JSON.stringify([value, { ":": value }]);
        expect(parseStrictJson(text)).toEqual({ ok: true, value: JSON.parse(text) });
      }),
    );
  });

  test("is refused when a key stands there twice, wherever and however it is spelled", () => {
    fc.assert(
      fc.property(awkward, json, json, fc.boolean(), (key, first, second, escaped) => {
        fc.pre(key !== "__proto__");
        const name = JSON.stringify(key);
        const again = escaped ? `"${[...utf16(key)].join("")}"` : name;
        const text = `[1,{"outer":{${name}:${JSON.stringify(first)}, ${again} : ${JSON.stringify(second)}}}]`;
        expect(parseStrictJson(text)).toEqual(TWICE);
      }),
    );
  });

  test("may have the same key in objects beside each other", () => {
    const text = '[{"a":1},{"a":2,"b":{"a":3}}]';
    expect(parseStrictJson(text)).toEqual({ ok: true, value: JSON.parse(text) });
  });

  test(`has at most ${MAX_DEPTH} levels`, () => {
    const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
    const tooDeep: StrictJson = { ok: false, message: `The line is nested deeper than ${MAX_DEPTH} levels.` };
    expect(parseStrictJson(nested(MAX_DEPTH))).toEqual({ ok: true, value: JSON.parse(nested(MAX_DEPTH)) });
    expect(parseStrictJson(nested(MAX_DEPTH + 1))).toEqual(tooDeep);
    expect(parseStrictJson(nested(500_000))).toEqual(tooDeep);
  });

  test.each([
    ['{"__proto__":{"isAdmin":true}}', "__proto__"],
    ['{"a":[{"\\u005f_proto__":1}]}', "__proto__"],
    ['{"constructor":{"prototype":{"isAdmin":true}}}', "constructor"],
  ])("%s is refused", (text, key) => {
    expect(parseStrictJson(text)).toEqual({
      ok: false,
      message: `The key ${key} is not allowed here, because it reaches for a prototype.`,
    });
    expect(Object.hasOwn(Object.prototype, "isAdmin")).toBe(false);
  });

  test("may speak of constructors and prototypes", () => {
    const text = '{"constructor":"Car","prototype":{"a":1},"properties":{"constructor":{"type":"string"}}}';
    expect(parseStrictJson(text)).toEqual({ ok: true, value: JSON.parse(text) });
  });
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Every unit of the text as an escape. */
function* utf16(text: string): Generator<string> {
  for (let index = 0; index < text.length; index++) {
    yield `\\u${text.charCodeAt(index).toString(16).padStart(4, "0")}`;
  }
}
