import type { Clock } from "../system/clock.ts";
import type { OutputPiece } from "../system/run-process.ts";

/** Output for faces as it comes: some times a second, and only the newest of it when there is more than anybody can read. */
export interface OutputUpdates {
  add(piece: OutputPiece): void;
  /** Hands on what is left. */
  close(): void;
}

const INTERVAL_MS = 50;
const NEWEST_BYTES = 8 * 1024;

export function outputUpdates(clock: Clock, update: (text: string) => void): OutputUpdates {
  const streams = { stdout: newestText(), stderr: newestText() };
  let stopTimer: (() => void) | undefined;
  const flush = () => {
    stopTimer?.();
    stopTimer = undefined;
    const text = streams.stdout.take() + streams.stderr.take();
    if (text !== "") update(text);
  };
  return {
    add({ stream, bytes }) {
      streams[stream].add(bytes);
      stopTimer ??= clock.timer(INTERVAL_MS, flush);
    },
    close: flush,
  };
}

function newestText() {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let text = "";
  let dropped = false;
  return {
    add(bytes: Uint8Array) {
      const skipped = Math.max(0, bytes.length - NEWEST_BYTES);
      text += decoder.decode(bytes.subarray(skipped), { stream: true });
      dropped ||= skipped > 0 || text.length > NEWEST_BYTES;
      if (text.length > NEWEST_BYTES) text = text.slice(-NEWEST_BYTES);
    },
    take() {
      const taken = dropped ? `…\n${text}` : text;
      text = "";
      dropped = false;
      return taken;
    },
  };
}
