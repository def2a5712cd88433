import type { TerminalPort } from "./terminal-port.ts";

/** How much of what is written a sudden end may cost. */
const DRAFT_MS = 250;

export interface DraftKeeper {
  /** Something may have been written. */
  touch(): void;
  /** Stores it now. */
  keep(): void;
}

/** What is written is stored a moment after it was, so that it is there again after a crash. */
export function createDraftKeeper(
  draft: () => string,
  store: (text: string) => void,
  terminal: Pick<TerminalPort, "setTimer">,
): DraftKeeper {
  let cancel: (() => void) | undefined;
  let stored = draft();
  const keep = () => {
    cancel?.();
    cancel = undefined;
    const text = draft();
    if (text === stored) return;
    stored = text;
    store(text);
  };
  return {
    touch() {
      cancel ??= terminal.setTimer(keep, DRAFT_MS);
    },
    keep,
  };
}
