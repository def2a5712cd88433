import { systemClock } from "../../system/clock.ts";
import { endTree, type ProcessTree, processTree, treeIsGone } from "../../system/process-tree.ts";
import type { ScreenSize } from "./terminal-screen.ts";

// A program that stands in a pseudo-terminal, and everything it starts.

export interface TerminalProgramOptions {
  argv: readonly string[];
  root: string;
  /** The whole environment; only TERM and a mark to find children by are set. */
  environment: Readonly<Record<string, string | undefined>>;
  size: ScreenSize;
  /** What the program has between being asked to end and SIGKILL. */
  graceMs: number;
  /** The bytes are only valid during the call. */
  onBytes(bytes: Uint8Array): void;
}

export interface TerminalExit {
  code: number | null;
  signal: string | null;
  /** Processes that could not be ended: normally none. */
  survivors: readonly number[];
}

export interface TerminalProgram {
  pid: number;
  /** False when nobody can read it: the program has ended, or has left 1 MB unread. */
  write(data: string): boolean;
  resize(size: ScreenSize): void;
  /** Resolves when the program, and what it left running, has ended and all its output was handed on. */
  exited: Promise<TerminalExit>;
  end(): Promise<TerminalExit>;
}

const MOST_UNREAD_BYTES = 1024 * 1024;
/** How long after the program's end its terminal may stay open. */
const SETTLE_MS = 250;
/** What a program has to draw its last screen after the hang-up. */
const HANG_UP_MS = 250;
const MARKER = "RALPH_TERMINAL_ID";

/** A message where it cannot be started. */
export function startInTerminal(options: TerminalProgramOptions): TerminalProgram | string {
  const marker = Buffer.from(crypto.getRandomValues(new Uint8Array(12))).toString("hex");
  const closed = Promise.withResolvers<void>();
  let unread = 0;
  const spawned = spawn(options, {
    marker,
    onDrain: () => {
      unread = 0;
    },
    onClose: closed.resolve,
  });
  if (typeof spawned === "string") return spawned;
  const { child, terminal } = spawned;
  const tree = processTree({ pid: child.pid, marker });
  const exited = child.exited.then(() => settle({ ...spawned, tree, closed: closed.promise }, options.graceMs));
  return {
    pid: child.pid,
    write(data) {
      const length = Buffer.byteLength(data);
      if (terminal.closed || hasEnded(child) || unread + length > MOST_UNREAD_BYTES) return false;
      unread += length;
      terminal.write(data);
      return true;
    },
    resize({ columns, rows }) {
      if (!terminal.closed) terminal.resize(columns, rows);
    },
    exited,
    async end() {
      await hangUp(tree, terminal);
      await endTree(tree, options.graceMs);
      return exited;
    },
  };
}

/**
 * A shell that talks to a person does not listen to SIGTERM; that its terminal went away it understands. One that was about to
 * read when the signal came reads on, so the terminal really goes away a little later.
 */
async function hangUp(tree: ProcessTree, terminal: Bun.Terminal): Promise<void> {
  tree.signal("SIGHUP");
  if (!(await treeIsGone(tree, HANG_UP_MS))) terminal.close();
}

interface Spawned {
  child: Bun.Subprocess;
  terminal: Bun.Terminal;
}

interface SpawnParts {
  marker: string;
  onDrain(): void;
  onClose(): void;
}

function spawn(options: TerminalProgramOptions, { marker, onDrain, onClose }: SpawnParts): Spawned | string {
  const { argv, root, environment, size, onBytes } = options;
  try {
    const child = Bun.spawn([...argv], {
      cwd: root,
      env: { ...environment, TERM: "xterm-256color", [MARKER]: marker },
      terminal: {
        cols: size.columns,
        rows: size.rows,
        data: (_, bytes) => onBytes(bytes),
        drain: onDrain,
        exit: onClose,
      },
    });
    return child.terminal === undefined ? "There is no terminal on this system." : { child, terminal: child.terminal };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return `"${argv[0] ?? ""}" could not be started in a terminal: ${why}`;
  }
}

function hasEnded({ exitCode, signalCode }: Bun.Subprocess): boolean {
  return exitCode !== null || signalCode !== null;
}

interface Ending extends Spawned {
  tree: ProcessTree;
  /** The terminal has nothing more to say. */
  closed: Promise<void>;
}

async function settle({ child, terminal, tree, closed }: Ending, graceMs: number): Promise<TerminalExit> {
  const survivors = await endTree(tree, graceMs);
  await within(closed, SETTLE_MS);
  terminal.close();
  const signal = child.signalCode === null ? null : String(child.signalCode);
  return { code: child.exitCode, signal, survivors: survivors.map(({ pid }) => pid) };
}

async function within(promise: Promise<void>, limitMs: number): Promise<void> {
  const done = new AbortController();
  await Promise.race([promise, systemClock.sleep(limitMs, done.signal)]);
  done.abort();
}
