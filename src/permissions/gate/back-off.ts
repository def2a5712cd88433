/** Whoever is told no again and again has to wait before the next question about the same tool. */
export interface BackOff {
  /** How many milliseconds are left; 0 when the tool may ask. */
  waitMs(tool: string): number;
  denied(tool: string): void;
  allowed(tool: string): void;
}

/** After the first, second, third … denial in a row; the last counts for all further ones. */
const WAITS_MS = [0, 0, 5_000, 15_000, 60_000, 300_000];

/** `now` is a clock that only goes forward. */
export function createBackOff(now: () => number): BackOff {
  const denials = new Map<string, { count: number; until: number }>();
  return {
    waitMs: (tool) => Math.max(0, (denials.get(tool)?.until ?? 0) - now()),
    denied(tool) {
      const count = (denials.get(tool)?.count ?? 0) + 1;
      const wait = WAITS_MS[Math.min(count, WAITS_MS.length) - 1] ?? 0;
      denials.set(tool, { count, until: wait === 0 ? 0 : now() + wait });
    },
    allowed: (tool) => void denials.delete(tool),
  };
}
