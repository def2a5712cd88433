// Runs a program and says what it cost. A measure is the middle of several runs, and the floor is measured in between them, so
// that a noisy moment hits both.

import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";

export interface Cost {
  wallMs: number;
  cpuMs: number;
  peakMegabytes: number;
}

export interface Program {
  argv: string[];
  environment?: Record<string, string>;
  stdin?: string;
  /** Where it runs. Otherwise in a folder with nothing in it: what a project holds is not part of a measure. */
  cwd?: string;
}

export async function runOnce(program: Program, onStart?: (pid: number) => void): Promise<Cost> {
  const { argv, environment = {}, stdin, cwd = tmpdir() } = program;
  const started = performance.now();
  const child = Bun.spawn(argv, {
    cwd,
    stdin: stdin === undefined ? "ignore" : new TextEncoder().encode(stdin),
    stdout: "ignore",
    stderr: "pipe",
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...environment },
  });
  onStart?.(child.pid);
  const peak = watchPeak(child.pid);
  const [code, problem] = await Promise.all([child.exited, new Response(child.stderr).text()]);
  const wallMs = performance.now() - started;
  const peakMegabytes = peak.stop();
  if (code !== 0) throw new Error(`${argv.join(" ")} ended with ${code}: ${problem}`);
  const usage = child.resourceUsage();
  return {
    wallMs,
    cpuMs: Number(usage?.cpuTime.total ?? 0) / 1000,
    peakMegabytes: peakMegabytes ?? (usage?.maxRSS ?? 0) / 1e6,
  };
}

/**
 * The kernel counts a child's peak from before it became another program, so `maxRSS` is never below our own size. On Linux
 * the new program's own high-water mark is read while it runs.
 */
function watchPeak(pid: number): { stop(): number | undefined } {
  let megabytes: number | undefined;
  const timer = setInterval(() => {
    megabytes = statusMegabytes(pid, "VmHWM") ?? megabytes;
  }, 1);
  return {
    stop() {
      clearInterval(timer);
      return megabytes;
    },
  };
}

/** What a process holds in memory now. Undefined when it has ended, and on anything but Linux. */
export function residentMegabytes(pid: number): number | undefined {
  return statusMegabytes(pid, "VmRSS");
}

function statusMegabytes(pid: number, field: "VmHWM" | "VmRSS"): number | undefined {
  try {
    const kilobytes = new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kilobytes === undefined ? undefined : (Number(kilobytes) * 1024) / 1e6;
  } catch {
    return undefined;
  }
}

/** What the system has counted for a process that runs, to a hundredth of a second. */
export function processorMs(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

export interface Pair {
  floor: number;
  ralph: number;
}

/** Measures both in turn and gives the middle of each. */
export async function comparePrograms(
  runs: number,
  measureFloor: () => Promise<number>,
  measureRalph: () => Promise<number>,
): Promise<Pair> {
  const floor: number[] = [];
  const ralph: number[] = [];
  for (let run = 0; run <= runs; run++) {
    const [floorValue, ralphValue] = [await measureFloor(), await measureRalph()];
    if (run === 0) continue; // the first pair warms the disk cache
    floor.push(floorValue);
    ralph.push(ralphValue);
  }
  return { floor: middle(floor), ralph: middle(ralph) };
}

export function middle(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
