import { expect, test } from "bun:test";
import fc from "fast-check";
import { bodyJson, keepJson } from "../../src/llm/body-json.ts";
import { blockForms } from "../../src/llm/protocols/anthropic-messages/blocks.ts";
import { toTurns } from "../../src/llm/turns.ts";
import type { Json, JsonObject } from "../../src/protocol/json.ts";
import type { Message } from "../../src/protocol/messages.ts";

const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>;
const body = fc.dictionary(fc.string(), fc.oneof(json, fc.array(json))) as fc.Arbitrary<JsonObject>;

test("the text of a body is what JSON.stringify makes of it, kept or not", () => {
  fc.assert(
    fc.property(body, (given) => {
      const expected = JSON.stringify(given);
      expect(bodyJson(given)).toBe(expected);
      for (const value of Object.values(given).flat()) {
        if (typeof value === "object" && value !== null && !Array.isArray(value)) keepJson(value);
      }
      expect([bodyJson(given), bodyJson(given)]).toEqual([expected, expected]);
    }),
  );
});

test("what is left out of JSON is left out here as well", () => {
  const given = { a: undefined, b: [undefined, 1], c: 2 } as unknown as JsonObject;
  expect(bodyJson(given)).toBe(JSON.stringify(given));
});

const message: fc.Arbitrary<Message> = fc.oneof(
  fc.record({ text: fc.string() }).map(({ text }): Message => ({ role: "user", content: [{ type: "text", text }] })),
  fc.record({ text: fc.string(), isError: fc.boolean() }).map(
    ({ text, isError }): Message => ({
      role: "tool-result",
      toolCallId: "1",
      toolName: "t",
      content: [{ type: "text", text }],
      isError,
    }),
  ),
  fc.string().map(
    (text): Message => ({
      role: "assistant",
      content: [{ type: "text", text }],
      provider: "p",
      api: "anthropic-messages",
      model: "m",
      stopReason: "stop",
      usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    }),
  ),
);

/** Forms nobody has seen, so nothing is known of them. */
const fresh = () => ({ ...blockForms });

test("turns are the same whether a conversation grew, shrank or changed in the middle since the last request", () => {
  const change = fc.record({ at: fc.nat(30), message, kind: fc.constantFrom("append", "replace", "cut") });
  fc.assert(
    fc.property(fc.array(message, { maxLength: 12 }), fc.array(change, { maxLength: 20 }), (first, changes) => {
      const forms = fresh();
      let messages = first;
      for (const { at, message, kind } of changes) {
        if (kind === "append") messages = [...messages, message];
        else if (kind === "cut") messages = messages.slice(0, at);
        else messages = messages.map((old, index) => (index === at ? message : old));
        expect(toTurns(messages, forms)).toEqual(toTurns(messages, fresh()));
      }
    }),
  );
});
