import type { KeyEvent, PasteEvent } from "../../tui/keys/input-event.ts";
import type { Line } from "../../tui/style/styled-line.ts";
import type { Theme } from "../../tui/style/theme.ts";
import type { KeyMap } from "../keys/key-map.ts";

// Something over the input that wants an answer: a list to choose from, a question, a text to confirm. It has the keys while it
// is open; the work of the agent goes on behind it.

export interface DialogPlace {
  width: number;
  /** How many rows it may take. */
  rows: number;
  theme: Theme;
  keys: KeyMap;
}

export interface DialogView {
  lines: readonly Line[];
  /** Where the cursor is, where something is typed. */
  cursor?: { row: number; column: number };
}

export interface Dialog {
  /** Another one where something else is asked than before: for those who hear it once. */
  readonly topic?: string;
  view(place: DialogPlace): DialogView;
  /** True where the key was for it. */
  onKey(event: KeyEvent, keys: KeyMap): boolean;
  /** True where the paste was for it. */
  onPaste?(event: PasteEvent): boolean;
}
