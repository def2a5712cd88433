import type { SerializeAddon } from "@xterm/addon-serialize";
import type { Terminal } from "@xterm/headless";

// What stands on the screen of a program: its bytes go through a terminal emulator, and what it shows can be had at any time.

export interface TerminalScreen {
  /** Copies what it keeps. */
  add(bytes: Uint8Array): void;
  resize(size: ScreenSize): void;
  /** The screen with some lines above it, as text with control sequences that draws it on another terminal. */
  draw(): Promise<string>;
}

export interface ScreenSize {
  columns: number;
  rows: number;
}

const SCROLLBACK_LINES = 1000;
/** The emulator reads what it is given bit by bit; what comes while so much waits is left out, and the screen says so. */
const MOST_WAITING_BYTES = 4 * 1024 * 1024;
/** Ends a control sequence that was cut. */
const CANCEL = "\x18";

/** `answer` gets what a terminal says to its program by itself, such as where the cursor is. */
export async function openScreen(size: ScreenSize, answer: (text: string) => void): Promise<TerminalScreen> {
  const { emulator, serializer } = await loadEmulator(size);
  emulator.onData(answer);
  let waiting = 0;
  let leftOut = 0;
  const write = (data: Uint8Array | string) => {
    waiting += data.length;
    emulator.write(data, () => {
      waiting -= data.length;
    });
  };
  return {
    add(bytes) {
      if (waiting + bytes.length > MOST_WAITING_BYTES) {
        leftOut += bytes.length;
        return;
      }
      if (leftOut > 0) write(`${CANCEL}\r\n[… ${leftOut} bytes left out …]\r\n`);
      leftOut = 0;
      write(bytes.slice());
    },
    resize: ({ columns, rows }) => emulator.resize(columns, rows),
    draw: () => new Promise((resolve) => emulator.write("", () => resolve(serializer.serialize()))),
  };
}

interface Emulator {
  emulator: Terminal;
  serializer: SerializeAddon;
}

async function loadEmulator({ columns, rows }: ScreenSize): Promise<Emulator> {
  const [headless, serialize] = await Promise.all([import("@xterm/headless"), import("@xterm/addon-serialize")]);
  const emulator = new headless.default.Terminal({
    cols: columns,
    rows,
    scrollback: SCROLLBACK_LINES,
    allowProposedApi: true,
  });
  const serializer = new serialize.default.SerializeAddon();
  emulator.loadAddon(serializer);
  return { emulator, serializer };
}
