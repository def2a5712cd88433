import type { AgentState } from "../protocol/agent-state.ts";
import { renderRule } from "../tui/components/rule.ts";
import type { ScreenSize } from "../tui/screen/screen.ts";
import { type Line, line, span } from "../tui/style/styled-line.ts";
import type { Theme } from "../tui/style/theme.ts";
import { truncateLine } from "../tui/style/wrap.ts";
import { sanitiseLine } from "../tui/text/sanitise.ts";
import type { Dialog, DialogView } from "./dialogs/dialog.ts";
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
/** The rule above the input and the status below it. */
const FIXED_ROWS = 2;

export function composeFrame(parts: FrameParts): Frame {
  const { size, theme, input, facts, dialog, isDialogFocused } = parts;
  const width = size.columns;
  const writing = input.view({
    width,
    maximumRows: Math.max(1, Math.min(MOST_INPUT_ROWS, Math.floor(size.rows / 2))),
    theme,
    isSafe: facts.agent.safe,
  });
  const waiting = waitingRows(facts.agent, width, theme);
  const tab = dialog === undefined || isDialogFocused ? [] : [line(span("Tab answers it", theme.styles.muted))];
  const taken = writing.rows.length + waiting.length + tab.length + FIXED_ROWS;
  const shown: DialogView =
    dialog?.view({ width, rows: Math.max(1, size.rows - taken), theme, keys: parts.keys }) ?? NOTHING;
  const below = [...shown.lines, ...tab, ...waiting, renderRule("", width, theme)];
  const room = Math.max(0, size.rows - below.length - writing.rows.length - 1);
  const open = parts.open.slice(Math.max(0, parts.open.length - room));
  const inDialog = isDialogFocused ? shown.cursor : undefined;
  const cursor = inDialog
    ? { row: open.length + inDialog.row, column: inDialog.column }
    : { row: open.length + below.length + writing.cursor.row, column: writing.cursor.column };
  const lines = [...open, ...below, ...writing.rows, statusLine(facts, width, theme)];
  return fitted({ lines, cursor }, size, theme);
}

const NOTHING: DialogView = { lines: [] };

/** Never taller or wider than the screen. A screen too low for all of it shows what is around the cursor. */
function fitted({ lines, cursor }: Frame, { columns, rows }: ScreenSize, { glyphs }: Theme): Frame {
  const height = Math.max(1, rows);
  const top = Math.max(0, Math.min(lines.length - height, cursor.row));
  const shown = lines.slice(top, top + height);
  const row = Math.max(0, Math.min(shown.length - 1, cursor.row - top));
  const column = Math.max(0, Math.min(columns - 1, cursor.column));
  return { lines: shown.map((one) => truncateLine(one, columns, glyphs.ellipsis)), cursor: { row, column } };
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
