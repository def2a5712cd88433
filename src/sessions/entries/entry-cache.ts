import type { SessionEntry } from "../../protocol/session-entries.ts";

interface Held {
  entry: SessionEntry;
  weight: number;
}

/** Beside the characters of its texts every value of an entry takes some memory. */
const VALUE_WEIGHT = 32;

/** Entries by their row. What was not used for longest is let go first, unless it must stay. */
export class EntryCache {
  private readonly held = new Map<number, Held>();
  private weight = 0;

  constructor(private readonly most: number) {}

  get(row: number): SessionEntry | undefined {
    const held = this.held.get(row);
    if (held === undefined) return undefined;
    this.held.delete(row);
    this.held.set(row, held);
    return held.entry;
  }

  add(row: number, entry: SessionEntry, weight: number): void {
    this.held.set(row, { entry, weight });
    this.weight += weight;
  }

  isFull(): boolean {
    return this.weight > this.most;
  }

  /** Down to half, so that not every new entry is followed by letting go of one. */
  shrink(mustStay: (row: number) => boolean): void {
    for (const [row, { weight }] of this.held) {
      if (this.weight <= this.most / 2) return;
      if (mustStay(row)) continue;
      this.held.delete(row);
      this.weight -= weight;
    }
  }

  delete(row: number): void {
    this.weight -= this.held.get(row)?.weight ?? 0;
    this.held.delete(row);
  }
}

/** About how many bytes a value takes. */
export function weightOf(value: unknown): number {
  if (typeof value === "string") return VALUE_WEIGHT + value.length;
  if (typeof value !== "object" || value === null) return VALUE_WEIGHT;
  let weight = VALUE_WEIGHT;
  for (const part of Object.values(value)) weight += weightOf(part);
  return weight;
}
