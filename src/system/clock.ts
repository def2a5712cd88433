/** Time as it is handed to whoever needs it, so that tests can own it. */
export interface Clock {
  /** Wall clock, milliseconds since 1970. It may jump. */
  now(): number;
  /** Milliseconds from an unknown start. It never goes back. */
  monotonic(): number;
  /** Resolves after `ms`, or at once when the signal is aborted: the caller asks the signal which of the two it was. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls back once after `ms`; the returned function stops it. */
  timer(ms: number, callback: () => void): () => void;
}

/** The runtime fires timers with a longer delay at once, so longer waits are made of several. */
const LONGEST_TIMER = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) => sleepWith(startTimer, ms, signal),
  timer: startTimer,
};

/** `sleep` for any clock that has timers. */
export function sleepWith(timer: Clock["timer"], ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const finish = () => {
      stop();
      signal?.removeEventListener("abort", finish);
      resolve();
    };
    const stop = timer(ms, finish);
    signal?.addEventListener("abort", finish, { once: true });
  });
}

function startTimer(ms: number, callback: () => void): () => void {
  const end = performance.now() + ms;
  let handle: ReturnType<typeof setTimeout>;
  const arm = (rest: number) => {
    handle = setTimeout(
      () => {
        const left = end - performance.now();
        if (rest > LONGEST_TIMER && left > 0) arm(left);
        else callback();
      },
      Math.min(rest, LONGEST_TIMER),
    );
  };
  arm(ms);
  return () => clearTimeout(handle);
}
