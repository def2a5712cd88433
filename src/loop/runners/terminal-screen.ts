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
/** The emulator reads what it is given bit by bit; what comes while so much waits is left out but for its end, and the screen says so. */
const MOST_WAITING_BYTES = 4 * 1024 * 1024;
const KEPT_END_BYTES = 16 * 1024;
/** Ends a control sequence that was cut. */
const CANCEL = "\x18";

/** `answer` gets what a terminal says to its program by itself, such as where the cursor is. */
export async function openScreen(size: ScreenSize, answer: (text: string) => void): Promise<TerminalScreen> {
  const { emulator, serializer } = await loadEmulator(size);
  emulator.onData(answer);
  let waiting = 0;
  const missed = missedBytes();
  const write = (data: Uint8Array | string) => {
    waiting += data.length;
    emulator.write(data, () => {
      waiting -= data.length;
      catchUp();
    });
  };
  const hasRoom = (bytes: number) => waiting + bytes <= MOST_WAITING_BYTES;
  const catchUp = () => {
    if (missed.isEmpty || !hasRoom(2 * KEPT_END_BYTES)) return;
    const { leftOut, end } = missed.take();
    if (leftOut > 0) write(`${CANCEL}\r\n[… ${leftOut} bytes left out …]\r\n`);
    write(end);
  };
  return {
    add(bytes) {
      catchUp();
      if (missed.isEmpty && hasRoom(bytes.length)) write(bytes.slice());
      else missed.add(bytes);
    },
    resize: ({ columns, rows }) => emulator.resize(columns, rows),
    draw: () =>
      new Promise((resolve) => {
        emulator.write("", () => {
          catchUp();
          emulator.write("", () => resolve(serializer.serialize()));
        });
      }),
  };
}

/** What came too fast: how much, and its end. */
function missedBytes() {
  let count = 0;
  let end: Uint8Array = new Uint8Array(0);
  return {
    get isEmpty() {
      return count === 0;
    },
    add(bytes: Uint8Array) {
      count += bytes.length;
      end = Buffer.concat([end, bytes.subarray(-KEPT_END_BYTES)]).subarray(-KEPT_END_BYTES);
    },
    take() {
      const taken = { leftOut: count - end.length, end };
      count = 0;
      end = new Uint8Array(0);
      return taken;
    },
  };
}

interface Emulator {
  emulator: Terminal;
  serializer: SerializeAddon;
}

async function loadEmulator({ columns, rows }: ScreenSize): Promise<Emulator> {
  const [headless, serialize] = await Promise.all([import("@xterm/headless"), import("@xterm/addon-serialize")]);
  const { Terminal } = namesOf(headless);
  const { SerializeAddon } = namesOf(serialize);
  const emulator = new Terminal({
    cols: columns,
    rows,
    scrollback: SCROLLBACK_LINES,
    allowProposedApi: true,
  });
  const serializer = new SerializeAddon();
  emulator.loadAddon(serializer);
  return { emulator, serializer };
}

/** Run from source these are CommonJS modules, whose names are in `default`; compiled one of them is an ES module, which has none. */
function namesOf<Module extends object>(module: Module & { default?: Module }): Module {
  return module.default ?? module;
}
