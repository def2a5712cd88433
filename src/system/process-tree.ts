import { systemClock } from "./clock.ts";
import {
  environmentContains,
  findProcess,
  listProcesses,
  type ProcessEntry,
  processesSince,
  startedNotBefore,
} from "./process-table.ts";

/** The process Ralph started and all that came from it, wherever it went. */
export interface ProcessTree {
  /** Those that run now. */
  members(): ProcessEntry[];
  /** Whether none is left. */
  isGone(): boolean;
  /** Sends the signal to all of them and says how many there were. */
  signal(signal: NodeJS.Signals): number;
}

export interface TreeRoot {
  /** Leads its own process group. */
  pid: number;
  /** A text that no other process has in its environment. */
  marker: string;
}

/**
 * To be made when the root has just been started. A process belongs to the tree when it is in the root's group or session, descends from a member, was a member when last
 * looked at, or carries the marker. The last finds those that left everything else behind.
 */
export function processTree({ pid, marker }: TreeRoot): ProcessTree {
  const known = new Map<number, string>();
  const isNewEnough = startedNotBefore(pid);
  const since = systemClock.monotonic();
  const members = () => {
    const entries = processesSince(pid, systemClock.monotonic() - since) ?? listProcesses();
    const found = findMembers(entries, { pid, marker, known, isNewEnough });
    for (const entry of found) known.set(entry.pid, entry.started);
    return found;
  };
  return {
    members,
    isGone: () => members().length === 0,
    signal(signal) {
      const found = members();
      // The group in one call first: a member that forks meanwhile cannot slip away between two calls.
      if (found.some((entry) => entry.group === pid)) send(-pid, signal);
      for (const entry of found) if (entry.group !== pid) send(entry.pid, signal);
      return found.length;
    },
  };
}

/**
 * The same tree, all of whose processes live in a namespace for processes. The kernel lets nobody out of it, and its first process
 * is gone only when all others are: to know that takes a look at two processes instead of all.
 */
export function enclosedTree(tree: ProcessTree, { root, first }: { root: number; first: ProcessEntry }): ProcessTree {
  return {
    ...tree,
    isGone: () => findProcess(root) === undefined && findProcess(first.pid)?.started !== first.started,
  };
}

const POLL_MS = 20;
const KILL_LIMIT_MS = 2000;

/** Asks the tree to end, insists after the grace, and gives back who is still there in the end: normally nobody. */
export async function endTree(tree: ProcessTree, graceMs: number): Promise<ProcessEntry[]> {
  if (tree.signal("SIGTERM") === 0) return [];
  if (await treeIsGone(tree, graceMs)) return [];
  const end = systemClock.monotonic() + KILL_LIMIT_MS;
  while (systemClock.monotonic() < end) {
    if (tree.signal("SIGKILL") === 0) return [];
    await systemClock.sleep(POLL_MS / 4);
  }
  return tree.members();
}

/** Waits at most `limitMs` for the last member to go. */
export async function treeIsGone(tree: ProcessTree, limitMs: number): Promise<boolean> {
  const end = systemClock.monotonic() + limitMs;
  for (let pause = 1; ; pause = Math.min(POLL_MS, pause * 2)) {
    if (tree.isGone()) return true;
    const left = end - systemClock.monotonic();
    if (left <= 0) return false;
    await systemClock.sleep(Math.min(pause, left));
  }
}

interface MemberSearch extends TreeRoot {
  known: ReadonlyMap<number, string>;
  isNewEnough(entry: ProcessEntry): boolean;
}

function findMembers(entries: ProcessEntry[], { pid, marker, known, isNewEnough }: MemberSearch): ProcessEntry[] {
  const members = new Set<ProcessEntry>();
  const children = Map.groupBy(entries, (entry) => entry.parent);
  const include = (entry: ProcessEntry) => {
    if (members.has(entry) || entry.pid === process.pid) return;
    members.add(entry);
    for (const child of children.get(entry.pid) ?? []) include(child);
  };
  for (const entry of entries) {
    const related = entry.group === pid || entry.session === pid || known.get(entry.pid) === entry.started;
    if (related) include(entry);
  }
  for (const entry of entries) {
    if (!members.has(entry) && isNewEnough(entry) && environmentContains(entry.pid, marker)) include(entry);
  }
  return [...members];
}

/** A process that is gone already needs no signal, and one that may not be signalled stays in `members`. */
function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // see above
  }
}
