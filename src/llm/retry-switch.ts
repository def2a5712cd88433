/** Whether requests that failed for a passing reason are made again. Asked after every attempt. */
export interface RetrySwitch {
  isOn(): boolean;
  /** Turning it off ends every wait. */
  set(isOn: boolean): void;
  /** Ends every wait for a next attempt: what failed has failed. False where nothing waits. */
  cutShort(): boolean;
  /** Whether the wait came to its end. `sleep` ends early when its signal is aborted. */
  wait(sleep: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<boolean>;
}

export function createRetrySwitch(): RetrySwitch {
  let isOn = true;
  const waits = new Set<AbortController>();
  const cutShort = () => {
    const some = waits.size > 0;
    for (const wait of waits) wait.abort();
    return some;
  };
  return {
    isOn: () => isOn,
    set(next) {
      isOn = next;
      if (!isOn) cutShort();
    },
    cutShort,
    async wait(sleep, signal) {
      const cut = new AbortController();
      waits.add(cut);
      await sleep(AbortSignal.any([signal, cut.signal]));
      waits.delete(cut);
      return !cut.signal.aborted;
    },
  };
}
