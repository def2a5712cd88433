import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { DEFAULT_RETRY_POLICY, type FailedAttempt, type RetryPolicy, retryDelay } from "../../src/llm/retry.ts";

const POLICY: RetryPolicy = { ...DEFAULT_RETRY_POLICY, baseDelayMs: 1000, factor: 2, maxDelayMs: 30_000 };
const HALF = 0.5;

function failed(over: Partial<FailedAttempt> = {}, retryAfterMs?: number): FailedAttempt {
  const error = {
    kind: "server" as const,
    message: "broken",
    retryable: true,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
  return { error, begun: false, failures: 1, mayRestart: true, ...over };
}

describe("the wait before the next attempt", () => {
  test("grows by the factor, up to the longest", () => {
    const waits = [1, 2, 3, 4, 5, 6].map((failures) =>
      retryDelay(failed({ failures }), { ...POLICY, beforeFirstByte: 10, maxDelayMs: 10_000 }, HALF),
    );
    expect(waits).toEqual([1000, 2000, 4000, 8000, 10_000, 10_000]);
  });

  test("is never earlier than the provider asked for", () => {
    expect(retryDelay(failed({}, 7000), POLICY, 0)).toBe(7000);
    expect(retryDelay(failed({}, 0), POLICY, 0)).toBe(0);
    expect(retryDelay(failed({}, 60_000), POLICY, 0)).toBe(60_000);
  });

  test("strays by at most 15 per cent, or 30 per cent of the wait on top of what was asked for", () => {
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(random, fc.integer({ min: 1, max: 3 }), (share, failures) => {
        const backoff = 1000 * 2 ** (failures - 1);
        const own = retryDelay(failed({ failures }), POLICY, share) ?? -1;
        expect(own).toBeGreaterThanOrEqual(0.85 * backoff - 1e-6);
        expect(own).toBeLessThanOrEqual(1.15 * backoff);
        const asked = retryDelay(failed({ failures }, 5000), POLICY, share) ?? -1;
        expect(asked).toBeGreaterThanOrEqual(5000);
        expect(asked).toBeLessThanOrEqual(5000 + 0.3 * backoff);
      }),
    );
  });
});

describe("there is no next attempt", () => {
  const cases: [why: string, attempt: FailedAttempt][] = [
    ["for an error that would come again", failed({ error: { kind: "quota", message: "", retryable: false } })],
    ["when the retries before the first byte are used up", failed({ failures: 4 })],
    ["when the retries of a broken answer are used up", failed({ begun: true, failures: 3 })],
    ["when what was shown cannot be taken back", failed({ begun: true, mayRestart: false })],
    ["when the provider asks for more than a minute", failed({}, 60_001)],
  ];
  test.each(cases)("%s", (_, attempt) => {
    expect(retryDelay(attempt, POLICY, HALF)).toBeUndefined();
  });

  test("but the last one of either budget is still made", () => {
    expect(retryDelay(failed({ failures: 3 }), POLICY, HALF)).toBe(4000);
    expect(retryDelay(failed({ begun: true, failures: 2 }), POLICY, HALF)).toBe(2000);
    expect(retryDelay(failed({ begun: false, mayRestart: false }), POLICY, HALF)).toBe(1000);
  });
});
