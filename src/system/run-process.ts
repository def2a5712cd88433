import { closeSync, statSync } from "node:fs";
import { type CappedOutput, collectOutput, type OutputCollector } from "./capped-output.ts";
import { systemClock } from "./clock.ts";
import { errorCode } from "./file-failure.ts";
import { endTree, type ProcessTree, treeIsGone } from "./process-tree.ts";
import type { StartedAhead } from "./start-ahead.ts";
import { type Child, type OutputSource, startChild } from "./start-child.ts";

export interface ProcessOptions {
  /** The program and its arguments, given to the system as they are. No shell reads them. */
  argv: readonly string[];
  cwd?: string;
  /** The whole environment. Only RALPH_RUN_ID is added, by which the children are found again. */
  environment: Readonly<Record<string, string | undefined>>;
  /** What the program reads. Without it the program reads an empty file. */
  stdin?: string | Uint8Array;
  /**
   * Called with every piece as it comes. The bytes are only valid during the call. While a promise it returned is open, the stream
   * is not read on, so that the program waits; once the program has ended, the rest is read without waiting.
   */
  onOutput?: (piece: OutputPiece) => unknown;
  /** How much of each stream the result keeps. */
  capBytes?: number;
  deadlineMs?: number;
  signal?: AbortSignal;
  /** How long a stopped program has between SIGTERM and SIGKILL. */
  graceMs?: number;
  /** Whether what the program left running is ended too. If not, it runs on but nobody reads its output. Default: yes. */
  endLeftovers?: boolean;
  /** Whether the program may open its streams by name (`> /dev/stderr`), as shell commands do. It costs a few milliseconds. */
  openableStreams?: boolean;
  /** Started before to do the same. Where it is gone, or the program has something to read, `argv` is started as usual. */
  ahead?: ProcessAhead;
}

export interface ProcessAhead {
  process: StartedAhead;
  /** What it is told to do. */
  order: string;
}

export interface OutputPiece {
  stream: "stdout" | "stderr";
  bytes: Uint8Array;
}

export type NotStartedReason = "program-not-found" | "directory-not-found" | "denied" | "too-long" | "failed";

export type ProcessOutcome =
  | { type: "exited"; code: number }
  | { type: "signalled"; signal: string }
  | { type: "timed-out"; afterMs: number }
  | { type: "aborted" }
  | { type: "not-started"; reason: NotStartedReason; message: string };

export interface ProcessResult {
  outcome: ProcessOutcome;
  stdout: CappedOutput;
  stderr: CappedOutput;
  durationMs: number;
  pid?: number;
  /** The program ended and left processes behind that were still there a moment later. */
  leftover: boolean;
  /** Processes that could not be ended. */
  survivors: number[];
}

export interface RunningProcess {
  /** Undefined when the program did not start. */
  pid: number | undefined;
  /** Never rejects. */
  result: Promise<ProcessResult>;
  /** Ends the program and its children; the outcome is `aborted` unless it had ended before. */
  stop(): Promise<ProcessResult>;
}

const DEFAULT_CAP_BYTES = 1024 * 1024;
const DEFAULT_GRACE_MS = 200;
/** How long after the program's end its streams may stay open and its children may take to follow. */
const SETTLE_MS = 250;

/** Starts a program in a session of its own and watches over it and everything it starts. Never throws. */
export function runProcess(options: ProcessOptions): RunningProcess {
  const run = newRun(options);
  const child = startOrder(options);
  if ("type" in child) {
    const result = Promise.resolve(finish(run, { outcome: child, leftover: false, survivors: [] }));
    return { pid: undefined, result, stop: () => result };
  }
  const stopped = Promise.withResolvers<ProcessOutcome>();
  const release = watchForStop(options, stopped.resolve);
  const result = supervise(options, { run, child, stopped: stopped.promise }).finally(release);
  return {
    pid: child.process.pid,
    result,
    stop() {
      stopped.resolve({ type: "aborted" });
      return result;
    },
  };
}

interface Run {
  startedAt: number;
  stdout: OutputCollector;
  stderr: OutputCollector;
}

function newRun({ capBytes = DEFAULT_CAP_BYTES }: ProcessOptions): Run {
  return {
    startedAt: systemClock.monotonic(),
    stdout: collectOutput(capBytes),
    stderr: collectOutput(capBytes),
  };
}

function startOrder(options: ProcessOptions): Child | ProcessOutcome {
  const { signal, stdin, ahead } = options;
  if (!signal?.aborted && stdin === undefined && ahead?.process.order(ahead.order)) return ahead.process.child;
  void ahead?.process.end();
  return signal?.aborted ? { type: "aborted" } : spawn(options);
}

function spawn(options: ProcessOptions): Child | ProcessOutcome {
  const { argv, cwd } = options;
  if (cwd !== undefined && !isDirectory(cwd)) {
    return notStarted("directory-not-found", `The working directory ${cwd} does not exist or is not a directory.`);
  }
  try {
    return startChild(options);
  } catch (error) {
    return explainStart(argv[0] ?? "", error);
  }
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function explainStart(program: string, error: unknown): ProcessOutcome {
  switch (errorCode(error)) {
    case "ENOENT":
      return notStarted("program-not-found", `The program "${program}" was not found.`);
    case "EACCES":
    case "EPERM":
      return notStarted("denied", `The program "${program}" may not be executed.`);
    case "E2BIG":
      return notStarted("too-long", `The arguments of "${program}" are longer than the system allows.`);
    default:
      return notStarted(
        "failed",
        `"${program}" could not be started: ${error instanceof Error ? error.message : error}`,
      );
  }
}

function notStarted(reason: NotStartedReason, message: string): ProcessOutcome {
  return { type: "not-started", reason, message };
}

function watchForStop({ deadlineMs, signal }: ProcessOptions, stop: (outcome: ProcessOutcome) => void): () => void {
  const abort = () => stop({ type: "aborted" });
  signal?.addEventListener("abort", abort, { once: true });
  const stopTimer =
    deadlineMs === undefined
      ? undefined
      : systemClock.timer(deadlineMs, () => stop({ type: "timed-out", afterMs: deadlineMs }));
  return () => {
    stopTimer?.();
    signal?.removeEventListener("abort", abort);
  };
}

interface Supervision {
  run: Run;
  child: Child;
  stopped: Promise<ProcessOutcome>;
}

async function supervise(options: ProcessOptions, { run, child, stopped }: Supervision): Promise<ProcessResult> {
  const { graceMs = DEFAULT_GRACE_MS, endLeftovers = true } = options;
  const { tree } = child;
  const listener = guarded(options.onOutput);
  const exited = child.process.exited.then(() => exitOutcome(child.process));
  const over = Promise.race([exited, stopped]);
  const take = (stream: OutputPiece["stream"]) => (bytes: Uint8Array) => {
    run[stream].add(bytes);
    const taken = listener({ stream, bytes });
    return taken instanceof Promise ? Promise.race([taken, over]) : undefined;
  };
  const streams = [readStream(child.stdout, take("stdout")), readStream(child.stderr, take("stderr"))];
  const ended = Promise.all([exited, ...streams.map((stream) => stream.ended)]);

  const first = await Promise.race([exited.then((outcome) => ({ outcome, bySelf: true })), stopped.then(byUs)]);
  const leftover = first.bySelf && !(await settles(ended, tree));
  const end = !first.bySelf || (leftover && endLeftovers);
  const survivors = end ? await endTree(tree, graceMs) : [];
  if (end) await within(ended, SETTLE_MS);
  for (const stream of streams) stream.cancel();
  child.process.unref();
  return finish(run, {
    outcome: first.outcome,
    pid: child.process.pid,
    leftover,
    survivors: survivors.map((entry) => entry.pid),
  });
}

function byUs(outcome: ProcessOutcome) {
  return { outcome, bySelf: false };
}

function exitOutcome(child: Bun.Subprocess): ProcessOutcome {
  if (child.signalCode !== null) return { type: "signalled", signal: String(child.signalCode) };
  return { type: "exited", code: child.exitCode ?? 0 };
}

/** Whether streams and children end by themselves soon after the program. */
async function settles(ended: Promise<unknown>, tree: ProcessTree): Promise<boolean> {
  const start = systemClock.monotonic();
  if (!(await within(ended, SETTLE_MS))) return false;
  return treeIsGone(tree, SETTLE_MS - (systemClock.monotonic() - start));
}

async function within(promise: Promise<unknown>, limitMs: number): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const stopTimer = systemClock.timer(limitMs, () => late.resolve(false));
  const inTime = await Promise.race([promise.then(() => true), late.promise]);
  stopTimer();
  return inTime;
}

/** A listener that throws is a mistake in Ralph: it is reported as such, but the program stays under control. */
function guarded(listener: ProcessOptions["onOutput"]): (piece: OutputPiece) => unknown {
  return (piece) => {
    try {
      return listener?.(piece);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
      return undefined;
    }
  };
}

/** The pieces of a flood are garbage at once, and by itself the collector lets tens of megabytes of them pile up. */
const COLLECT_AFTER_BYTES = 16 * 1024 * 1024;

function readStream({ bytes, descriptor }: OutputSource, onBytes: (bytes: Uint8Array) => Promise<unknown> | undefined) {
  const reader = bytes.getReader();
  const read = async () => {
    let sinceCollected = 0;
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const taken = onBytes(next.value);
      if (taken !== undefined) await taken;
      sinceCollected += next.value.length;
      if (sinceCollected < COLLECT_AFTER_BYTES) continue;
      sinceCollected = 0;
      Bun.gc(true);
    }
  };
  const close = () => (descriptor === undefined ? undefined : closeSync(descriptor));
  return {
    ended: read().catch(() => undefined),
    cancel: () => void reader.cancel().then(close, close),
  };
}

type Ending = Pick<ProcessResult, "outcome" | "pid" | "leftover" | "survivors">;

function finish(run: Run, { outcome, pid, leftover, survivors }: Ending): ProcessResult {
  return {
    outcome,
    stdout: run.stdout.output(),
    stderr: run.stderr.output(),
    durationMs: Math.round(systemClock.monotonic() - run.startedAt),
    ...(pid !== undefined && { pid }),
    leftover,
    survivors,
  };
}
