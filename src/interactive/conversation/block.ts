import type { Line } from "../../tui/style/styled-line.ts";
import type { Theme } from "../../tui/style/theme.ts";

// One piece of the conversation on the screen. What is finished of it goes into the scrollback once; the rest is drawn anew with
// every frame.

export interface BlockPlace {
  width: number;
  theme: Theme;
  hasLinks: boolean;
  isThinkingShown: boolean;
  areToolsExpanded: boolean;
  /** Milliseconds from an unknown start, for how long something takes. */
  now: number;
}

export interface Block {
  /** A blank row stands between blocks, except between two tool calls. */
  readonly kind: "words" | "tool";
  /** Rows that will not change any more and were not taken before. */
  takeFinished(place: BlockPlace): Line[];
  /** Everything that was not taken: rows that may still change, and finished ones that wait for an earlier block. */
  openRows(place: BlockPlace): Line[];
  readonly isDone: boolean;
}

/** A piece that is finished from the start. */
export function finishedBlock(rows: (place: BlockPlace) => Line[]): Block {
  let isDone = false;
  return {
    kind: "words",
    takeFinished(place) {
      isDone = true;
      return rows(place);
    },
    openRows: (place) => (isDone ? [] : rows(place)),
    get isDone() {
      return isDone;
    },
  };
}
