import { expect, test } from "bun:test";
import fc from "fast-check";
import { canonicalHash, canonicalJson } from "../../../src/rpc/gates/canonical-hash.ts";

test("keys stand in the order of their units, without spaces", () => {
  expect(canonicalJson({ b: [1, { d: null, c: "é" }], a: undefined, B: true })).toBe(
    '{"B":true,"b":[1,{"c":"é","d":null}]}',
  );
});

test("the hash is SHA-256 of that text", () => {
  expect(canonicalHash({ b: 1, a: 2 })).toBe(new Bun.CryptoHasher("sha256").update('{"a":2,"b":1}').digest("hex"));
});

const json = fc.jsonValue({ maxDepth: 4 });

test("canonical text is JSON of the same value", () => {
  fc.assert(
    fc.property(json, (value) => Bun.deepEquals(JSON.parse(canonicalJson(value)), JSON.parse(JSON.stringify(value)))),
  );
});

test("the order keys were written in does not count, and everything else does", () => {
  fc.assert(
    fc.property(json, json, (one, other) => {
      expect(canonicalHash(one)).toBe(canonicalHash(backwards(one)));
      const same = Bun.deepEquals(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other)));
      expect(canonicalHash(one) === canonicalHash(other)).toBe(same);
    }),
  );
});

/** The same value with its keys the other way round. */
function backwards(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(backwards);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, member]) => [key, backwards(member)]),
  );
}
