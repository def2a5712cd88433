import { systemClock } from "../../system/clock.ts";
import { endMarked } from "../../system/end-marked.ts";
import { listProcesses, type ProcessEntry } from "../../system/process-table.ts";
import type { StartedAgent } from "./run-agent.ts";

export interface LeftAgents {
  /** The text in the environment of everything the run started. */
  mark: string;
  /** What the journal says was started and does not say ended. */
  agents: readonly StartedAgent[];
}

/** Ends what a killed run left running, and says which processes that were. */
export async function reap({ mark, agents }: LeftAgents): Promise<number[]> {
  const recorded = await endRecorded(agents);
  const marked = await endMarked(mark);
  return [...new Set([...recorded, ...marked])].sort((one, other) => one - other);
}

const GRACE_MS = 500;
const POLL_MS = 10;

/**
 * By what was written down of them, for systems that do not show the environment of a process: an agent that still runs under
 * its pid and start time, its group and all that descends from it. A pid that started at another time is somebody else's, and a
 * group whose leader is gone may be: both are left alone.
 */
export async function endRecorded(agents: readonly StartedAgent[]): Promise<number[]> {
  const known = new Map<number, string>();
  const remember = () => {
    const found = familyOf(agents, known);
    for (const { pid, started } of found) known.set(pid, started);
    return found;
  };
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    for (const { pid } of remember()) send(pid, signal);
    const end = systemClock.monotonic() + GRACE_MS;
    while (remember().length > 0 && systemClock.monotonic() < end) await systemClock.sleep(POLL_MS);
  }
  return [...known.keys()];
}

function familyOf(agents: readonly StartedAgent[], known: ReadonlyMap<number, string>): ProcessEntry[] {
  const entries = listProcesses();
  const children = Map.groupBy(entries, ({ parent }) => parent);
  const family = new Set<ProcessEntry>();
  const include = (entry: ProcessEntry) => {
    if (family.has(entry) || entry.pid === process.pid) return;
    family.add(entry);
    for (const child of children.get(entry.pid) ?? []) include(child);
  };
  const leaders = entries.filter(({ pid, started }) =>
    agents.some((agent) => agent.pid === pid && agent.started === started),
  );
  for (const entry of entries) {
    const isMember = leaders.some(({ pid }) => pid === entry.pid || pid === entry.group);
    if (isMember || known.get(entry.pid) === entry.started) include(entry);
  }
  return [...family];
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}
