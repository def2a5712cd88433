import type { SessionEntry } from "../../protocol/session-entries.ts";
import type { EntryStore } from "./entry-store.ts";

/** Entries that are kept nowhere else. */
export function memoryEntries(): EntryStore {
  const entries: SessionEntry[] = [];
  const rowOf = new Map<string, number>();
  const parentRow = (row: number): number | undefined => {
    const parentId = entries[row]?.parentId ?? null;
    return parentId === null ? undefined : rowOf.get(parentId);
  };
  const back = (from: number | undefined): number[] => {
    const rows: number[] = [];
    for (let row = from; row !== undefined; row = parentRow(row)) rows.push(row);
    return rows;
  };
  const last = () => (entries.length === 0 ? undefined : entries.length - 1);
  return {
    get length() {
      return entries.length;
    },
    problems: [],
    checks: 0,
    at: (index) => entries.at(index),
    [Symbol.iterator]: () => entries[Symbol.iterator](),
    map: (change) => entries.map((entry) => change(entry)),
    has: (id) => rowOf.has(id),
    get: (id) => entries[rowOf.get(id) ?? -1],
    rowsTo: (leafId) => back(leafId === undefined ? last() : rowOf.get(leafId ?? "")).reverse(),
    rowsBack: () => back(last()),
    rows: (from = 0) => [...entries.keys()].slice(from),
    placeOf: (row) => ({ id: entries[row]?.id ?? "", parentId: entries[row]?.parentId ?? null }),
    typeOf: (row) => entries[row]?.type ?? "custom",
    mayBeBy(row, role) {
      const entry = entries[row];
      return entry?.type === "message" && entry.message.role === role;
    },
    read: (row) => entries[row],
    add(entry) {
      rowOf.set(entry.id, entries.length);
      entries.push(entry);
    },
    close: () => {},
  };
}
