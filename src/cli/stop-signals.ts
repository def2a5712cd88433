import { EXIT } from "./exit-codes.ts";

const STOP_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
export type StopSignal = (typeof STOP_SIGNALS)[number];

/**
 * The first signal asks the work to stop and lets it end in order; a second one ends the process, after `hurry`, unless it is a
 * hang-up: a window that is closed sends two. Returns what ends listening.
 */
export function onStopSignal(stop: (signal: StopSignal) => void, hurry?: () => void): () => void {
  let asked = false;
  const listener = (signal: NodeJS.Signals) => {
    if (asked && signal === "SIGHUP") return;
    if (asked) {
      hurry?.();
      process.exit(EXIT.interrupted);
    }
    asked = true;
    stop(STOP_SIGNALS.find((known) => known === signal) ?? "SIGTERM");
  };
  for (const signal of STOP_SIGNALS) process.on(signal, listener);
  return () => {
    for (const signal of STOP_SIGNALS) process.off(signal, listener);
  };
}
