import { join } from "node:path";
import { type ProcessOutcome, type RunningProcess, runProcess } from "../system/run-process.ts";
import { endingInWords } from "./command-report.ts";
import { type ConfinedCommand, confined, type ShellCommand } from "./confined-command.ts";
import { type JobLog, jobLog, type LogPart } from "./job-log.ts";
import type { ToolWorld } from "./tool-world.ts";

// Commands that run beside the conversation. The registry owns them: when it closes they are ended.

export interface Job {
  id: string;
  command: string;
  cwd: string;
  pid: number | undefined;
  /** The file its output goes to. */
  log: string;
  startedAt: number;
  /** Undefined while it runs. */
  ended?: { at: number; outcome: ProcessOutcome; leftover: boolean; remarks: string[] };
  outputBytes: number;
}

export interface Jobs {
  start(command: ShellCommand): Promise<{ ok: true; job: Job } | { ok: false; message: string }>;
  list(): Job[];
  find(id: string): Job | undefined;
  /** Output from the offset on; without one, the newest. Undefined for a job that is not known. */
  output(id: string, since?: number): LogPart | undefined;
  /** Resolves when there is output beyond the offset, the job has ended, or the signal is aborted. */
  news(id: string, since: number, signal: AbortSignal): Promise<void>;
  /** Ends the job with all its processes. */
  kill(id: string): Promise<Job | undefined>;
  /** Ends all jobs. Nothing can be started afterwards. */
  close(): Promise<void>;
}

interface Entry {
  job: Omit<Job, "outputBytes">;
  log: JobLog;
  running: RunningProcess;
  settled: Promise<void>;
  listeners: Set<() => void>;
}

const CLOSING = "Ralph is closing, so no job can be started.";
const MOST_RUNNING = 16;
const MOST_REMEMBERED = 100;

/** `onChange` is called whenever one begins or ends. */
export function createJobs(world: ToolWorld, onChange: () => void = () => {}): Jobs {
  const entries = new Map<string, Entry>();
  let started = 0;
  /** Being prepared. */
  let starting = 0;
  let isClosed = false;

  const running = () => [...entries.values()].filter(({ job }) => job.ended === undefined);
  const find = (id: string) => {
    const entry = entries.get(id);
    return entry === undefined ? undefined : snapshot(entry);
  };
  const kill = async (id: string) => {
    const entry = entries.get(id);
    await entry?.running.stop();
    await entry?.settled;
    return find(id);
  };
  return {
    async start(command) {
      if (isClosed) return { ok: false, message: CLOSING };
      if (running().length + starting >= MOST_RUNNING) {
        return { ok: false, message: `${MOST_RUNNING} jobs run already, which is the most. End one with job_kill.` };
      }
      starting++;
      const wrapped = await confined(world, command);
      starting--;
      if (!wrapped.ok) return wrapped;
      if (isClosed) {
        wrapped.remarks({ type: "aborted" }, "");
        return { ok: false, message: CLOSING };
      }
      const entry = startEntry(world, { ...command, id: `job-${++started}`, wrapped });
      entries.set(entry.job.id, entry);
      onChange();
      void entry.settled.then(onChange);
      forgetOldest(entries);
      return { ok: true, job: snapshot(entry) };
    },
    list: () => [...entries.values()].map(snapshot),
    find,
    output: (id, since) => entries.get(id)?.log.read(since),
    async news(id, since, signal) {
      const entry = entries.get(id);
      if (entry !== undefined) await newsOf(entry, since, signal);
    },
    kill,
    async close() {
      isClosed = true;
      await Promise.all(running().map(({ job }) => kill(job.id)));
    },
  };
}

interface StartedCommand {
  id: string;
  command: string;
  cwd: string;
  wrapped: Extract<ConfinedCommand, { ok: true }>;
}

function startEntry(world: ToolWorld, { id, command, cwd, wrapped }: StartedCommand): Entry {
  const name = `${world.artifactPrefix ?? ""}${id}-${crypto.randomUUID()}.txt`;
  const log = jobLog({ folder: world.artifacts, name });
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const listener of listeners) listener();
  };
  const running = runProcess({
    ...wrapped,
    cwd,
    openableStreams: true,
    capBytes: 0,
    onOutput: ({ bytes }) => {
      log.add(bytes);
      tell();
    },
  });
  const path = join(world.artifacts, name);
  const job: Entry["job"] = { id, command, cwd, pid: running.pid, log: path, startedAt: world.clock.now() };
  const settled = running.result.then(({ outcome, leftover }) => {
    const printed = new TextDecoder().decode(log.read().bytes);
    job.ended = { at: world.clock.now(), outcome, leftover, remarks: wrapped.remarks(outcome, printed) };
    log.close();
    tell();
  });
  return { job, log, running, settled, listeners };
}

function snapshot({ job, log }: Entry): Job {
  return { ...job, outputBytes: log.totalBytes() };
}

/** Of those that have ended; what runs is never forgotten. */
function forgetOldest(entries: Map<string, Entry>): void {
  for (const [id, { job }] of entries) {
    if (entries.size <= MOST_REMEMBERED) return;
    if (job.ended !== undefined) entries.delete(id);
  }
}

async function newsOf({ job, log, listeners }: Entry, since: number, signal: AbortSignal): Promise<void> {
  const isNews = () => signal.aborted || job.ended !== undefined || log.totalBytes() > since;
  if (isNews()) return;
  const news = Promise.withResolvers<void>();
  const listener = () => (isNews() ? news.resolve() : undefined);
  listeners.add(listener);
  signal.addEventListener("abort", listener, { once: true });
  await news.promise;
  listeners.delete(listener);
  signal.removeEventListener("abort", listener);
}

/** How a job stands, in words. */
export function jobStanding({ ended }: Job): string {
  if (ended === undefined) return "running.";
  const left = ended.leftover ? " What it left running was ended: start it without & to keep it." : "";
  return [`${endingInWords(ended.outcome)}${left}`, ...ended.remarks].join(" ");
}
