import type { Message } from "../../protocol/messages.ts";
import type { SessionEntry } from "../../protocol/session-entries.ts";

/**
 * The entries of a session in the order in which they were appended, wherever they are kept. A row is the place of an entry; what
 * a row is can be told without reading it.
 */
export interface EntryStore extends Iterable<SessionEntry> {
  readonly length: number;
  /** What could not be read, as far as it was needed; one sentence each. */
  readonly problems: string[];
  /** Changes when lines turned out to be damaged: what was found out before may have to be found out again. */
  readonly checks: number;
  at(index: number): SessionEntry | undefined;
  map<T>(change: (entry: SessionEntry) => T): T[];
  has(id: string): boolean;
  get(id: string): SessionEntry | undefined;
  /** The rows from the root to this entry, or to the one appended last; none for null and for an unknown id. */
  rowsTo(leafId?: string | null): number[];
  /** The rows from the last entry back to the root. */
  rowsBack(): Iterable<number>;
  /** Every row from `from` on. */
  rows(from?: number): Iterable<number>;
  placeOf(row: number): { id: string; parentId: string | null };
  typeOf(row: number): SessionEntry["type"];
  /** Whether this may be a message of this role. */
  mayBeBy(row: number, role: Message["role"]): boolean;
  /** Undefined when the entry cannot be read. */
  read(row: number): SessionEntry | undefined;
  add(entry: SessionEntry): void;
  close(): void;
}
