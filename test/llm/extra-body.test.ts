import { expect, test } from "bun:test";
import { mergeExtraBody } from "../../src/llm/extra-body.ts";

test("extra fields are laid over the body, one level deep", () => {
  const body = { model: "m", temperature: 1, reasoning: { effort: "low" } };
  const merged = mergeExtraBody(body, {
    temperature: 0,
    gateway: "m1-01",
    reasoning: { exclude: true },
    left: undefined,
  });
  expect(merged).toEqual({ model: "m", temperature: 0, reasoning: { exclude: true }, gateway: "m1-01" });
  expect(body).toEqual({ model: "m", temperature: 1, reasoning: { effort: "low" } });
});

test("fields that make the request what it is cannot be replaced", () => {
  const extra = {
    model: "x",
    messages: [],
    input: [],
    contents: [],
    system: "x",
    stream: false,
    tools: [],
    tool_choice: "none",
  };
  expect(mergeExtraBody({ model: "m" }, extra)).toEqual({ model: "m" });
  expect(mergeExtraBody({ model: "m" }, undefined)).toEqual({ model: "m" });
});

test("a field called __proto__ changes no prototype", () => {
  const merged = mergeExtraBody({ model: "m" }, JSON.parse('{"__proto__":{"polluted":true}}'));
  expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
  expect((merged as Record<string, unknown>).polluted).toBeUndefined();
});
