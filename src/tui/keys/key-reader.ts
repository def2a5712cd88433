import type { InputEvent } from "./input-event.ts";
import { INITIAL_KEYS, isWaiting, settleKeys, stepKeys } from "./key-parser.ts";

// The key parser with a clock: an Escape that nothing follows is a key.

export interface KeyReader {
  feed(bytes: Uint8Array): void;
  stop(): void;
}

export interface KeyReaderOptions {
  onEvent(event: InputEvent): void;
  /** How long the rest of a sequence may take. Over a slow line it takes longer than at a desk. */
  escapeMs: number;
  /** Calls back once after a while and returns what cancels it. */
  setTimer(callback: () => void, milliseconds: number): () => void;
}

export function createKeyReader({ onEvent, escapeMs, setTimer }: KeyReaderOptions): KeyReader {
  let state = INITIAL_KEYS;
  let cancel: (() => void) | undefined;
  const advance = (step: { state: typeof state; events: InputEvent[] }) => {
    state = step.state;
    cancel?.();
    cancel = isWaiting(state) ? setTimer(() => advance(settleKeys(state)), escapeMs) : undefined;
    for (const event of step.events) onEvent(event);
  };
  return {
    feed: (bytes) => advance(stepKeys(state, bytes)),
    stop() {
      cancel?.();
      cancel = undefined;
    },
  };
}
