import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Assembler } from "../../src/llm/assemble.ts";
import type { WireEvent } from "../../src/llm/wire-protocol.ts";
import type { ModelEnd, ModelEvent } from "../../src/protocol/model-events.ts";
import type { Model } from "../../src/protocol/models.ts";
import type { ToolDefinition } from "../../src/protocol/tools.ts";

const model: Model = {
  provider: "p",
  id: "m",
  name: "M",
  api: "openai-completions",
  baseUrl: "http://localhost",
  auth: "none",
  reasoning: true,
  tools: true,
  input: ["text"],
  contextWindow: 1000,
  maxTokens: 100,
};

const identity = { role: "assistant", provider: "p", api: "openai-completions", model: "m" } as const;
const noUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

describe("assembling an answer", () => {
  test("parts begin with their first delta and end when another begins or the answer does", () => {
    const { events, end } = assemble([
      { type: "response", id: "r1" },
      { type: "thinking-delta", part: "t", text: "hm" },
      { type: "thinking-end", part: "t", signature: "s" },
      { type: "text-delta", part: "a", text: "Hel" },
      { type: "text-delta", part: "a", text: "lo" },
      { type: "usage", usage: { input: 3 } },
      { type: "usage", usage: { output: 2 } },
      { type: "finish", reason: "stop" },
    ]);
    expect(events).toEqual([
      { type: "thinking-start", index: 0 },
      { type: "thinking-delta", index: 0, text: "hm" },
      { type: "thinking-end", index: 0 },
      { type: "text-start", index: 1 },
      { type: "text-delta", index: 1, text: "Hel" },
      { type: "text-delta", index: 1, text: "lo" },
      { type: "text-end", index: 1 },
    ]);
    expect(end).toEqual({
      type: "done",
      message: {
        ...identity,
        responseId: "r1",
        content: [
          { type: "thinking", text: "hm", signature: "s" },
          { type: "text", text: "Hello" },
        ],
        stopReason: "stop",
        usage: { ...noUsage, input: 3, output: 2 },
      },
    });
  });

  test("interleaved calls grow apart, and an answer with calls ends for tool use whatever the provider calls it", () => {
    const { end } = assemble([
      { type: "tool-call-start", part: "0", id: "a", name: "read" },
      { type: "tool-call-start", part: "1", id: "b", name: "list" },
      { type: "tool-call-delta", part: "0", text: '{"path"' },
      { type: "tool-call-delta", part: "1", text: "" },
      { type: "tool-call-delta", part: "0", text: ':"x"}' },
      { type: "finish", reason: "stop" },
    ]);
    expect(end).toEqual({
      type: "done",
      message: {
        ...identity,
        content: [
          { type: "tool-call", id: "a", name: "read", input: { path: "x" } },
          { type: "tool-call", id: "b", name: "list", input: {} },
        ],
        stopReason: "tool-use",
        usage: noUsage,
      },
    });
  });

  test("arguments that are no JSON object are kept as text so that the model can be told", () => {
    for (const raw of ['{"path":', "[1]", "7", "null"]) {
      const { end } = assemble([
        { type: "tool-call-start", part: "0", id: "a", name: "read" },
        { type: "tool-call-delta", part: "0", text: raw },
        { type: "tool-call-end", part: "0" },
        { type: "finish", reason: "tool-use" },
      ]);
      expect(contentOf(end)).toEqual([{ type: "tool-call", id: "a", name: "read", input: {}, invalidInput: raw }]);
    }
  });

  test("a null the strict form forced on an optional argument is dropped, one the tool allows is kept", () => {
    const tools: ToolDefinition[] = [
      {
        name: "read",
        description: "",
        parameters: {
          type: "object",
          properties: { path: { type: "string" }, end: { type: "number" }, mark: { type: ["string", "null"] } },
          required: ["path"],
        },
      },
    ];
    const { end } = assemble(
      [
        { type: "tool-call-start", part: "0", id: "a", name: "read" },
        { type: "tool-call-delta", part: "0", text: '{"path":"x","end":null,"mark":null}' },
        { type: "finish", reason: "tool-use" },
      ],
      tools,
    );
    expect(contentOf(end)).toEqual([{ type: "tool-call", id: "a", name: "read", input: { path: "x", mark: null } }]);
  });

  test("an answer that ran into its limit or was refused keeps its text and loses all its calls", () => {
    for (const reason of ["length", "refusal"] as const) {
      const { end } = assemble([
        { type: "text-delta", part: "a", text: "I will" },
        { type: "tool-call-start", part: "0", id: "a", name: "read" },
        { type: "tool-call-delta", part: "0", text: "{}" },
        { type: "tool-call-end", part: "0" },
        { type: "tool-call-start", part: "1", id: "b", name: "read" },
        { type: "finish", reason },
      ]);
      expect(end).toEqual({
        type: "done",
        message: { ...identity, content: [{ type: "text", text: "I will" }], stopReason: reason, usage: noUsage },
      });
    }
  });

  test("an answer that breaks off is an error with its text and without its calls", () => {
    const { end } = assemble([
      { type: "text-delta", part: "a", text: "I will" },
      { type: "tool-call-start", part: "0", id: "a", name: "read" },
      { type: "tool-call-delta", part: "0", text: "{}" },
      { type: "tool-call-end", part: "0" },
    ]);
    expect(end).toEqual({
      type: "error",
      error: { kind: "stream-cut", message: "the answer ended in the middle", retryable: true },
      partial: { ...identity, content: [{ type: "text", text: "I will" }], stopReason: "cut", usage: noUsage },
    });
  });

  test("what the provider reported wins over how the connection ended, and nothing after it counts", () => {
    const error = { kind: "server", message: "overloaded", retryable: true } as const;
    const assembler = new Assembler({ model, tools: [], emit: () => {} });
    assembler.accept({ type: "fail", error });
    assembler.accept({ type: "text-delta", part: "a", text: "late" });
    expect(assembler.end({ kind: "network", message: "reset", retryable: true })).toEqual({
      type: "error",
      error,
      partial: { ...identity, content: [], stopReason: "cut", usage: noUsage },
    });
  });

  test("whatever the wire events, parts are balanced and the message is the fold of the deltas", () => {
    fc.assert(
      fc.property(fc.array(wireEvent, { maxLength: 40 }), (wire) => {
        const { events, end } = assemble([...wire, { type: "finish", reason: "stop" }]);
        const folded = new Map<number, string>();
        const open = new Set<number>();
        for (const event of events) {
          if (!("index" in event)) continue;
          if (event.type.endsWith("-start")) {
            expect(event.index).toBe(folded.size);
            folded.set(event.index, "");
            open.add(event.index);
          }
          expect(open.has(event.index)).toBe(true);
          if ("text" in event) folded.set(event.index, folded.get(event.index) + event.text);
          if (event.type.endsWith("-end")) open.delete(event.index);
        }
        expect(open.size).toBe(0);
        expect(contentOf(end).map((part) => (part.type === "tool-call" ? undefined : part.text))).toEqual(
          contentOf(end).map((part, index) => (part.type === "tool-call" ? undefined : folded.get(index))),
        );
      }),
    );
  });
});

const part = fc.constantFrom("0", "1", "2");
const wireEvent: fc.Arbitrary<WireEvent> = fc.oneof(
  fc.record({ type: fc.constant("text-delta" as const), part, text: fc.string({ maxLength: 3 }) }),
  fc.record({ type: fc.constant("thinking-delta" as const), part, text: fc.string({ maxLength: 3 }) }),
  fc.record({ type: fc.constant("text-end" as const), part }),
  fc.record({ type: fc.constant("thinking-end" as const), part, signature: fc.constantFrom("s", undefined) }),
  fc.record({ type: fc.constant("tool-call-start" as const), part, id: fc.string(), name: fc.string() }),
  fc.record({ type: fc.constant("tool-call-delta" as const), part, text: fc.string({ maxLength: 3 }) }),
  fc.record({ type: fc.constant("tool-call-end" as const), part }),
);

function assemble(wire: WireEvent[], tools: ToolDefinition[] = []): { events: ModelEvent[]; end: ModelEnd } {
  const events: ModelEvent[] = [];
  const assembler = new Assembler({ model, tools, emit: (event) => events.push(event) });
  for (const event of wire) assembler.accept(event);
  return { end: assembler.end(), events };
}

function contentOf(end: ModelEnd) {
  return end.type === "done" ? end.message.content : [];
}
