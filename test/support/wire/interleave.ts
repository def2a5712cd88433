import type { FakeAnswer, FakePart } from "../fake-answer.ts";
import { joinGroups } from "./wire-renderer.ts";

/** The frames of all parts in order; runs of neighbouring tool calls are mixed when the answer asks for it. */
export function interleaveToolCalls<T>(answer: FakeAnswer, render: (part: FakePart, index: number) => T[]): T[] {
  const result: T[] = [];
  let calls: T[][] = [];
  const flush = () => {
    result.push(...joinGroups(calls, answer.interleaved === true));
    calls = [];
  };
  answer.parts.forEach((part, index) => {
    if (part.type !== "tool-call") flush();
    calls.push(render(part, index));
    if (part.type !== "tool-call") flush();
  });
  flush();
  return result;
}
