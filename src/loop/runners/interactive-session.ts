import { startInTerminal, type TerminalExit, type TerminalProgram } from "./terminal-program.ts";
import { openScreen, type ScreenSize } from "./terminal-screen.ts";

// A program a person talks to: it stands in a terminal, and whoever comes later sees what is on its screen.

export interface InteractiveOptions {
  argv: readonly string[];
  root: string;
  /** The whole environment; TERM is set, because the terminal is ours. */
  environment: Readonly<Record<string, string | undefined>>;
  size: ScreenSize;
  graceMs?: number;
}

export interface InteractiveSession {
  pid: number;
  /** Types. False when nobody can read it: the program has ended, or has left 1 MB unread. */
  write(data: string): boolean;
  /** Both sides are kept between 1 and 1000. */
  resize(size: ScreenSize): void;
  /** What stands on the screen, as text that draws it on another terminal of this size. */
  screen(): Promise<string>;
  /** Every piece of output, valid only during the call. Returns its stop. */
  onBytes(listener: (bytes: Uint8Array) => void): () => void;
  /** Resolves when the program, and what it left running, has ended. The screen can still be drawn. */
  exited: Promise<TerminalExit>;
  /** Ends the program and everything it started. */
  stop(): Promise<TerminalExit>;
}

export type OpenedInteractive = { ok: true; session: InteractiveSession } | { ok: false; message: string };

const DEFAULT_GRACE_MS = 2000;
const LARGEST_SIDE = 1000;

export async function openInteractive(options: InteractiveOptions): Promise<OpenedInteractive> {
  const { argv, root, environment, graceMs = DEFAULT_GRACE_MS } = options;
  const size = bounded(options.size);
  const listeners = new Set<(bytes: Uint8Array) => void>();
  let program: TerminalProgram | undefined;
  const screen = await openScreen(size, (text) => void program?.write(text));
  const started = startInTerminal({
    argv,
    root,
    environment,
    size,
    graceMs,
    onBytes(bytes) {
      screen.add(bytes);
      for (const listener of [...listeners]) listener(bytes);
    },
  });
  if (typeof started === "string") return { ok: false, message: started };
  program = started;
  const { pid, write, exited, end } = started;
  return {
    ok: true,
    session: {
      pid,
      write,
      resize(wanted) {
        const next = bounded(wanted);
        screen.resize(next);
        started.resize(next);
      },
      screen: screen.draw,
      onBytes(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
      exited,
      stop: end,
    },
  };
}

function bounded({ columns, rows }: ScreenSize): ScreenSize {
  const side = (length: number) => Math.min(LARGEST_SIDE, Math.max(1, Math.floor(length) || 1));
  return { columns: side(columns), rows: side(rows) };
}
