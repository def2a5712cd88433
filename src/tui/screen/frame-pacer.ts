// Many changes, few frames. The first change after a pause is shown at once; those that follow share a frame per interval.
// While nothing changes there is no timer.

export interface FramePacer {
  /** Something changed; it is shown with the next frame. */
  request(): void;
  /** Something changed that a person waits for, as after a key: it is shown now. */
  showNow(): void;
  /** What is wanted to be shown at once meanwhile shares one frame behind it. */
  together(work: () => void): void;
  stop(): void;
}

export interface FramePacerOptions {
  frame(): void;
  intervalMs: number;
  now(): number;
  /** Calls back once after a while and returns what cancels it. */
  setTimer(callback: () => void, milliseconds: number): () => void;
}

/** A slow frame is followed by as long a rest, for all else there is to do. */
const REST_PER_FRAME = 1;

export function createFramePacer({ frame, intervalMs, now, setTimer }: FramePacerOptions): FramePacer {
  let last = Number.NEGATIVE_INFINITY;
  let pauseMs = intervalMs;
  let cancel: (() => void) | undefined;
  let isHeld = false;
  let isOwed = false;
  const show = () => {
    cancel?.();
    cancel = undefined;
    const begun = now();
    frame();
    last = now();
    pauseMs = Math.max(intervalMs - (last - begun), (last - begun) * REST_PER_FRAME);
  };
  return {
    request() {
      if (cancel !== undefined) return;
      const wait = last + pauseMs - now();
      if (wait <= 0) show();
      else cancel = setTimer(show, wait);
    },
    showNow() {
      if (isHeld) isOwed = true;
      else show();
    },
    together(work) {
      isHeld = true;
      isOwed = false;
      try {
        work();
      } finally {
        isHeld = false;
      }
      if (isOwed) show();
    },
    stop() {
      cancel?.();
      cancel = undefined;
    },
  };
}
