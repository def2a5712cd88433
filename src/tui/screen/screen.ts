import type { Line } from "../style/styled-line.ts";

// The bottom of a normal terminal screen. Finished lines go once into the terminal's own scrollback and belong to it from then
// on; below them is a live region that is drawn again with every frame. The scrollback is never cleared, the alternate screen
// never entered.

export interface Screen {
  /** Takes the terminal over: modes are set. */
  start(): void;
  /** Hands finished lines over. They are written with the next `draw` (or `stop`), in order, exactly once. */
  commit(lines: readonly Line[]): void;
  /** Shows these lines as the live region. A line wider than the screen is cut; more lines than rows are cropped around the cursor. */
  draw(lines: readonly Line[], cursor?: CursorPlace): void;
  /** To be called when the window has changed its size. */
  resized(): void;
  /** To be called when a terminal that did not read has caught up. */
  drained(): void;
  /** To be called when others have written to the terminal without our knowing: everything is drawn anew where the cursor is. */
  returned(): void;
  /** Takes the live region away and gives the terminal back, for another program or the shell. */
  suspend(): void;
  resume(): void;
  /** Writes what was committed, takes the live region away and gives the terminal back. Nothing is written afterwards. */
  stop(): void;
}

/** A place in the live region, in lines and cells from its top left. */
export interface CursorPlace {
  row: number;
  column: number;
}

export interface ScreenSize {
  columns: number;
  rows: number;
}
