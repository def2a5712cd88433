// What a terminal is asked to do differently while a program runs in it, and how it is asked to stop.

export interface TerminalModes {
  /** Pasted text comes marked as such. */
  hasBracketedPaste: boolean;
  /** Keys that old terminals cannot tell apart (Shift+Enter, Ctrl+I) come as themselves, where the terminal knows how. */
  hasExtendedKeys: boolean;
  /** The terminal says when it gains and loses the focus. */
  hasFocusReports: boolean;
}

interface ModeRow {
  mode: keyof TerminalModes;
  enter: string;
  leave: string;
}

/** The Kitty protocol is pushed and popped, with disambiguation and alternate keys; xterm's own way comes beside it. */
const MODES: readonly ModeRow[] = [
  { mode: "hasBracketedPaste", enter: "\x1b[?2004h", leave: "\x1b[?2004l" },
  { mode: "hasExtendedKeys", enter: "\x1b[>5u\x1b[>4;2m", leave: "\x1b[>4m\x1b[<u" },
  { mode: "hasFocusReports", enter: "\x1b[?1004h", leave: "\x1b[?1004l" },
];

export function enterModes(modes: TerminalModes): string {
  return MODES.filter(({ mode }) => modes[mode])
    .map(({ enter }) => enter)
    .join("");
}

/** Also the last words of a program that dies: wrapping on, cursor shown, colours plain, no frame left open. */
export function leaveModes(modes: TerminalModes): string {
  const left = MODES.filter(({ mode }) => modes[mode]).map(({ leave }) => leave);
  return `\x1b[?2026l\x1b[0m${left.reverse().join("")}\x1b[?7h\x1b[?25h`;
}

/** Questions a terminal answers through its keyboard; see the key parser's `answer` events. Device attributes come last:
 *  every terminal answers them, so that whoever waits knows the others will not come any more. */
export const QUESTIONS = {
  name: "\x1b[>q",
  backgroundColour: "\x1b]11;?\x1b\\",
  keyboardProtocol: "\x1b[?u",
  synchronizedOutput: "\x1b[?2026$p",
  cursorPosition: "\x1b[?6n",
  deviceAttributes: "\x1b[c",
} as const;
