import { expect, test } from "bun:test";
import fc from "fast-check";
import { wireToolCallId } from "../../src/llm/tool-call-id.ts";

test("an id every provider takes stays as it is", () => {
  expect(wireToolCallId("toolu_01T1x1fJ34qAmk2tNTrN7Up6")).toBe("toolu_01T1x1fJ34qAmk2tNTrN7Up6");
});

test("ids that begin alike stay apart", () => {
  const long = "call_".padEnd(80, "x");
  expect(wireToolCallId(`${long}1`)).not.toBe(wireToolCallId(`${long}2`));
});

test("any id becomes one of at most 64 plain signs, always the same", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (id) => {
      expect(wireToolCallId(id)).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      expect(wireToolCallId(id)).toBe(wireToolCallId(id));
      expect(wireToolCallId(wireToolCallId(id))).toBe(wireToolCallId(id));
    }),
  );
});
