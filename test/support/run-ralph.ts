import { sourceArguments } from "../../bin/source-arguments.mjs";
import type { TempWorkspace } from "./temp-workspace.ts";

// Ralph as its users start it: a process of its own, from source, or the compiled file RALPH_TEST_BINARY names.

export interface RunOptions {
  workspace: TempWorkspace;
  /** Text for standard input; without it standard input is empty. */
  stdin?: string;
  /** Added to the workspace's environment; an undefined value removes a name. */
  environment?: Record<string, string | undefined>;
  /** Where the process runs; the workspace's project where absent. */
  cwd?: string;
  /** The process is killed after this time; 20 seconds where absent. */
  timeoutMs?: number;
  /** A line of `sh` in which "$@" is Ralph with its arguments, for redirections and pipes. */
  throughShell?: string;
}

export interface RalphExit {
  code: number | null;
  signal: NodeJS.Signals | number | null;
  stdout: string;
  stderr: string;
  durationMs: number;
}

export interface LiveRalph {
  pid: number;
  /** What has been printed so far. */
  stdout(): string;
  stderr(): string;
  /** Resolves as soon as standard output or standard error matches, with the match; rejects when the process ends first. */
  waitForOutput(pattern: RegExp | string, timeoutMs?: number): Promise<RegExpMatchArray>;
  /** Writes to standard input, which stays open until closeInput. */
  write(text: string): void;
  closeInput(): void;
  kill(signal?: NodeJS.Signals): void;
  exited: Promise<RalphExit>;
  [Symbol.asyncDispose](): Promise<void>;
}

const DEFAULT_TIMEOUT_MS = 20_000;
const WAIT_LIMIT_MS = 10_000;

export async function runRalph(args: string[], options: RunOptions): Promise<RalphExit> {
  const child = startRalph(args, options);
  if (options.stdin !== undefined) child.write(options.stdin);
  child.closeInput();
  return child.exited;
}

export function startRalph(args: string[], options: RunOptions): LiveRalph {
  const started = performance.now();
  const { throughShell } = options;
  const shell = throughShell === undefined ? [] : ["sh", "-c", throughShell, "sh"];
  const child = Bun.spawn([...shell, ...ralphCommand(), ...args], {
    cwd: options.cwd ?? options.workspace.project,
    env: { ...options.workspace.environment, ...options.environment },
    stdio: ["pipe", "pipe", "pipe"],
    timeout: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    killSignal: "SIGKILL",
  });
  const output = collectOutput();
  const reading = Promise.all([output.read("stdout", child.stdout), output.read("stderr", child.stderr)]);
  const exited = Promise.all([child.exited, reading]).then((): RalphExit => {
    output.finish();
    const { exitCode: code, signalCode: signal } = child;
    return { code, signal, ...output.texts, durationMs: performance.now() - started };
  });
  return {
    pid: child.pid,
    stdout: () => output.texts.stdout,
    stderr: () => output.texts.stderr,
    waitForOutput: output.waitFor,
    write: (text) => {
      child.stdin.write(text);
      child.stdin.flush();
    },
    closeInput: () => void child.stdin.end(),
    kill: (signal = "SIGTERM") => child.kill(signal),
    exited,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

export function ralphCommand(): string[] {
  const binary = process.env.RALPH_TEST_BINARY;
  if (binary !== undefined && binary !== "") return [binary];
  return [process.execPath, ...sourceArguments()];
}

interface Waiter {
  check(): void;
  ended(): void;
}

/** Gathers what comes and wakes whoever waits for a part of it. */
export function collectOutput() {
  const texts = { stdout: "", stderr: "" };
  const waiters = new Set<Waiter>();
  let finished = false;
  const waitFor = (pattern: RegExp | string, timeoutMs = WAIT_LIMIT_MS) =>
    new Promise<RegExpMatchArray>((resolve, reject) => {
      const fail = (why: string) => {
        settle();
        reject(
          new Error(`${why} before the output matched ${pattern}\nstdout: ${texts.stdout}\nstderr: ${texts.stderr}`),
        );
      };
      const waiter: Waiter = {
        check: () => {
          const match = matchIn(texts.stdout, pattern) ?? matchIn(texts.stderr, pattern);
          if (match === undefined) return;
          settle();
          resolve(match);
        },
        ended: () => fail("Ralph ended"),
      };
      const timer = setTimeout(() => fail(`${timeoutMs} ms went by`), timeoutMs);
      const settle = () => {
        clearTimeout(timer);
        waiters.delete(waiter);
      };
      waiters.add(waiter);
      waiter.check();
      if (finished && waiters.has(waiter)) waiter.ended();
    });
  const add = (name: "stdout" | "stderr", text: string) => {
    texts[name] += text;
    for (const waiter of [...waiters]) waiter.check();
  };
  return {
    texts,
    waitFor,
    add,
    read: async (name: "stdout" | "stderr", stream: ReadableStream<Uint8Array>) => {
      const decoder = new TextDecoder();
      for await (const bytes of stream) add(name, decoder.decode(bytes, { stream: true }));
    },
    finish: () => {
      finished = true;
      for (const waiter of [...waiters]) waiter.ended();
    },
  };
}

function matchIn(text: string, pattern: RegExp | string): RegExpMatchArray | undefined {
  if (typeof pattern !== "string") return text.match(pattern) ?? undefined;
  return text.includes(pattern) ? [pattern] : undefined;
}
