import { expect, test } from "bun:test";
import fc from "fast-check";
import { retryHintMs } from "../../src/llm/retry-hint.ts";

test.each([
  ["Please try again in 1.3s. Visit the dashboard.", 1300],
  ["Please try again in 250ms.", 250],
  ["Please try again in 1m2.5s", 62_500],
  ["try again in 2h30m", 9_000_000],
  ["Please retry in 34.074824224s.", 34_075],
  ["Please try again after 20 seconds.", 20_000],
  ["retry in 3 minutes", 180_000],
  ["Please try again later.", undefined],
  ["try again in 0s", undefined],
  ["", undefined],
])("%p names a wait of %p ms", (message, wait) => {
  expect(retryHintMs(message)).toBe(wait as number);
});

test("any text gives a positive wait or none", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const wait = retryHintMs(`try again in ${text}`);
      expect(wait === undefined || wait > 0).toBe(true);
    }),
  );
});
