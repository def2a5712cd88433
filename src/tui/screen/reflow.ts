import { graphemesOf, isPrintableAscii } from "../text/graphemes.ts";
import type { LiveRegion } from "./live-region.ts";

// Where the live region is after the window changed its width. Most terminals break rows that no longer fit and move the
// cursor along with its text; some cut them off; nothing a program can ask tells it which. What to expect is therefore a
// value handed in.

/**
 * `exact`: rows are broken and the cursor stays on its cell. `xterm.js`: rows are broken, the cursor's own row is cut, and
 * every row that is added moves the cursor down, also one below it. `none`: rows are cut. `none` is the careful choice for an
 * unknown terminal: it may leave rows of an old frame behind, but it never erases a finished line.
 */
export type Reflow = "exact" | "xterm.js" | "none";

export interface TerminalName {
  /** The value of TERM. */
  term: string;
  /** What the terminal answered when asked for its name (XTVERSION), or the value of TERM_PROGRAM. */
  program?: string | undefined;
}

/** What is known of terminals by name. The first row that matches counts. */
const KNOWN: readonly { name: RegExp; reflow: Reflow }[] = [
  { name: /^xterm\.js|^vscode/i, reflow: "xterm.js" },
  { name: /^XTerm\(/, reflow: "none" },
  {
    name: /^(tmux|kitty|ghostty|iterm|wezterm|alacritty|foot|vte|konsole|contour|rio|windows terminal|apple_terminal|warp|mlterm)/i,
    reflow: "exact",
  },
];

export function reflowOf({ term, program = "" }: TerminalName): Reflow {
  const known = KNOWN.find(({ name }) => name.test(program));
  if (known !== undefined) return known.reflow;
  return KNOWN.find(({ name }) => name.test(term.replace(/^xterm-(?=kitty|ghostty)/, "")))?.reflow ?? "none";
}

/** How many rows of the screen lie between the region's top and the cursor now. */
export function rowsAboveCursor(region: LiveRegion, columns: number, reflow: Reflow): number {
  if (reflow === "none") return region.row;
  if (reflow === "xterm.js") return rowsAboveInXtermJs(region, columns);
  const above = region.rows.slice(0, region.row).reduce((sum, { text }) => sum + rowsTaken(text, columns), 0);
  return above + Math.floor(region.column / columns);
}

/**
 * The same for a region that came only after the window had become narrower: no row was broken, and only those that were sent with
 * wrapping on went over several. Counting more than these would take a finished line for one of them.
 */
export function rowsPrintedAbove({ rows, row }: LiveRegion, columns: number): number {
  return rows.reduce((sum, { text, isWrapping }) => sum + (isWrapping ? rowsTaken(text, columns) - 1 : 0), row);
}

/** It goes from the bottom up and takes for the cursor's row whichever row the cursor has been moved to by then. */
function rowsAboveInXtermJs({ rows, row }: LiveRegion, columns: number): number {
  return rows.reduceRight(
    (cursor, { text }, index) => (cursor === index ? cursor : cursor + rowsTaken(text, columns) - 1),
    row,
  );
}

/** The rows a text takes when it is broken wherever the row ends. A wide character is never broken in two. */
function rowsTaken(text: string, columns: number): number {
  if (isPrintableAscii(text)) return Math.max(1, Math.ceil(text.length / columns));
  let rows = 1;
  let used = 0;
  for (const { width } of graphemesOf(text)) {
    if (used + width > columns) {
      rows++;
      used = 0;
    }
    used += width;
  }
  return rows;
}
