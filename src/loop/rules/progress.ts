import type { IterationRecord } from "../../protocol/loop-entries.ts";

// Progress is what the harness measures: the tree, the failing checks, the open stories, the receipts. Notes, progress files and
// words are none.

/** Two iterations with the same fingerprint left the work in the same state. */
export function fingerprint({ tree, failing, open }: IterationRecord): string {
  return JSON.stringify([tree, failing, open]);
}

/** How many of the last iterations left the work where the one before them, or the beginning, had it. */
export function idleIterations(records: readonly IterationRecord[]): number {
  let count = 0;
  for (let index = records.length - 1; index >= 0; index--) {
    const record = records[index];
    const before = records[index - 1];
    if (record === undefined || record.receipts.length > 0) break;
    const same = before === undefined ? !record.changed : fingerprint(record) === fingerprint(before);
    if (!same) break;
    count++;
  }
  return count;
}

/** How many of the last iterations changed things on one story and still had the same checks failing. */
export function circlingIterations(records: readonly IterationRecord[]): number {
  const last = records.at(-1);
  if (last === undefined) return 0;
  const problem = (record: IterationRecord) => JSON.stringify([record.story, record.failing, record.open]);
  let count = 0;
  for (const record of records.toReversed()) {
    if (record.receipts.length > 0 || problem(record) !== problem(last)) break;
    if (record.changed) count++;
  }
  return count;
}

/** How often the last iterations came back to a state they had already left: one way and back is once. */
export function returnsToOldStates(records: readonly IterationRecord[]): number {
  const states = records.map(fingerprint);
  let returns = 0;
  for (let index = states.length - 1; index >= 2; index--) {
    const state = states[index];
    if (records[index]?.receipts.length !== 0 || state === states[index - 1]) break;
    if (!states.slice(0, index - 1).includes(state ?? "")) break;
    returns++;
  }
  return returns;
}

/** How many of the last iterations claimed to be done while something was open, without bringing a receipt. */
export function prematureClaims(records: readonly IterationRecord[]): number {
  let count = 0;
  for (const record of records.toReversed()) {
    const premature = record.cheats.some(({ kind }) => kind === "premature-marker" || kind === "empty-claim");
    if (!premature || record.receipts.length > 0) break;
    count++;
  }
  return count;
}
