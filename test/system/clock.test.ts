import { describe, expect, test } from "bun:test";
import { systemClock } from "../../src/system/clock.ts";
import { manualClock } from "../support/manual-clock.ts";

describe("the system clock", () => {
  test("calls back once and can be stopped", async () => {
    const calls: string[] = [];
    const stop = systemClock.timer(1, () => calls.push("stopped"));
    stop();
    await new Promise<void>((resolve) => {
      systemClock.timer(2, () => {
        calls.push("fired");
        resolve();
      });
    });
    expect(calls).toEqual(["fired"]);
  });

  test("does not fire a timer of a month at once", async () => {
    let fired = false;
    const stop = systemClock.timer(31 * 24 * 3_600_000, () => {
      fired = true;
    });
    await systemClock.sleep(5);
    stop();
    expect(fired).toBe(false);
  });

  test("wakes a sleeper when the signal is aborted, before or during the sleep", async () => {
    const started = systemClock.monotonic();
    const during = new AbortController();
    const sleep = systemClock.sleep(60_000, during.signal);
    during.abort();
    await sleep;
    await systemClock.sleep(60_000, AbortSignal.abort());
    expect(systemClock.monotonic() - started).toBeLessThan(1000);
  });
});

describe("the manual clock", () => {
  test("fires timers in the order of their time, with the time they asked for", async () => {
    const clock = manualClock(1000);
    const fired: [string, number][] = [];
    clock.timer(30, () => fired.push(["third", clock.now()]));
    clock.timer(10, () => fired.push(["first", clock.now()]));
    clock.timer(10, () => fired.push(["second", clock.now()]));
    clock.timer(31, () => fired.push(["never", clock.now()]));
    await clock.advance(30);
    expect(fired).toEqual([
      ["first", 1010],
      ["second", 1010],
      ["third", 1030],
    ]);
    expect([clock.now(), clock.monotonic(), clock.pending()]).toEqual([1030, 30, 1]);
  });

  test("carries a loop of sleeps through one advance", async () => {
    const clock = manualClock(0);
    const seen: number[] = [];
    const loop = (async () => {
      for (let round = 0; round < 3; round++) {
        await clock.sleep(10);
        seen.push(clock.now());
      }
    })();
    await clock.advance(100);
    await loop;
    expect(seen).toEqual([10, 20, 30]);
  });

  test("a stopped timer is gone", async () => {
    const clock = manualClock();
    const stop = clock.timer(5, () => {
      throw new Error("fired");
    });
    stop();
    await clock.advance(10);
    expect(clock.pending()).toBe(0);
  });
});
