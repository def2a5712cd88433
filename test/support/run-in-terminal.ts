import { collectOutput, type RunOptions, ralphCommand } from "./run-ralph.ts";

// Ralph in a terminal of its own: standard input, output and error are one pseudo-terminal.

export interface TerminalRalph {
  pid: number;
  /** What stands on the screen so far; the terminal's own carriage returns are taken off. */
  screen(): string;
  waitForOutput(pattern: RegExp | string): Promise<RegExpMatchArray>;
  /** Types, as a person does; \x03 is Ctrl-C. */
  type(text: string): void;
  resize(columns: number, rows: number): void;
  exited: Promise<{ code: number | null; screen: string }>;
  [Symbol.asyncDispose](): Promise<void>;
}

export function runInTerminal(args: string[], options: RunOptions): TerminalRalph {
  const output = collectOutput();
  const decoder = new TextDecoder();
  const closed = Promise.withResolvers<void>();
  const child = Bun.spawn([...ralphCommand(), ...args], {
    cwd: options.cwd ?? options.workspace.project,
    env: { ...options.workspace.environment, ...options.environment },
    timeout: options.timeoutMs ?? 20_000,
    killSignal: "SIGKILL",
    terminal: {
      data: (_, bytes) => output.add("stdout", decoder.decode(bytes, { stream: true }).replaceAll("\r", "")),
      exit: () => closed.resolve(),
    },
  });
  const exited = Promise.all([child.exited, closed.promise]).then(() => {
    output.finish();
    return { code: child.exitCode, screen: output.texts.stdout };
  });
  return {
    pid: child.pid,
    screen: () => output.texts.stdout,
    waitForOutput: (pattern) => output.waitFor(pattern),
    type: (text) => void child.terminal?.write(text),
    resize: (columns, rows) => void child.terminal?.resize(columns, rows),
    exited,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
