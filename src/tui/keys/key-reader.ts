import type { InputEvent } from "./input-event.ts";
import { INITIAL_KEYS, isWaiting, settleKeys, settlePaste, stepKeys } from "./key-parser.ts";
import { joinTyped } from "./typed-run.ts";

// The key parser with a clock: an Escape that nothing follows is a key, and a paste whose end got lost is ended by Ctrl+C.

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

/** A paste that was silent for so long may have lost its end on the way. */
export const PASTE_QUIET_MS = 1000;
/** Ctrl+C alone, as it is typed: in the old way and in the Kitty protocol. */
const CONTROL_C = new Set(["\x03", "\x1b[99;5u", "\x1b[99;5:1u"]);

export function createKeyReader({ onEvent, escapeMs, setTimer }: KeyReaderOptions): KeyReader {
  let state = INITIAL_KEYS;
  let isPasteQuiet = false;
  let cancel: (() => void) | undefined;
  const awaitMore = () => {
    if (isWaiting(state)) return setTimer(() => advance(settleKeys(state)), escapeMs);
    if (state.paste === undefined) return undefined;
    return setTimer(() => {
      isPasteQuiet = true;
    }, PASTE_QUIET_MS);
  };
  const advance = (step: { state: typeof state; events: InputEvent[] }) => {
    state = step.state;
    cancel?.();
    isPasteQuiet = false;
    cancel = awaitMore();
    for (const event of joinTyped(step.events)) onEvent(event);
  };
  return {
    feed(bytes) {
      const isEnded = isPasteQuiet && CONTROL_C.has(new TextDecoder().decode(bytes.subarray(0, 16)));
      advance(isEnded ? settlePaste(state) : stepKeys(state, bytes));
    },
    stop() {
      cancel?.();
      cancel = undefined;
    },
  };
}
