import { describe, expect, test } from "bun:test";
import type { Schema } from "../../../src/cli/print/json-schema-places.ts";
import { createStructuredAnswer } from "../../../src/cli/print/structured-answer.ts";
import type { AgentEvent } from "../../../src/protocol/agent-events.ts";

const USAGE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** What the model is told when it answers so; undefined where its answer fits. */
function correctionOf(text: string, schema: Schema): string | undefined {
  const shown: AgentEvent[] = [];
  const answer = createStructuredAnswer(schema, { show: (event) => void shown.push(event), structured: () => {} });
  const message = { role: "assistant" as const, content: [{ type: "text" as const, text }], usage: USAGE };
  answer.emit({ type: "message-end", message: { ...message, stopReason: "stop", model: "a/b" } } as AgentEvent);
  answer.emit({ type: "agent-end", outcome: { type: "done" }, totals: { turns: 1, usage: USAGE } });
  const [part] = answer.followUp()?.content ?? [];
  return part?.type === "text" ? part.text.split("\n")[1] : undefined;
}

describe("an answer that could not be printed as it was given", () => {
  for (const schema of [true, { enum: [1] }, { uniqueItems: true }] as const) {
    test(`because it is nested without an end is given back, whatever the schema says: ${JSON.stringify(schema)}`, () => {
      const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
      expect(correctionOf(deep, schema)).toBe("- the answer is nested more than 200 deep");
    });
  }

  test("because a number is beyond all numbers is given back", () => {
    const told = "- the answer has a number that is too large to be written again";
    const schema = { type: "object", properties: { a: { type: "number" } } };
    expect([correctionOf("1e999", true), correctionOf('{"a":-1e999}', schema)]).toEqual([told, told]);
    expect([correctionOf("1e308", true), correctionOf('{"a":0.1}', schema)]).toEqual([undefined, undefined]);
  });

  test("is none where it is as deep as may be", () => {
    expect(correctionOf(`${"[".repeat(200)}${"]".repeat(200)}`, true)).toBeUndefined();
  });
});
