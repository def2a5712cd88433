import { writeFileSync } from "node:fs";
import type { AgentEnding } from "../../protocol/loop-entries.ts";
import type { CappedOutput } from "../../system/capped-output.ts";
import { systemClock } from "../../system/clock.ts";
import { findProcess } from "../../system/process-table.ts";
import { type OutputPiece, type ProcessResult, runProcess } from "../../system/run-process.ts";
import type { AgentLine } from "../transcripts/adapter.ts";
import { AgentLog } from "./agent-log.ts";
import { lineCutter } from "./line-cutter.ts";
import type { Invocation } from "./runner.ts";
import { type IdleSignal, watchSignalFile } from "./signal-file.ts";

export interface RunAgentOptions {
  invocation: Invocation;
  /** Where the agent works. */
  root: string;
  /** The whole environment; that of the invocation and RALPH_SIGNAL_FILE are added. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Where the raw output of both streams goes, before anybody sees a line of it. */
  logFile: string;
  logLimitBytes?: number;
  /** Called once, before the first line. */
  onStarted?: (agent: StartedAgent) => void;
  /** The lines one piece of output completes, in their order. The agent waits while a promise it returned is open. */
  onLines: (lines: readonly AgentLine[]) => Promise<void> | undefined;
  /** Ends an agent that printed nothing for so long. */
  idleMs?: number;
  deadlineMs?: number;
  signal?: AbortSignal;
  /** Where an agent that stays open says that it is done. */
  signalFile?: string;
  /** What a stopped agent has between SIGTERM and SIGKILL, to store its session. */
  graceMs?: number;
}

export interface StartedAgent {
  pid: number;
  /** With the pid it names the process for ever. Absent where it has ended already. */
  started?: string;
}

export interface AgentRun {
  /** As the process tells it. What the transcript says of quotas and refusals is for whoever reads that. */
  ending: AgentEnding;
  /** The end of standard error. */
  stderrTail: string;
  pid?: number;
  durationMs: number;
  /** The conversation, where the signal file named it. */
  session?: string;
  /** The agent left processes behind, which were ended. */
  leftover: boolean;
  /** Processes that could not be ended: normally none. */
  survivors: readonly number[];
}

const DEFAULT_GRACE_MS = 2000;
/** Half of it is the end. */
const KEPT_STDERR_BYTES = 16 * 1024;

/** Runs one agent to its end, in a process group of its own. Never throws. */
export async function runAgent(options: RunAgentOptions): Promise<AgentRun> {
  const log = prepare(options);
  if (typeof log === "string") return notStarted(log);
  const stops = new Stops();
  const watchdog = idleWatchdog(options.idleMs, stops);
  const output = outputHandler(options, { log, stops, watchdog });
  const release = watchForEnd(options, stops);
  const { invocation, signalFile } = options;
  const run = runProcess({
    argv: invocation.argv,
    cwd: options.root,
    environment: {
      ...options.environment,
      ...invocation.environment,
      ...(signalFile !== undefined && { RALPH_SIGNAL_FILE: signalFile }),
    },
    stdin: invocation.stdin,
    onOutput: output.add,
    capBytes: KEPT_STDERR_BYTES,
    graceMs: options.graceMs ?? DEFAULT_GRACE_MS,
    openableStreams: true,
    signal: stops.signal,
  });
  if (run.pid !== undefined) options.onStarted?.(startedAgent(run.pid));
  const result = await run.result;
  watchdog.stop();
  release();
  output.end();
  const closing = log.close();
  if (closing !== undefined) stops.stop({ type: "log-failed", message: closing });
  return summary(result, stops.reason);
}

/** Why we ended it ourselves. */
type StopReason =
  | { type: "stopped" }
  | { type: "idle"; afterSeconds: number }
  | { type: "timed-out"; afterSeconds: number }
  | { type: "done"; signal: IdleSignal }
  | { type: "log-failed"; message: string };

/** The first reason counts. */
class Stops {
  readonly #abort = new AbortController();
  #reason: StopReason | undefined;

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get reason(): StopReason | undefined {
    return this.#reason;
  }

  stop(reason: StopReason): void {
    this.#reason ??= reason;
    this.#abort.abort();
  }
}

/** A log is opened and the prompt stored, or a message says why not. */
function prepare({ invocation, logFile, logLimitBytes }: RunAgentOptions): AgentLog | string {
  if (invocation.promptFile !== undefined) {
    try {
      writeFileSync(invocation.promptFile, invocation.stdin, { mode: 0o600 });
    } catch (error) {
      return `The prompt cannot be stored in ${invocation.promptFile}: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
  return AgentLog.open(logFile, logLimitBytes);
}

function notStarted(message: string): AgentRun {
  return { ending: { type: "not-started", message }, stderrTail: "", durationMs: 0, leftover: false, survivors: [] };
}

/** One timer for a million lines: it is set anew only when it fires too early. An agent that has to wait is not idle. */
function idleWatchdog(idleMs: number | undefined, stops: Stops) {
  let last = systemClock.monotonic();
  let stopTimer = () => {};
  let waiting = 0;
  const arm = (limitMs: number, restMs: number) => {
    stopTimer = systemClock.timer(restMs, () => {
      const rest = waiting > 0 ? limitMs : last + limitMs - systemClock.monotonic();
      if (rest > 0) arm(limitMs, rest);
      else stops.stop({ type: "idle", afterSeconds: limitMs / 1000 });
    });
  };
  if (idleMs !== undefined) arm(idleMs, idleMs);
  return {
    reset: () => {
      last = systemClock.monotonic();
    },
    async whileWaiting(wait: Promise<void>) {
      waiting++;
      await wait;
      waiting--;
      last = systemClock.monotonic();
    },
    stop: () => stopTimer(),
  };
}

interface OutputParts {
  log: AgentLog;
  stops: Stops;
  watchdog: { reset(): void; whileWaiting(wait: Promise<void>): Promise<void> };
}

function outputHandler({ onLines }: RunAgentOptions, { log, stops, watchdog }: OutputParts) {
  const startedAt = systemClock.monotonic();
  const cutters = { stdout: lineCutter(), stderr: lineCutter() };
  const handOn = (texts: readonly string[], stream: AgentLine["stream"]) => {
    if (texts.length === 0) return undefined;
    const atMs = Math.round(systemClock.monotonic() - startedAt);
    return onLines(texts.map((text) => ({ text, stream, atMs })));
  };
  return {
    add({ bytes, stream }: OutputPiece) {
      watchdog.reset();
      const problem = log.write(bytes);
      if (problem !== undefined) return stops.stop({ type: "log-failed", message: problem });
      const taken = handOn(cutters[stream].add(bytes), stream);
      return taken && watchdog.whileWaiting(taken);
    },
    end() {
      for (const stream of ["stdout", "stderr"] as const) handOn(cutters[stream].end(), stream);
    },
  };
}

function watchForEnd({ deadlineMs, signal, signalFile }: RunAgentOptions, stops: Stops): () => void {
  const abort = () => stops.stop({ type: "stopped" });
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort, { once: true });
  const stopTimer =
    deadlineMs === undefined
      ? undefined
      : systemClock.timer(deadlineMs, () => stops.stop({ type: "timed-out", afterSeconds: deadlineMs / 1000 }));
  const stopWatching =
    signalFile === undefined
      ? undefined
      : watchSignalFile(signalFile, (idle) => stops.stop({ type: "done", signal: idle }));
  return () => {
    signal?.removeEventListener("abort", abort);
    stopTimer?.();
    stopWatching?.();
  };
}

function startedAgent(pid: number): StartedAgent {
  const started = findProcess(pid)?.started;
  return started === undefined ? { pid } : { pid, started };
}

function summary(result: ProcessResult, reason: StopReason | undefined): AgentRun {
  const session = reason?.type === "done" ? reason.signal.session : undefined;
  return {
    ending: endingOf(result, reason),
    stderrTail: endOf(result.stderr),
    ...(result.pid !== undefined && { pid: result.pid }),
    durationMs: result.durationMs,
    ...(session !== undefined && { session }),
    leftover: result.leftover,
    survivors: result.survivors,
  };
}

function endingOf(result: ProcessResult, reason: StopReason | undefined): AgentEnding {
  const { outcome } = result;
  if (reason?.type === "log-failed") return { type: "failed", message: reason.message };
  switch (outcome.type) {
    case "exited":
      return exitEnding(outcome.code, result);
    case "signalled":
      return { type: "failed", message: `It was ended by ${outcome.signal}.` };
    case "not-started":
      return { type: "not-started", message: outcome.message };
    case "aborted":
    case "timed-out":
      return stoppedEnding(reason);
  }
}

/** With these codes a shell says that the program is not there or may not be run. */
const NO_PROGRAM = [126, 127];

function exitEnding(code: number, { stdout, stderr }: ProcessResult): AgentEnding {
  if (code === 0) return { type: "finished" };
  if (!NO_PROGRAM.includes(code) || stdout.head.length > 0)
    return { type: "failed", message: `It ended with code ${code}.`, exit: code };
  const said = endOf(stderr).split("\n", 1)[0] ?? "";
  return {
    type: "not-started",
    message: `Its program could not be run (code ${code}${said === "" ? "" : `: ${said}`})`,
  };
}

function stoppedEnding(reason: StopReason | undefined): AgentEnding {
  switch (reason?.type) {
    case "idle":
    case "timed-out":
      return { type: reason.type, afterSeconds: reason.afterSeconds };
    case "done":
      return { type: "finished" };
    default:
      return { type: "stopped" };
  }
}

function endOf({ head, tail, droppedBytes }: CappedOutput): string {
  return new TextDecoder().decode(droppedBytes > 0 ? tail : head.subarray(-KEPT_STDERR_BYTES / 2)).trim();
}
