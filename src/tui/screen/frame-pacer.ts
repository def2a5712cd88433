// Many changes, few frames. The first change after a pause is shown at once; those that follow share a frame per interval.
// While nothing changes there is no timer.

export interface FramePacer {
  /** Something changed; it is shown with the next frame. */
  request(): void;
  /** Something changed that a person waits for, as after a key: it is shown now. */
  showNow(): void;
  stop(): void;
}

export interface FramePacerOptions {
  frame(): void;
  intervalMs: number;
  now(): number;
  /** Calls back once after a while and returns what cancels it. */
  setTimer(callback: () => void, milliseconds: number): () => void;
}

export function createFramePacer({ frame, intervalMs, now, setTimer }: FramePacerOptions): FramePacer {
  let last = Number.NEGATIVE_INFINITY;
  let cancel: (() => void) | undefined;
  const show = () => {
    cancel?.();
    cancel = undefined;
    last = now();
    frame();
  };
  return {
    request() {
      if (cancel !== undefined) return;
      const wait = last + intervalMs - now();
      if (wait <= 0) show();
      else cancel = setTimer(show, wait);
    },
    showNow: show,
    stop() {
      cancel?.();
      cancel = undefined;
    },
  };
}
