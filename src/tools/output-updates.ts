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

/** The newest bytes, read as text only when somebody is told: of a flood most is never looked at. */
function newestText() {
  let decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const newest = new Uint8Array(NEWEST_BYTES);
  let length = 0;
  let dropped = false;
  return {
    add(bytes: Uint8Array) {
      const added = bytes.subarray(Math.max(0, bytes.length - NEWEST_BYTES));
      const kept = Math.min(length, NEWEST_BYTES - added.length);
      dropped ||= added.length < bytes.length || kept < length;
      newest.copyWithin(0, length - kept, length);
      newest.set(added, kept);
      length = kept + added.length;
    },
    take() {
      if (dropped) decoder = new TextDecoder("utf-8", { ignoreBOM: true });
      const start = dropped ? firstWhole(newest.subarray(0, length)) : 0;
      const text = decoder.decode(newest.subarray(start, length), { stream: true });
      const taken = dropped ? `…\n${text}` : text;
      length = 0;
      dropped = false;
      return taken;
    },
  };
}

/** Where the first character begins that was not cut. */
function firstWhole(bytes: Uint8Array): number {
  const start = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return start === -1 ? bytes.length : start;
}
