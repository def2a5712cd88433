import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { MAX_KEPT_CHARACTERS } from "../../../src/loop/transcripts/shortened.ts";
import {
  EMPTY_SUMMARY,
  foldSummary,
  MAX_DENIED,
  MAX_QUESTIONS,
} from "../../../src/loop/transcripts/transcript-summary.ts";
import type { TranscriptEvent } from "../../../src/protocol/transcript-events.ts";

const fold = (...events: TranscriptEvent[]) => events.reduce(foldSummary, EMPTY_SUMMARY);
const usage = (numbers: Record<string, number | string>): TranscriptEvent => ({ type: "usage", usage: numbers });
const meta = (fields: Record<string, unknown>): TranscriptEvent => ({ type: "meta", meta: fields });

describe("the summary of a run", () => {
  test("holds what the loop needs and nothing else", () => {
    const summary = fold(
      meta({ kind: "session", id: "s1" }),
      { type: "text", tag: "AI", text: "Working.\n\n" },
      { type: "tool_start", tool: { id: "a", name: "shell" } },
      { type: "tool_output", tool: { id: "a" }, text: "x" },
      { type: "tool_end", tool: { id: "a", status: "fail" } },
      meta({ kind: "question", text: "Which?" }),
      meta({ kind: "question", text: "Which?" }),
      meta({ kind: "denied", text: "rm" }),
      meta({ kind: "quota", message: "later", until: "2026-11-16T10:00:00Z", waitMs: 5 }),
      meta({ kind: "failed", message: "gone", cause: "quota" }),
      usage({ prompt_tokens: 5, completion_tokens: 2, scope: "turn" }),
    );
    expect(summary).toEqual({
      finalMessage: undefined,
      lastAssistantLine: "Working.",
      usage: { inputTokens: 5, outputTokens: 2, cachedTokens: 0, hasSeveralModels: false },
      session: "s1",
      failure: { message: "gone", cause: "quota" },
      quota: { message: "later", until: "2026-11-16T10:00:00.000Z", waitMs: 5 },
      questions: ["Which?"],
      denied: ["rm"],
      tools: { started: 1, failed: 1 },
    });
    expect(fold(meta({ kind: "failed", message: "x" }), meta({ kind: "final", text: "Done." }))).toEqual({
      ...EMPTY_SUMMARY,
      finalMessage: "Done.",
    });
  });

  test("adds up turns, and a total takes the place of everything before it", () => {
    const turns = [
      usage({ prompt_tokens: 10, completion_tokens: 1, scope: "turn" }),
      usage({ prompt_tokens: 20, completion_tokens: 2 }),
    ];
    const total = usage({ prompt_tokens: 33, completion_tokens: 4, cost_usd: 0.5, scope: "total" });
    const tokens = (...events: TranscriptEvent[]) => {
      const { inputTokens, outputTokens, costUsd } = fold(...events).usage ?? {};
      return [inputTokens, outputTokens, costUsd];
    };
    expect([tokens(...turns), tokens(...turns, total), tokens(...turns, total, ...turns)]).toEqual([
      [30, 3, undefined],
      [33, 4, 0.5],
      [63, 7, 0.5],
    ]);
  });

  test.each([
    [{ total_tokens: 9 }, [9, 0]],
    [{ total_tokens: 9, prompt_tokens: 5 }, [5, 4]],
    [{ total_tokens: 9, completion_tokens: 5 }, [4, 5]],
    [{}, [0, 0]],
    [{ prompt_tokens: -5, completion_tokens: Number.NaN, total_tokens: Number.POSITIVE_INFINITY }, [0, 0]],
  ])("counts %j", (numbers, tokens) => {
    const { inputTokens, outputTokens } = fold(usage(numbers)).usage ?? {};
    expect([inputTokens, outputTokens]).toEqual(tokens);
  });

  test("stays small and never breaks, whatever the events hold", () => {
    const anything = fc.oneof(
      fc.record({
        type: fc.constant("meta" as const),
        meta: fc.dictionary(
          fc.constantFrom("kind", "text", "message", "cause", "until", "waitMs", "id", "__proto__"),
          fc.oneof(fc.constantFrom("final", "failed", "quota", "question", "denied", "session"), fc.jsonValue()),
        ),
      }),
      fc.record({
        type: fc.constant("text" as const),
        tag: fc.constant("AI" as const),
        text: fc.string({ unit: "binary" }),
      }),
    );
    fc.assert(fc.property(fc.array(anything), (events) => void fold(...events)));
    const long = "x".repeat(3 * MAX_KEPT_CHARACTERS);
    const many = Array.from({ length: 500 }, (_, index) => [
      meta({ kind: "question", text: `${index}${long}` }),
      meta({ kind: "denied", text: `${index}${long}` }),
    ]).flat();
    const summary = fold(...many, meta({ kind: "final", text: long }), meta({ kind: "session", id: long }));
    expect([summary.questions.length, summary.denied.length, summary.session]).toEqual([
      MAX_QUESTIONS,
      MAX_DENIED,
      undefined,
    ]);
    expect(JSON.stringify(summary).length).toBeLessThan(200_000);
  });
});
