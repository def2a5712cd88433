/** Calls to the host that wait for its answer, by the id they were sent with. */
export interface PendingCalls<Result> {
  /** `send` gets the id. Settles with the answer, with what `onAbort` gives for the id, or with what `rejectAll` said. */
  open(signal: AbortSignal, call: { send(id: string): void; onAbort(id: string): Result }): Promise<Result>;
  /** False where nobody waits for it (any more). */
  settle(id: string, result: Result): boolean;
  /** The host has gone: what waits ends with this, and so does what is asked later. */
  rejectAll(result: Result): void;
}

export function createPendingCalls<Result>(prefix: string): PendingCalls<Result> {
  const waiting = new Map<string, (result: Result) => void>();
  let opened = 0;
  let rejection: { result: Result } | undefined;
  const settle = (id: string, result: Result): boolean => {
    const resolve = waiting.get(id);
    waiting.delete(id);
    resolve?.(result);
    return resolve !== undefined;
  };
  return {
    async open(signal, { send, onAbort }) {
      if (rejection !== undefined) return rejection.result;
      opened += 1;
      const id = `${prefix}_${opened}`;
      const answered = Promise.withResolvers<Result>();
      waiting.set(id, answered.resolve);
      const stop = () => void (waiting.has(id) && settle(id, onAbort(id)));
      send(id);
      signal.addEventListener("abort", stop, { once: true });
      if (signal.aborted) stop();
      const result = await answered.promise;
      signal.removeEventListener("abort", stop);
      return result;
    },
    settle,
    rejectAll(result) {
      rejection = { result };
      for (const id of [...waiting.keys()]) settle(id, result);
    },
  };
}
