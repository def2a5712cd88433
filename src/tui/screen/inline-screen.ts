import { type PrintOptions, printLine } from "../style/print-line.ts";
import { type Line, lineWidth, textOf } from "../style/styled-line.ts";
import { truncateLine } from "../style/wrap.ts";
import { asSent, erase, type LiveRegion, NO_REGION, type PaintedRow, paint } from "./live-region.ts";
import { type Reflow, rowsAboveCursor, rowsPrintedAbove } from "./reflow.ts";
import type { CursorPlace, Screen, ScreenSize } from "./screen.ts";
import { enterModes, leaveModes, type TerminalModes } from "./terminal-modes.ts";

export interface InlineScreenOptions {
  /** Sends bytes. False says the terminal is not reading: no frame comes until `drained`. */
  write(text: string): boolean;
  /** The size now. Asked before every frame, so that no frame is made for a window that has changed meanwhile. */
  size(): ScreenSize;
  print: PrintOptions;
  modes: TerminalModes;
  /** What to expect of the terminal now: its name may come as an answer after the start. */
  reflow(): Reflow;
  /** Calls back once after a while and returns what cancels it. Used only while the window changes its size. */
  setTimer(callback: () => void, milliseconds: number): () => void;
  /** Milliseconds from an unknown start. */
  now(): number;
}

/**
 * How long a window must keep its size before it is drawn in again, where the terminal reflows without a trace. A frame for
 * every step of a drag would be broken by the next step, and what is pushed out of sight then cannot be taken back; tmux also
 * tells of a new size up to 250 ms after it has reflowed. Where rows are cut, every step is answered at once.
 */
export const RESIZE_QUIET_MS = 300;
/**
 * A frame that was sent so shortly before a change of size was heard of may have reached the terminal after it. Nobody knows then
 * whether its rows were broken or cut: as many are taken away as there are in either case, and some may stay behind.
 */
export const IN_FLIGHT_MS = 300;

export function createInlineScreen(options: InlineScreenOptions): Screen {
  return new InlineScreen(options);
}

interface Picture {
  lines: readonly Line[];
  cursor: CursorPlace | undefined;
}

const EMPTY_PICTURE: Picture = { lines: [], cursor: undefined };

class InlineScreen implements Screen {
  private state: "off" | "on" | "suspended" | "stopped" = "off";
  private region: LiveRegion = NO_REGION;
  /** The size the region was drawn for. */
  private drawn: ScreenSize = { columns: 0, rows: 0 };
  private picture: Picture = EMPTY_PICTURE;
  private waiting: Line[] = [];
  private isBlocked = false;
  private isBehind = false;
  private paintedAt = Number.NEGATIVE_INFINITY;
  /** When a change of size was first heard of that was not answered yet. */
  private heardAt: number | undefined;
  /** The size that was last seen while the window is changing; frames wait until it stays. */
  private changing: { size: ScreenSize; cancel: () => void } | undefined;

  constructor(private readonly options: InlineScreenOptions) {}

  start(): void {
    if (this.state !== "off") return;
    this.state = "on";
    this.drawn = this.sizeNow();
    this.send(enterModes(this.options.modes));
  }

  commit(lines: readonly Line[]): void {
    if (this.state === "stopped") return;
    for (const line of lines) this.waiting.push(line);
  }

  draw(lines: readonly Line[], cursor?: CursorPlace): void {
    this.picture = { lines, cursor };
    this.frame();
  }

  resized(): void {
    this.frame();
  }

  drained(): void {
    this.isBlocked = false;
    if (this.isBehind) this.frame();
  }

  returned(): void {
    if (this.state !== "on") return;
    this.changing?.cancel();
    this.changing = undefined;
    this.heardAt = undefined;
    this.region = NO_REGION;
    this.drawn = this.sizeNow();
    this.send(`${leaveModes(this.options.modes)}${enterModes(this.options.modes)}`);
    this.frame();
  }

  suspend(): void {
    if (this.state !== "on") return;
    this.giveBack();
    this.state = "suspended";
  }

  resume(): void {
    if (this.state !== "suspended") return;
    this.state = "on";
    this.drawn = this.sizeNow();
    this.send(enterModes(this.options.modes));
    this.frame();
  }

  stop(): void {
    if (this.state === "on") this.giveBack();
    if (this.waiting.length > 0) this.send(`${this.takeWaiting().join("\r\n")}\r\n`);
    this.state = "stopped";
  }

  /** Sent even to a terminal that does not read: the stream keeps it, and finished lines are never dropped. */
  private giveBack(): void {
    this.changing?.cancel();
    this.changing = undefined;
    this.send(`${this.settleSize()}${this.advance(NO_REGION)}${leaveModes(this.options.modes)}`);
  }

  private frame(): void {
    if (this.state !== "on") return;
    const isChanged = !isSameSize(this.sizeNow(), this.changing?.size ?? this.drawn);
    if (isChanged) this.heardAt ??= this.options.now();
    if (isChanged && this.mustWait()) this.awaitQuiet();
    if (this.changing === undefined) this.paintNow();
  }

  /** Of the steps of a drag in xterm.js the first can be answered at once; those behind it may be there before the answer is. */
  private mustWait(): boolean {
    const reflow = this.options.reflow();
    return this.changing !== undefined || reflow === "exact" || (reflow === "xterm.js" && this.mayBeUnderway());
  }

  /** Whether the newest frame may have reached the terminal after the size had changed. */
  private mayBeUnderway(): boolean {
    return (this.heardAt ?? this.options.now()) - this.paintedAt < IN_FLIGHT_MS;
  }

  private awaitQuiet(): void {
    const size = this.sizeNow();
    this.changing?.cancel();
    const cancel = this.options.setTimer(() => {
      this.changing = undefined;
      if (isSameSize(this.sizeNow(), size)) this.paintNow();
      else this.awaitQuiet();
    }, RESIZE_QUIET_MS);
    this.changing = { size, cancel };
  }

  private paintNow(): void {
    this.isBehind = this.isBlocked;
    if (this.isBlocked) return;
    const erased = this.settleSize();
    this.send(`${erased}${this.advance(regionOf(this.picture, this.drawn, this.options.print))}`);
  }

  private advance(next: LiveRegion): string {
    const change = { committed: this.takeWaiting(), next, columns: this.drawn.columns };
    const bytes = paint(this.region, change);
    this.region = asSent(this.region, change);
    if (bytes !== "") this.paintedAt = this.options.now();
    return bytes;
  }

  /** After a change of size the old region is taken away as a whole; only then its rows can be counted on again. */
  private settleSize(): string {
    const size = this.sizeNow();
    const isWhereItWas = this.heardAt === undefined || this.options.reflow() === "exact";
    if (isWhereItWas && isSameSize(size, this.drawn)) return "";
    const bytes = this.region.rows.length > 0 ? erase(this.rowsAbove(size)) : "";
    this.heardAt = undefined;
    this.region = NO_REGION;
    this.drawn = size;
    return bytes;
  }

  private rowsAbove({ columns }: ScreenSize): number {
    const broken = rowsAboveCursor(this.region, columns, this.options.reflow());
    return this.mayBeUnderway() ? Math.min(broken, rowsPrintedAbove(this.region, columns)) : broken;
  }

  private takeWaiting(): string[] {
    const taken = this.waiting;
    this.waiting = [];
    return taken.map((line) => printLine(line, this.options.print));
  }

  /** A window can report no size at all while it is being made. */
  private sizeNow(): ScreenSize {
    const { columns, rows } = this.options.size();
    return { columns: Math.max(2, columns), rows: Math.max(1, rows) };
  }

  private send(bytes: string): void {
    if (bytes !== "" && !this.options.write(bytes)) this.isBlocked = true;
  }
}

function isSameSize(one: ScreenSize, other: ScreenSize): boolean {
  return one.columns === other.columns && one.rows === other.rows;
}

function regionOf({ lines, cursor }: Picture, { columns, rows }: ScreenSize, print: PrintOptions): LiveRegion {
  const last = Math.max(0, lines.length - rows);
  const first = cursor === undefined ? last : Math.min(last, Math.max(0, cursor.row));
  const shown = lines.slice(first, first + rows).map((line) => paintRow(line, columns, print));
  if (cursor === undefined || shown.length === 0) return { rows: shown, row: 0, column: 0, isCursorShown: false };
  return {
    rows: shown,
    row: Math.min(shown.length - 1, Math.max(0, cursor.row - first)),
    column: Math.min(columns - 1, Math.max(0, cursor.column)),
    isCursorShown: true,
  };
}

function paintRow(line: Line, columns: number, print: PrintOptions): PaintedRow {
  const fitted = truncateLine(withoutTrailingSpaces(line), columns);
  return { printed: printLine(fitted, print), text: textOf(fitted), width: lineWidth(fitted), isWrapping: false };
}

/** Invisible cells at the end of a row would count when the terminal reflows it. */
function withoutTrailingSpaces(line: Line): Line {
  const last = line.at(-1);
  if (last === undefined || !last.text.endsWith(" ")) return line;
  const { background, inverse, underline } = last.style;
  if (background !== undefined || inverse === true || underline === true) return line;
  const text = last.text.trimEnd();
  return text === "" ? withoutTrailingSpaces(line.slice(0, -1)) : [...line.slice(0, -1), { ...last, text }];
}
