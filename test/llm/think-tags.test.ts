import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ThinkTagSplitter } from "../../src/llm/think-tags.ts";
import type { WireEvent } from "../../src/llm/wire-protocol.ts";

describe("thinking written into the text", () => {
  test("what stands between the tags at the beginning is thinking, the rest is text", () => {
    expect(split(["\n<think>\nhm", "m</think>\n\nHello"])).toEqual({ thinking: "hmm", text: "Hello" });
  });

  test("text without the tag stays as it is, also when it begins like one", () => {
    expect(split(["<thi", "s> is text"])).toEqual({ thinking: "", text: "<this> is text" });
    expect(split(["a <think>b</think>"])).toEqual({ thinking: "", text: "a <think>b</think>" });
  });

  test("a tag that never closes leaves everything thinking", () => {
    expect(split(["<think>so", " </thi"])).toEqual({ thinking: "so </thi", text: "" });
  });

  test("the result does not depend on how the text was cut into deltas", () => {
    const text = fc
      .array(fc.constantFrom("<think>", "</think>", "<", "th", "ink>", " ", "\n", "word"), { maxLength: 12 })
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, (whole) => {
        expect(split([...whole])).toEqual(split([whole]));
      }),
    );
  });
});

function split(deltas: string[]): { thinking: string; text: string } {
  const splitter = new ThinkTagSplitter();
  const events = [
    ...deltas.flatMap((text) => splitter.split({ type: "text-delta", part: "text", text })),
    ...splitter.flush(),
  ];
  const join = (type: WireEvent["type"]) =>
    events.map((event) => (event.type === type && "text" in event ? event.text : "")).join("");
  return { thinking: join("thinking-delta"), text: join("text-delta") };
}
