import { systemClock } from "./clock.ts";
import { environmentContains, listProcesses, type ProcessEntry } from "./process-table.ts";

const GRACE_MS = 500;
const POLL_MS = 10;

/**
 * Ends every process that was started with this text in its environment, and says which they were. What a killed process left
 * running is found this way. Only Linux tells; elsewhere nothing is found.
 */
export async function endMarked(text: string): Promise<number[]> {
  if (process.platform !== "linux") return [];
  const marked = () => processesMarked(text);
  const found = marked();
  if (found.length === 0) return [];
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    send(marked(), signal);
    const end = systemClock.monotonic() + GRACE_MS;
    while (marked().length > 0 && systemClock.monotonic() < end) await systemClock.sleep(POLL_MS);
  }
  return found.map(({ pid }) => pid);
}

/** The same at once and without looking whether it worked: for a process that has no time left. */
export function killMarked(text: string): void {
  send(processesMarked(text), "SIGKILL");
}

function processesMarked(text: string): ProcessEntry[] {
  return listProcesses().filter(({ pid }) => pid !== process.pid && environmentContains(pid, text));
}

function send(entries: readonly ProcessEntry[], signal: NodeJS.Signals): void {
  for (const { pid } of entries) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended meanwhile.
    }
  }
}
