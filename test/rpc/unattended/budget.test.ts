import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createBudget, type Limits } from "../../../src/rpc/unattended/budget.ts";

const LIMITS: Limits = { max_tokens: 100, max_tool_calls: 2, max_wall_time_ms: 1000, max_cost_usd: 1 };
const PRICED = { provider: "p", id: "m", cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 } };
const FREE = { provider: "p", id: "local", cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } };
const UNPRICED = { provider: "p", id: "unknown" };

function usageOf(tokens: number) {
  return { input: tokens, output: 0, cacheRead: 0, cacheWrite: 0 };
}

function exceeded(metric: string, limit: number, observed: number, unit: string) {
  const message = `The declared budget of ${limit} ${unit} is used up (${observed}).`;
  return { code: "budget_exceeded", message, metric, limit, observed };
}

test("every kind of token counts", () => {
  const budget = createBudget(LIMITS, () => 5.4);
  budget.spent({ input: 1, output: 20, cacheRead: 30, cacheWrite: 40, reasoning: 10 }, 0.5);
  expect(budget.used()).toEqual({ tokens: 91, toolCalls: 0, wallTimeMs: 5, dollars: 0.5 });
  expect(budget.refusal(PRICED)).toBeUndefined();
});

describe("a limit that is reached refuses with the numbers", () => {
  test("tokens", () => {
    const budget = createBudget(LIMITS, () => 0);
    budget.spent(usageOf(140), 0);
    const refusal = exceeded("tokens", 100, 140, "tokens");
    expect([budget.refusal(PRICED), budget.refusal(), budget.takeToolCall()]).toEqual([refusal, refusal, refusal]);
  });

  test("tool calls, which leave the model its last word", () => {
    const budget = createBudget(LIMITS, () => 0);
    expect([budget.takeToolCall(), budget.takeToolCall(), budget.takeToolCall()]).toEqual([
      undefined,
      undefined,
      exceeded("tool_calls", 2, 2, "tool calls"),
    ]);
    expect(budget.refusal(PRICED)).toBeUndefined();
  });

  test("time", () => {
    let elapsed = 999;
    const budget = createBudget(LIMITS, () => elapsed);
    expect([budget.refusal(), budget.remainingMs()]).toEqual([undefined, 1]);
    elapsed = 1200;
    expect([budget.refusal(), budget.remainingMs()]).toEqual([exceeded("wall_time", 1000, 1200, "ms"), 0]);
  });

  test("dollars", () => {
    const budget = createBudget(LIMITS, () => 0);
    budget.spent(usageOf(1), 1);
    expect(budget.refusal(FREE)).toEqual(exceeded("cost", 1, 1, "US dollars"));
  });

  test("what was tightened counts from then on", () => {
    const budget = createBudget(LIMITS, () => 0);
    budget.takeToolCall();
    budget.tighten({ ...LIMITS, max_tool_calls: 1 });
    expect(budget.takeToolCall()).toEqual(exceeded("tool_calls", 1, 1, "tool calls"));
  });
});

describe("money that cannot be counted is not spent", () => {
  const refusalFor = (model: string) => ({
    code: "unsupported_budget_metric",
    message: `No price is known for ${model}, so max_cost_usd cannot be kept. Give the model a cost in models.yml, zero where it is free.`,
    metric: "cost",
  });

  test("a model without a price is not asked", () => {
    expect(createBudget(LIMITS, () => 0).refusal(UNPRICED)).toEqual(refusalFor("p/unknown"));
  });

  test("an answer without a price ends the run", () => {
    const budget = createBudget(LIMITS, () => 0);
    budget.spent(usageOf(1), undefined);
    const refusal = refusalFor("a model that was used");
    expect([budget.refusal(FREE), budget.takeToolCall()]).toEqual([refusal, refusal]);
  });

  test("where nothing may be spent, models that cost nothing can be asked", () => {
    const budget = createBudget({ ...LIMITS, max_cost_usd: 0 }, () => 0);
    budget.spent(usageOf(1), 0);
    expect(budget.refusal(FREE)).toBeUndefined();
    expect(budget.refusal(PRICED)).toEqual(exceeded("cost", 0, 0, "US dollars"));
  });
});

test("a request is begun only while every limit has something left, and calls are never more than allowed", () => {
  const step = fc.oneof(
    fc.record({ act: fc.constant("model" as const), tokens: fc.nat(60), dollars: fc.nat(3) }),
    fc.record({ act: fc.constant("tool" as const) }),
    fc.record({ act: fc.constant("wait" as const), ms: fc.nat(400) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      let elapsed = 0;
      let calls = 0;
      const spent = { tokens: 0, dollars: 0 };
      const budget = createBudget({ ...LIMITS, max_cost_usd: 4 }, () => elapsed);
      const isOpen = () => spent.tokens < 100 && spent.dollars < 4 && elapsed < 1000;
      for (const { act, ...of } of steps) {
        if (act === "wait") elapsed += "ms" in of ? of.ms : 0;
        if (act === "tool") {
          const isTaken = budget.takeToolCall() === undefined;
          expect(isTaken).toBe(isOpen() && calls < 2);
          if (isTaken) calls++;
        }
        if (act !== "model" || !("tokens" in of)) continue;
        expect(budget.refusal(PRICED) === undefined).toBe(isOpen());
        if (!isOpen()) continue;
        budget.spent(usageOf(of.tokens), of.dollars);
        spent.tokens += of.tokens;
        spent.dollars += of.dollars;
      }
    }),
  );
});
