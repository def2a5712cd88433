import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createRetrySwitch, type RetrySwitch } from "../../src/llm/retry-switch.ts";
import { createStreamModel } from "../../src/llm/stream.ts";
import type { ModelEvent } from "../../src/protocol/model-events.ts";
import { systemClock } from "../../src/system/clock.ts";
import { claudeModel, modelRequest } from "../support/claude-requests.ts";
import { textAnswer } from "../support/fake-answer.ts";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";

let provider: FakeProvider;
let retrySwitch: RetrySwitch;
const OVERLOADED = textAnswer("", { fault: { type: "status", status: 529 } });

beforeEach(async () => {
  provider = await startFakeProvider();
  retrySwitch = createRetrySwitch();
});
afterEach(() => provider.stop());

/** Every wait is as long as a test may take: only who cuts it short gets an end. */
function ask(onRetry: () => void, baseDelayMs = 60_000) {
  const streamModel = createStreamModel({
    model: claudeModel({ baseUrl: provider.origin }),
    credential: { type: "key", key: "sk-fake" },
    clock: systemClock,
    random: () => 0,
    userAgent: "test",
    retries: { baseDelayMs },
    retrySwitch,
  });
  const emit = (event: ModelEvent) => void (event.type === "attempt-retry" && onRetry());
  return streamModel(modelRequest(), { signal: new AbortController().signal, emit });
}

describe("attempts", () => {
  test("are made again while nobody says otherwise", async () => {
    provider.answer(OVERLOADED);
    let retries = 0;
    expect(await ask(() => retries++, 1)).toMatchObject({ type: "done" });
    expect([retries, provider.requests.length]).toEqual([1, 2]);
  });

  test("are not made again where that is off", async () => {
    provider.answer(OVERLOADED);
    retrySwitch.set(false);
    let retries = 0;
    expect(await ask(() => retries++)).toMatchObject({ type: "error", error: { kind: "server" } });
    expect([retries, provider.requests.length]).toEqual([0, 1]);
  });

  test("that are waited for end with the failure when the wait is cut short, and the next request waits again", async () => {
    provider.answer(OVERLOADED, OVERLOADED);
    expect(retrySwitch.cutShort()).toBe(false);
    const cut = () => void queueMicrotask(() => retrySwitch.cutShort());
    expect(await ask(cut)).toMatchObject({ type: "error", error: { kind: "server", status: 529 } });
    let retries = 0;
    const off = () => {
      retries++;
      queueMicrotask(() => retrySwitch.set(false));
    };
    expect(await ask(off)).toMatchObject({ type: "error", error: { kind: "server" } });
    expect([retries, provider.requests.length, retrySwitch.cutShort()]).toEqual([1, 2, false]);
  });
});
