import type { TerminalSize } from "../../loop/control/loop-controls.ts";
import { descriptorOutput } from "../output.ts";
import { cut } from "../sessions/columns.ts";

// The person's terminal in `ralph attach`: lines that scroll with a status below them, or the whole screen of a program.

export interface AttachTerminal {
  size(): TerminalSize;
  /** Lines above the status. */
  lines(text: string): void;
  /** The line below everything. */
  status(text: string): void;
  /** The whole terminal belongs to a program from now on. */
  enterProgram(): void;
  program(data: string): void;
  leaveProgram(): void;
  /** Bytes the terminal has not taken yet. */
  waiting(): number;
  drained(): Promise<void>;
  /** Puts everything back. */
  close(): Promise<void>;
}

export interface AttachTerminalOptions {
  /** A terminal that understands no sequences gets lines only. */
  isDumb: boolean;
  onTyped(text: string): void;
  onResize(): void;
  /** Nobody can see anything any more. */
  onGone(): void;
}

const ALTERNATE_SCREEN = "\x1b[?1049h\x1b[2J\x1b[H";
/** Whatever a program may have switched on: mouse, paste marks, keypad, keyboard protocols, a hidden cursor, colours. */
const BACK_TO_NORMAL =
  "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1004l\x1b[?1006l\x1b[?2004l\x1b[?2026l\x1b[<u\x1b[>4;0m\x1b[?1l\x1b>\x1b[r\x1b[?7h\x1b[?25h\x1b[0m\x1b[?1049l";

export function openAttachTerminal(options: AttachTerminalOptions): AttachTerminal {
  const { isDumb, onTyped, onResize, onGone } = options;
  const output = countedOutput(onGone);
  const line = isDumb ? dumbStatus() : statusBelow();
  let isProgram = false;
  const input = rawInput({
    onTyped,
    onGone,
    onResize() {
      if (!isProgram) output.write(line.redrawn());
      onResize();
    },
  });
  const leaveProgram = () => {
    if (isProgram) output.write(isDumb ? "\r\n" : BACK_TO_NORMAL);
    isProgram = false;
  };
  return {
    size: terminalSize,
    lines(text) {
      if (!isProgram) output.write(line.below(text.replaceAll("\n", "\r\n")));
    },
    status(text) {
      const drawn = line.changed(text);
      if (!isProgram) output.write(drawn);
    },
    enterProgram() {
      output.write(line.cleared() + (isDumb ? "" : ALTERNATE_SCREEN));
      isProgram = true;
    },
    program(data) {
      if (isProgram) output.write(data);
    },
    leaveProgram() {
      leaveProgram();
      output.write(line.redrawn());
    },
    waiting: output.waiting,
    drained: output.drained,
    async close() {
      leaveProgram();
      output.write(line.cleared());
      await output.drained();
      input.close();
    },
  };
}

/** Where the status is and what has to be written to move it. */
interface StatusPlace {
  /** Text above the status. */
  below(text: string): string;
  changed(status: string): string;
  redrawn(): string;
  cleared(): string;
}

function statusBelow(): StatusPlace {
  let wanted = "";
  let shown = "";
  const cleared = () => {
    // A terminal that became narrower may have broken the status into several rows.
    const rows = Math.ceil(Bun.stringWidth(shown) / terminalSize().columns) - 1;
    shown = "";
    return `${rows > 0 ? `\x1b[${rows}A` : ""}\r\x1b[J`;
  };
  const drawn = () => {
    shown = cut(wanted, terminalSize().columns - 1);
    return shown;
  };
  return {
    below: (text) => cleared() + text + drawn(),
    changed(status) {
      if (status === wanted) return "";
      wanted = status;
      return cleared() + drawn();
    },
    redrawn: () => cleared() + drawn(),
    cleared,
  };
}

function dumbStatus(): StatusPlace {
  let told = "";
  return {
    below: (text) => text,
    changed(status) {
      const isNew = status !== told;
      told = status;
      return isNew ? `${status}\r\n` : "";
    },
    redrawn: () => "",
    cleared: () => "",
  };
}

function countedOutput(onGone: () => void) {
  const output = descriptorOutput(1, onGone);
  let waiting = 0;
  return {
    write(text: string) {
      if (text === "") return;
      waiting += text.length;
      output.write(text);
      void output.drained().then(() => {
        waiting = 0;
      });
    },
    waiting: () => waiting,
    drained: () => output.drained(),
  };
}

/** Every key as it is pressed. The terminal is put back even where the process ends in a hurry. */
function rawInput({ onTyped, onGone, onResize }: Omit<AttachTerminalOptions, "isDumb">): { close(): void } {
  const decoder = new TextDecoder();
  const typed = (bytes: Uint8Array) => onTyped(decoder.decode(bytes, { stream: true }));
  const restore = () => void process.stdin.setRawMode?.(false);
  process.stdin.setRawMode?.(true);
  process.stdin.on("data", typed);
  process.stdin.on("end", onGone);
  process.stdout.on("resize", onResize);
  process.on("exit", restore);
  return {
    close() {
      process.stdout.off("resize", onResize);
      process.off("exit", restore);
      process.stdin.off("data", typed);
      process.stdin.off("end", onGone);
      process.stdin.pause();
      restore();
    },
  };
}

function terminalSize(): TerminalSize {
  const [columns, rows] = process.stdout.getWindowSize?.() ?? [];
  return { columns: columns || 80, rows: rows || 24 };
}
