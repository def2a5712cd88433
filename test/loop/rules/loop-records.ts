import type { LoopHistory } from "../../../src/loop/rules/history.ts";
import type { IterationRecord } from "../../../src/protocol/loop-entries.ts";

// Histories in a few words: each iteration is a minute, begins where the last ended, and works on US-1.

export const START = Date.parse("2026-01-01T00:00:00.000Z");

export function records(...changes: Partial<IterationRecord>[]): IterationRecord[] {
  return changes.map((change, index) => ({
    iteration: index + 1,
    story: "US-1",
    runner: "one",
    startedAt: new Date(START + index * 60_000).toISOString(),
    endedAt: new Date(START + (index + 1) * 60_000).toISOString(),
    ending: { type: "finished" },
    tree: `tree-${index + 1}`,
    changed: true,
    failing: ["npm test"],
    open: ["US-1", "US-2"],
    receipts: [],
    marker: false,
    cheats: [],
    ...change,
  }));
}

export function history(change: Partial<LoopHistory> = {}): LoopHistory {
  const list = change.records ?? [];
  const end = list.at(-1)?.endedAt;
  return {
    records: list,
    limits: { iterations: 50, minutes: 600, waitMinutes: 360, coolDownSeconds: 60 },
    runners: ["one"],
    failoverThreshold: 3,
    stories: { total: 2, open: ["US-1", "US-2"], verified: 0 },
    now: end === undefined ? START : Date.parse(end),
    ...change,
  };
}
