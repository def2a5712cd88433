import type { AgentEvent } from "../../protocol/agent-events.ts";
import type { Clock } from "../../system/clock.ts";

interface Worker {
  subscribe(listener: (event: AgentEvent) => void): () => void;
}

interface GivingBack {
  clock: Clock;
  giveBack(): void;
}

/** Giving memory back throws away what was compiled, so only somebody who has paused pays for it. */
const QUIET_MS = 15_000;

/**
 * The runtime keeps a hundred megabytes of what a long conversation went through. They are given back once nothing has been
 * done for a while. Returns how to stop that.
 */
export function giveMemoryBack({ subscribe }: Worker, { clock, giveBack }: GivingBack): () => void {
  let cancel = () => {};
  const unsubscribe = subscribe(({ type }) => {
    if (type !== "agent-start" && type !== "agent-end") return;
    cancel();
    cancel = type === "agent-end" ? clock.timer(QUIET_MS, giveBack) : () => {};
  });
  return () => {
    cancel();
    unsubscribe();
  };
}
