import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { billOf, costOf } from "../../src/models/prices.ts";
import type { Usage } from "../../src/protocol/messages.ts";
import type { Cost } from "../../src/protocol/models.ts";

const sonnet: Cost = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
const tiered: Cost = {
  input: 5,
  output: 30,
  cacheRead: 0.5,
  cacheWrite: 5,
  tiers: [
    { above: 272_000, input: 10, output: 45, cacheRead: 1, cacheWrite: 10 },
    { above: 500_000, input: 20, output: 60, cacheRead: 2, cacheWrite: 20 },
  ],
};
const usage = (counts: Partial<Usage>): Usage => ({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, ...counts });

describe("the cost of an answer", () => {
  test("is unknown without a price, even when nothing was used", () => {
    expect(costOf(usage({ input: 1000 }), undefined)).toBeUndefined();
    expect(billOf(usage({}), undefined)).toBeUndefined();
  });

  test("is nothing for a model that is free", () => {
    expect(costOf(usage({ input: 9, output: 9 }), { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 })).toBe(0);
  });

  test("adds fresh input, output, cache reads and cache writes, each at its own price", () => {
    // 10,000 × 3 + 2,000 × 15 + 100,000 × 0.3 + 4,000 × 3.75 = 30,000 + 30,000 + 30,000 + 15,000 = 105,000 millionths
    const counts = usage({ input: 10_000, output: 2_000, cacheRead: 100_000, cacheWrite: 4_000 });
    expect(costOf(counts, sonnet)).toBeCloseTo(0.105, 12);
  });

  test("bills what stays in the cache for an hour at twice the input price", () => {
    // 4,000 written, 1,000 of them for an hour: 3,000 × 3.75 + 1,000 × 6 = 11,250 + 6,000 = 17,250 millionths
    expect(costOf(usage({ cacheWrite: 4_000, cacheWriteLong: 1_000 }), sonnet)).toBeCloseTo(0.01725, 12);
  });

  test("never bills more hour-long writes than there were writes", () => {
    expect(costOf(usage({ cacheWrite: 1_000, cacheWriteLong: 9_000 }), sonnet)).toBeCloseTo(0.006, 12);
  });

  test("does not bill reasoning twice: it is part of the output", () => {
    expect(costOf(usage({ output: 1_000, reasoning: 900 }), sonnet)).toBeCloseTo(0.015, 12);
  });
});

describe("a prompt that passes a threshold", () => {
  test("has the cheaper prices up to and including the threshold", () => {
    expect(billOf(usage({ input: 272_000, output: 1_000 }), tiered)).toEqual({ dollars: 1.39, promptTokens: 272_000 });
  });

  test("is billed as a whole at the dearer prices, and the bill says which threshold it passed", () => {
    // 272,001 × 10 + 1,000 × 45 = 2,720,010 + 45,000 = 2,765,010 millionths
    expect(billOf(usage({ input: 272_001, output: 1_000 }), tiered)).toEqual({
      dollars: 2.76501,
      promptTokens: 272_001,
      crossed: 272_000,
    });
  });

  test("counts cached tokens as part of the prompt", () => {
    // 1,000 × 10 + 271,000 × 1 + 1 × 10 = 281,010 millionths
    expect(billOf(usage({ input: 1_000, cacheRead: 271_000, cacheWrite: 1 }), tiered)).toEqual({
      dollars: 0.28101,
      promptTokens: 272_001,
      crossed: 272_000,
    });
  });

  test("takes the highest threshold it passed, in whatever order they are listed", () => {
    const reversed: Cost = { ...tiered, tiers: [...(tiered.tiers ?? [])].reverse() };
    const bill = { dollars: 12, promptTokens: 600_000, crossed: 500_000 };
    expect(billOf(usage({ input: 600_000 }), tiered)).toEqual(bill);
    expect(billOf(usage({ input: 600_000 }), reversed)).toEqual(bill);
  });

  test("bills hour-long writes at twice the dearer input price", () => {
    // 300,000 × 20 = 6,000,000 millionths
    expect(costOf(usage({ cacheWrite: 300_000, cacheWriteLong: 300_000 }), tiered)).toBeCloseTo(6, 12);
  });
});

test("more tokens never cost less", () => {
  const count = fc.nat({ max: 2_000_000 });
  const counts = fc.record({ input: count, output: count, cacheRead: count, cacheWrite: count });
  fc.assert(
    fc.property(counts, counts, fc.constantFrom(sonnet, tiered), (some, more, cost) => {
      const both = {
        input: some.input + more.input,
        output: some.output + more.output,
        cacheRead: some.cacheRead + more.cacheRead,
        cacheWrite: some.cacheWrite + more.cacheWrite,
      };
      expect(costOf(both, cost) ?? -1).toBeGreaterThanOrEqual(costOf(some, cost) ?? 0);
    }),
  );
});
