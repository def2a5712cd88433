import { type EmulatedTerminal, openEmulator } from "./emulated-terminal.ts";
import { NO_SERVERS } from "./front-door.ts";
import { ralphCommand } from "./run-ralph.ts";
import type { TempWorkspace } from "./temp-workspace.ts";

// Ralph in a pseudo-terminal whose other end is a real emulator: what a person sees, and keys as they press them.

export interface ConversationTerminal {
  pid: number;
  emulator: EmulatedTerminal;
  /** Types, as a person does; \x1b is Esc. */
  type(text: string): void;
  /** Resolves when scrollback and screen match, with all lines as one text. */
  see(pattern: RegExp | string): Promise<string>;
  /** The same for the screen alone. */
  seeOnScreen(pattern: RegExp | string): Promise<string>;
  /** The same for the screen without it. */
  gone(pattern: RegExp | string): Promise<string>;
  resize(columns: number, rows: number): void;
  /** Calls back whenever something was written. Returns how to stop that. */
  onOutput(listener: () => void): () => void;
  kill(signal: NodeJS.Signals): void;
  exited: Promise<number | null>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface ConversationOptions {
  workspace: Pick<TempWorkspace, "project" | "environment">;
  columns?: number;
  rows?: number;
  environment?: Record<string, string | undefined>;
  /** Instead of Ralph itself; `$RALPH` is its command. */
  command?: string[];
  /** False for a terminal that cuts rows off that no longer fit. */
  doesReflow?: boolean;
  /** The process is killed after this time; 25 seconds where absent. */
  lifetimeMs?: number;
}

const PATIENCE_MS = 10_000;
const ALL_MS = 25_000;
const DEVICE_ATTRIBUTES = "\x1b[c";

export function startConversation(args: string[], options: ConversationOptions): ConversationTerminal {
  const { workspace, columns = 80, rows = 24, doesReflow = true } = options;
  const emulator = openEmulator({ columns, rows, doesReflow });
  const decoder = new TextDecoder();
  const changed = new Set<() => void>();
  const child = Bun.spawn(options.command ?? [...ralphCommand(), ...args], {
    cwd: workspace.project,
    env: {
      ...workspace.environment,
      ...NO_SERVERS,
      TERM: "xterm-256color",
      NO_COLOR: undefined,
      ...options.environment,
    },
    timeout: options.lifetimeMs ?? ALL_MS,
    killSignal: "SIGKILL",
    terminal: {
      cols: columns,
      rows,
      data(terminal, bytes) {
        const text = decoder.decode(bytes, { stream: true });
        emulator.write(text);
        if (text.includes(DEVICE_ATTRIBUTES)) terminal.write("\x1b[?62c");
        for (const check of [...changed]) check();
      },
    },
  });
  const waitFor = async (look: () => Promise<string>, isIt: (text: string) => boolean, what: string) => {
    const until = performance.now() + PATIENCE_MS;
    for (;;) {
      const next = Promise.withResolvers<void>();
      changed.add(next.resolve);
      const text = await look();
      const isOver = performance.now() > until || child.exitCode !== null || child.signalCode !== null;
      if (isIt(text) || isOver) changed.delete(next.resolve);
      if (isIt(text)) return text;
      if (isOver) throw new Error(`${what} did not come about. The screen:\n${text}`);
      await Promise.race([next.promise, Bun.sleep(200), child.exited]);
      changed.delete(next.resolve);
    }
  };
  const all = async () => (await emulator.lines()).join("\n");
  const screen = async () => (await emulator.screen()).join("\n").trimEnd();
  return {
    pid: child.pid,
    emulator,
    type: (text) => void child.terminal?.write(text),
    see: (pattern) => waitFor(all, (text) => matches(text, pattern), `${pattern}`),
    seeOnScreen: (pattern) => waitFor(screen, (text) => matches(text, pattern), `${pattern}`),
    gone: (pattern) => waitFor(screen, (text) => !matches(text, pattern), `a screen without ${pattern}`),
    resize(width, height) {
      emulator.resize(width, height);
      child.terminal?.resize(width, height);
    },
    onOutput(listener) {
      changed.add(listener);
      return () => void changed.delete(listener);
    },
    kill: (signal) => child.kill(signal),
    exited: child.exited.then(() => child.exitCode),
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

function matches(text: string, pattern: RegExp | string): boolean {
  return typeof pattern === "string" ? text.includes(pattern) : pattern.test(text);
}
