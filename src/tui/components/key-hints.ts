import { type Line, lineWidth, span } from "../style/styled-line.ts";
import type { Theme } from "../style/theme.ts";

export interface KeyHint {
  /** As people read it: `Enter`, `Ctrl+C`. */
  keys: string;
  action: string;
}

/** As many hints as fit into the width, the first ones first. */
export function renderKeyHints(hints: readonly KeyHint[], width: number, theme: Theme): Line {
  const shown: Line[] = [];
  let used = 0;
  for (const { keys, action } of hints) {
    const hint: Line = [span(keys, theme.styles.accent), span(` ${action}`, theme.styles.muted)];
    const needed = lineWidth(hint) + (shown.length === 0 ? 0 : GAP.length);
    if (used + needed > width) break;
    used += needed;
    shown.push(hint);
  }
  return shown.flatMap((hint, index) => (index === 0 ? hint : [span(GAP), ...hint]));
}

const GAP = "   ";

/** A chord of key events as people read it: `ctrl+shift+p` is `Ctrl+Shift+P`. */
export function readableChord(chord: string): string {
  return chord
    .replace(/\+$/, "plus")
    .split("+")
    .map((part) =>
      part
        .split("-")
        .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
        .join(""),
    )
    .join("+")
    .replace(/(^|\+)Plus$/, "$1+");
}
