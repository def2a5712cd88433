import { closeSync, openSync, readdirSync, readSync } from "node:fs";

// The processes of this machine, read from /proc on Linux and from `ps` elsewhere.

export interface ProcessEntry {
  pid: number;
  parent: number;
  group: number;
  /** 0 where the platform does not say. */
  session: number;
  /** With the pid it names one process for ever: a reused pid has another start. */
  started: string;
}

/** Everything that runs. Processes that ended and wait for their parent do not count. */
export function listProcesses(platform: NodeJS.Platform = process.platform): ProcessEntry[] {
  return platform === "linux" ? linuxProcesses() : parseProcessList(runProcessList());
}

/**
 * This process and everything on the machine that was started after it, read without a look at all the others: ids are given out
 * in order. Undefined where that cannot be told, or may no longer be true because the ids can have come round since.
 */
export function processesSince(pid: number, elapsedMs: number): ProcessEntry[] | undefined {
  if (process.platform !== "linux") return undefined;
  largestId ??= Number(readSmallFile("/proc/sys/kernel/pid_max"));
  if (elapsedMs * navigator.hardwareConcurrency * MOST_STARTS_PER_MS > largestId / 2) return undefined;
  const newest = Number(readSmallFile("/proc/loadavg").trim().split(" ").at(-1));
  if (!(newest >= pid && newest - pid < MOST_LOOKED_AT)) return undefined;
  const entries: ProcessEntry[] = [];
  for (let id = pid; id <= newest; id++) {
    const entry = parseStat(readSmallFile(`/proc/${id}/stat`));
    if (entry !== undefined) entries.push(entry);
  }
  return entries;
}

/** More than any processor can. */
const MOST_STARTS_PER_MS = 200;
/** Beyond that the list of all is cheaper. */
const MOST_LOOKED_AT = 64;
let largestId: number | undefined;

/** The process with this id, unless it has ended. */
export function findProcess(pid: number, platform: NodeJS.Platform = process.platform): ProcessEntry | undefined {
  if (platform === "linux") return parseStat(readSmallFile(`/proc/${pid}/stat`));
  return parseProcessList(runProcessList(pid)).find((entry) => entry.pid === pid);
}

/** The child that a process started first. Undefined where there is none or the system does not say. */
export function firstChild(pid: number): ProcessEntry | undefined {
  const [child] = process.platform === "linux" ? readSmallFile(`/proc/${pid}/task/${pid}/children`).split(" ") : [];
  return child ? findProcess(Number(child)) : undefined;
}

/** Whether a process can descend from this one, which has just been started: those that are older cannot. */
export function startedNotBefore(pid: number): (entry: ProcessEntry) => boolean {
  const ticks = process.platform === "linux" ? startOf(readSmallFile(`/proc/${pid}/stat`)) : Number.NaN;
  return ({ started }) => Number.isNaN(ticks) || Number(started) >= ticks;
}

/** Whether the process was started with `text` in its environment. Only Linux tells, and only of the user's own processes. */
export function environmentContains(pid: number, text: string): boolean {
  return process.platform === "linux" && readSmallFile(`/proc/${pid}/environ`).includes(text);
}

/** Whether `text` stands in the words the process was started with. Only Linux tells here. */
export function argumentsContain(pid: number, text: string): boolean {
  return process.platform === "linux" && readSmallFile(`/proc/${pid}/cmdline`).includes(text);
}

/** Reads one line of /proc/<pid>/stat. The name may hold spaces and parentheses, so the fields begin behind its last one. */
export function parseStat(text: string): ProcessEntry | undefined {
  const pid = Number.parseInt(text, 10);
  const fields = statFields(text);
  const [state, parent, group, session] = fields;
  const started = fields[STARTED];
  if (Number.isNaN(pid) || started === undefined || state === "Z" || state === "X") return undefined;
  return { pid, parent: Number(parent), group: Number(group), session: Number(session), started };
}

const STARTED = 19;

function statFields(text: string): string[] {
  return text.slice(text.lastIndexOf(")") + 2).split(" ");
}

/** In ticks since the machine started; also of a process that has ended and waits for its parent. */
function startOf(text: string): number {
  return Number(statFields(text)[STARTED] ?? Number.NaN);
}

/** Reads the columns pid, ppid, pgid, stat and lstart of `ps`. */
export function parseProcessList(text: string): ProcessEntry[] {
  const entries: ProcessEntry[] = [];
  for (const line of text.split("\n")) {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S.*?)\s*$/.exec(line);
    const [, pid, parent, group, state, started] = match ?? [];
    if (state === undefined || started === undefined || state.startsWith("Z")) continue;
    entries.push({ pid: Number(pid), parent: Number(parent), group: Number(group), session: 0, started });
  }
  return entries;
}

function linuxProcesses(): ProcessEntry[] {
  const entries: ProcessEntry[] = [];
  for (const name of readdirSync("/proc")) {
    if (name > ":" || name < "0") continue;
    const entry = parseStat(readSmallFile(`/proc/${name}/stat`));
    if (entry !== undefined) entries.push(entry);
  }
  return entries;
}

function runProcessList(pid?: number): string {
  const which = pid === undefined ? "-ax" : `-p${pid}`;
  const columns = "pid=,ppid=,pgid=,stat=,lstart=";
  try {
    return Bun.spawnSync(["/bin/ps", which, "-o", columns], { env: { LC_ALL: "C" }, timeout: 2000 }).stdout.toString();
  } catch {
    return "";
  }
}

const READ_LIMIT = 1 << 18;
let buffer: Buffer | undefined;

/** Empty when the file cannot be read. Much faster here than reading a file of unknown size. */
function readSmallFile(path: string): string {
  buffer ??= Buffer.allocUnsafeSlow(READ_LIMIT);
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, "r");
    return buffer.toString("latin1", 0, readSync(descriptor, buffer, 0, READ_LIMIT, 0));
  } catch {
    return "";
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
