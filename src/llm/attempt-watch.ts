import type { ModelError } from "../protocol/model-errors.ts";
import { canConnect } from "../system/can-connect.ts";
import type { Clock } from "../system/clock.ts";
import { ABORTED, networkError, timeoutError } from "./errors.ts";

export interface Timeouts {
  /** Until the host takes the connection. */
  connectMs: number;
  /** Between two pieces of a streamed answer, and until its first. */
  idleMs: number;
  /** Until the whole answer is there, streamed or not. */
  wholeMs: number;
}

export const DEFAULT_TIMEOUTS: Timeouts = { connectMs: 15_000, idleMs: 300_000, wholeMs: 1_800_000 };

export type Raced<T> = { type: "value"; value: T } | { type: "stopped"; error: ModelError };

export interface WatchOptions {
  clock: Clock;
  signal: AbortSignal;
  /** Where the answer comes from. */
  url: URL;
  /** Where the connection goes: the address itself, or a proxy. */
  peer: URL;
  connectMs: number;
  /** The longest silence between two steps. */
  silenceMs: number;
  /** The longest attempt: a server that only keeps the line open does not hold it for ever. */
  wholeMs: number;
}

/** Watches one attempt: whatever is awaited through `race` settles at once when the caller aborts or a timeout passes. */
export class AttemptWatch {
  readonly #options: WatchOptions;
  readonly #controller = new AbortController();
  readonly #timers: (() => void)[];
  #settle: ((error: ModelError) => void) | undefined;
  #stopped: ModelError | undefined;
  #connected = false;
  #hurried = false;

  constructor(options: WatchOptions) {
    this.#options = options;
    if (options.signal.aborted) this.#onAbort();
    options.signal.addEventListener("abort", this.#onAbort, { once: true });
    const { clock, url, connectMs, wholeMs } = options;
    this.#timers = [
      clock.timer(connectMs, () => void this.#checkConnection()),
      clock.timer(wholeMs, () =>
        this.#stopWith(timeoutError(url.host, `no complete answer within ${wholeMs / 1000} s`)),
      ),
    ];
  }

  /** Aborted together with the attempt; for `fetch`. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  async race<T>(work: Promise<T>): Promise<Raced<T>> {
    const { clock, url, silenceMs } = this.#options;
    const stopTimer = clock.timer(silenceMs, () => {
      this.#stopWith(timeoutError(url.host, `no answer for ${silenceMs / 1000} s`));
    });
    const raced = await new Promise<Raced<T>>((resolve) => {
      this.#settle = (error) => resolve({ type: "stopped", error });
      if (this.#stopped !== undefined) this.#settle(this.#stopped);
      work.then(
        (value) => resolve({ type: "value", value }),
        (reason) => resolve({ type: "stopped", error: this.#stopped ?? networkError(url.host, reason) }),
      );
    });
    this.#connected = true;
    this.#settle = undefined;
    stopTimer();
    return raced;
  }

  /** The answer is complete and only the end of the connection is missing: it is not waited for long. */
  hurry(): void {
    if (this.#hurried) return;
    this.#hurried = true;
    const { clock, url } = this.#options;
    this.#timers.push(
      clock.timer(HURRY_MS, () => this.#stopWith(timeoutError(url.host, "the connection stayed open"))),
    );
  }

  stop(): void {
    for (const stopTimer of this.#timers) stopTimer();
    this.#options.signal.removeEventListener("abort", this.#onAbort);
  }

  readonly #onAbort = () => this.#stopWith(ABORTED);

  #stopWith(error: ModelError): void {
    this.#stopped ??= error;
    this.#settle?.(this.#stopped);
    this.#controller.abort();
  }

  /** `fetch` does not tell a slow model from a dead host, so a host that is silent for long is knocked at once more. */
  async #checkConnection(): Promise<void> {
    const { peer, url, connectMs } = this.#options;
    if (this.#connected || (await canConnect(peer, PROBE_MS)) || this.#connected) return;
    this.#stopWith(timeoutError(url.host, `no connection within ${connectMs / 1000} s`));
  }
}

const HURRY_MS = 2000;
const PROBE_MS = 2000;
