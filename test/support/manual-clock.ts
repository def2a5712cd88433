import { type Clock, sleepWith } from "../../src/system/clock.ts";

/** A clock that stands still until it is told to go on. */
export interface ManualClock extends Clock {
  /** Lets `ms` pass, firing what falls due in order; what a callback starts and falls due as well is fired too. */
  advance(ms: number): Promise<void>;
  /** How many timers are waiting. */
  pending(): number;
}

interface Timer {
  at: number;
  callback: () => void;
}

export function manualClock(start = 1_700_000_000_000): ManualClock {
  let time = 0;
  const timers = new Set<Timer>();
  const timer: Clock["timer"] = (ms, callback) => {
    const entry = { at: time + Math.max(0, ms), callback };
    timers.add(entry);
    return () => timers.delete(entry);
  };
  return {
    now: () => start + time,
    monotonic: () => time,
    sleep: (ms, signal) => sleepWith(timer, ms, signal),
    timer,
    pending: () => timers.size,
    async advance(ms) {
      const end = time + ms;
      await settled();
      for (let next = earliest(timers); next !== undefined && next.at <= end; next = earliest(timers)) {
        timers.delete(next);
        time = next.at;
        next.callback();
        await settled();
      }
      time = end;
    },
  };
}

/** The first of those that fall due first: a set keeps the order in which they were started. */
function earliest(timers: Set<Timer>): Timer | undefined {
  let first: Timer | undefined;
  for (const timer of timers) if (first === undefined || timer.at < first.at) first = timer;
  return first;
}

/** Every promise that could go on has gone on. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
