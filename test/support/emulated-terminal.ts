import { type IBufferCell, type IBufferLine, Terminal } from "@xterm/headless";

// A real terminal emulator without a window: what a program writes, as a person would see it and scroll back through it.

export interface EmulatedTerminal {
  /** For `write` of a screen: always reading. */
  write(text: string): boolean;
  size(): { columns: number; rows: number };
  resize(columns: number, rows: number): void;
  /** Rows of the visible screen, without spaces at the end. */
  screen(): Promise<string[]>;
  /** The lines of scrollback and screen, wrapped rows joined again, without blank lines at the end. */
  lines(): Promise<string[]>;
  cursor(): Promise<{ row: number; column: number }>;
  /** The cells of the visible screen with how they look. */
  cells(): Promise<ShownCell[][]>;
  /** Everything that was ever written. */
  written(): string;
}

export interface ShownCell {
  text: string;
  /** A number of the palette of 256, or a colour as 0xrrggbb; undefined for that of the terminal. */
  colour: { palette: number } | { rgb: number } | undefined;
  isBold: boolean;
  isDim: boolean;
  isItalic: boolean;
  isUnderlined: boolean;
}

export interface EmulatorOptions {
  columns: number;
  rows: number;
  /** False for a terminal that cuts rows off that no longer fit. */
  doesReflow?: boolean;
}

export function openEmulator({ columns, rows, doesReflow = true }: EmulatorOptions): EmulatedTerminal {
  const terminal = new Terminal({
    cols: columns,
    rows,
    allowProposedApi: true,
    scrollback: 100_000,
    ...(doesReflow ? {} : { windowsPty: { backend: "winpty", buildNumber: 1 } as const }),
  });
  let written = "";
  const settled = () => new Promise<void>((resolve) => terminal.write("", resolve));
  const rowAt = (index: number) => terminal.buffer.active.getLine(index);
  return {
    write(text) {
      written += text;
      terminal.write(text);
      return true;
    },
    size: () => ({ columns: terminal.cols, rows: terminal.rows }),
    resize: (width, height) => terminal.resize(width, height),
    async screen() {
      await settled();
      const top = terminal.buffer.active.baseY;
      return Array.from({ length: terminal.rows }, (_, row) => rowAt(top + row)?.translateToString(true) ?? "");
    },
    async lines() {
      await settled();
      const all: string[] = [];
      for (let index = 0; index < terminal.buffer.active.length; index++) {
        const row = rowAt(index);
        const isContinued = rowAt(index + 1)?.isWrapped === true;
        const text = row?.translateToString(!isContinued, 0, terminal.cols) ?? "";
        if (row?.isWrapped === true) all.push((all.pop() ?? "") + text);
        else all.push(text);
      }
      while (all.at(-1)?.trim() === "") all.pop();
      return all.map((line) => line.trimEnd());
    },
    async cursor() {
      await settled();
      return { row: terminal.buffer.active.cursorY, column: terminal.buffer.active.cursorX };
    },
    async cells() {
      await settled();
      const top = terminal.buffer.active.baseY;
      return Array.from({ length: terminal.rows }, (_, row) => shownCells(rowAt(top + row)));
    },
    written: () => written,
  };
}

function shownCells(row: IBufferLine | undefined): ShownCell[] {
  return Array.from({ length: row?.length ?? 0 }, (_, column) => row?.getCell(column))
    .filter((cell) => cell !== undefined && cell.getWidth() > 0)
    .map((cell) => ({
      text: cell?.getChars() || " ",
      colour: colourOf(cell),
      isBold: cell?.isBold() !== 0,
      isDim: cell?.isDim() !== 0,
      isItalic: cell?.isItalic() !== 0,
      isUnderlined: cell?.isUnderline() !== 0,
    }));
}

function colourOf(cell: IBufferCell | undefined): ShownCell["colour"] {
  if (cell === undefined || cell.isFgDefault()) return undefined;
  return cell.isFgRGB() ? { rgb: cell.getFgColor() } : { palette: cell.getFgColor() };
}
