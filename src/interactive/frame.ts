import type { AgentState } from "../protocol/agent-state.ts";
import { renderRule } from "../tui/components/panel.ts";
import type { ScreenSize } from "../tui/screen/screen.ts";
import { type Line, line, span } from "../tui/style/styled-line.ts";
import type { Theme } from "../tui/style/theme.ts";
import { truncateLine } from "../tui/style/wrap.ts";
import { sanitiseLine } from "../tui/text/sanitise.ts";
import type { Dialog } from "./dialogs/dialog.ts";
import type { PromptInput } from "./input/prompt-input.ts";
import type { KeyMap } from "./keys/key-map.ts";
import { type StatusFacts, statusLine } from "./status/status-line.ts";

// The live region: what is open of the conversation, what waits, a dialog, the input, the status. It is small: what does not fit
// is cut from the top of the conversation, never from what a person has to answer or writes.

export interface FrameParts {
  open: readonly Line[];
  dialog: Dialog | undefined;
  /** Whether keys go to the dialog. */
  isDialogFocused: boolean;
  input: PromptInput;
  facts: StatusFacts;
  size: ScreenSize;
  theme: Theme;
  keys: KeyMap;
}

export interface Frame {
  lines: readonly Line[];
  cursor: { row: number; column: number };
}

const MOST_INPUT_ROWS = 10;

export function composeFrame(parts: FrameParts): Frame {
  const { size, theme, input, facts, dialog } = parts;
  const width = size.columns;
  const writing = input.view({
    width,
    maximumRows: Math.max(1, Math.min(MOST_INPUT_ROWS, Math.floor(size.rows / 2))),
    theme,
    isSafe: facts.agent.safe,
  });
  const shown = dialog?.view({
    width,
    rows: Math.max(6, size.rows - writing.rows.length - 3),
    theme,
    keys: parts.keys,
  });
  const waiting = waitingRows(facts.agent, width, theme);
  const below = [
    ...(shown?.lines ?? []),
    ...(dialog !== undefined && !parts.isDialogFocused ? [line(span("Tab answers it", theme.styles.muted))] : []),
    ...waiting,
    renderRule("", width, theme),
  ];
  const status = statusLine(facts, width, theme);
  const room = Math.max(0, size.rows - below.length - writing.rows.length - 1);
  const open = parts.open.slice(Math.max(0, parts.open.length - room));
  const lines = [...open, ...below, ...writing.rows, status];
  const inDialog = parts.isDialogFocused ? shown?.cursor : undefined;
  const cursor = inDialog
    ? { row: open.length + inDialog.row, column: inDialog.column }
    : { row: open.length + below.length + writing.cursor.row, column: writing.cursor.column };
  return { lines, cursor };
}

const SHOWN_WAITING = 3;

/** Messages that wait for their turn; Alt+Up takes the newest back. */
function waitingRows({ waiting }: AgentState, width: number, theme: Theme): Line[] {
  const rows = waiting.slice(-SHOWN_WAITING).map(({ kind, message }) => {
    const text = message.content.map((part) => (part.type === "text" ? part.text : "[picture]")).join(" ");
    const sign = kind === "steering" ? "soon" : "later";
    return truncateLine(line(span(`${sign}: ${sanitiseLine(text)}`, theme.styles.muted)), width, theme.glyphs.ellipsis);
  });
  const more = waiting.length - rows.length;
  return more > 0 ? [line(span(`${more} more wait`, theme.styles.muted)), ...rows] : rows;
}
