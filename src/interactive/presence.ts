import type { InputEvent } from "../tui/keys/input-event.ts";

/** How long nobody may have pressed a key before they count as away, where the terminal does not tell of its focus. */
const AWAY_MS = 10_000;

/** Whether somebody looks: by what the terminal tells of its focus, otherwise by the last key. */
export interface Presence {
  accept(event: InputEvent): void;
  isAway(): boolean;
}

export function createPresence(now: () => number): Presence {
  let isFocused: boolean | undefined;
  let lastKeyAt = now();
  return {
    accept(event) {
      if (event.type === "focus") isFocused = event.isFocused;
      else if (event.type !== "answer") lastKeyAt = now();
    },
    isAway: () => (isFocused === false ? true : now() - lastKeyAt >= AWAY_MS),
  };
}
