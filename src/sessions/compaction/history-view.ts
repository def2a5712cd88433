import type { Message } from "../../protocol/messages.ts";
import type { Model } from "../../protocol/models.ts";
import type { SessionEntry } from "../../protocol/session-entries.ts";
import { userText } from "../settle-calls.ts";
import { prunedMessage } from "./prune-results.ts";

// What compactions left of a branch. The entries themselves never change: a view is computed from them, the same after a resume.

export type Compaction = Extract<SessionEntry, { type: "compaction" }>;

export interface HistoryView {
  /** The one that counts; it stands before `items`. */
  compaction?: Compaction;
  /** What is sent word for word, or shortened, in the order of the branch. */
  items: VisibleItem[];
}

/** A message the model sees, before its calls are settled. */
export interface VisibleItem {
  entryId: string;
  message: Message;
}

/** The model that is to read a history. What only another one can read is no part of it. */
export type HistoryReader = Pick<Model, "provider" | "api" | "id">;

/**
 * A compaction whose first kept entry was lost, or which `reader` cannot read, counts for nothing: sending too much is better
 * than forgetting. Without a reader it is for somebody who looks: then a list of the messages stands for what a provider made.
 */
export function historyView(branch: readonly SessionEntry[], reader?: HistoryReader): HistoryView {
  const undone = undoneIds(branch);
  const pruned = prunedResults(branch, undone);
  const last = lastCompaction(branch, (entry) => !undone.has(entry.id) && isReadable(entry, reader));
  const items = branch.slice(last?.firstKept ?? 0).flatMap((entry) => visible(entry, pruned));
  if (last === undefined) return { items };
  const { server: _, ...listed } = last.entry;
  return { compaction: reader === undefined ? listed : last.entry, items };
}

/** The entries a person could still undo, oldest first: those that change what `reader` sees. */
export function changesInForce(branch: readonly SessionEntry[], reader?: HistoryReader): SessionEntry[] {
  const undone = undoneIds(branch);
  return branch.filter((entry) => {
    if (undone.has(entry.id)) return false;
    return entry.type === "pruned" || (entry.type === "compaction" && isReadable(entry, reader));
  });
}

function isReadable({ server }: Compaction, reader: HistoryReader | undefined): boolean {
  if (server === undefined || reader === undefined) return true;
  return isMadeBy(server, reader) && server.items.startsWith("[{");
}

export function isMadeBy(
  made: { provider: string; api: string; model: string },
  reader: HistoryReader | undefined,
): boolean {
  return made.provider === reader?.provider && made.api === reader.api && made.model === reader.id;
}

export function undoneIds(branch: readonly SessionEntry[]): Set<string> {
  return new Set(branch.flatMap((entry) => (entry.type === "compaction-undone" ? entry.targetIds : [])));
}

/** Entry id → how many characters are left. A result that was shortened twice has the fewer. */
function prunedResults(branch: readonly SessionEntry[], undone: ReadonlySet<string>): Map<string, number> {
  const pruned = new Map<string, number>();
  for (const entry of branch) {
    if (entry.type !== "pruned" || undone.has(entry.id)) continue;
    for (const id of entry.entryIds) pruned.set(id, Math.min(entry.keep, pruned.get(id) ?? entry.keep));
  }
  return pruned;
}

function lastCompaction(
  branch: readonly SessionEntry[],
  counts: (entry: Compaction) => boolean,
): { entry: Compaction; firstKept: number } | undefined {
  for (let index = branch.length - 1; index >= 0; index--) {
    const entry = branch[index];
    if (entry?.type !== "compaction" || !counts(entry)) continue;
    const firstKept = branch.findLastIndex(({ id }, place) => place <= index && id === entry.firstKeptId);
    if (firstKept !== -1) return { entry, firstKept };
  }
  return undefined;
}

function visible(entry: SessionEntry, pruned: ReadonlyMap<string, number>): VisibleItem[] {
  if (entry.type === "message") {
    const keep = pruned.get(entry.id);
    return [{ entryId: entry.id, message: keep === undefined ? entry.message : prunedMessage(entry.message, keep) }];
  }
  if (entry.type === "rules-injected" && entry.message !== undefined)
    return [{ entryId: entry.id, message: entry.message }];
  if (entry.type !== "branch-summary") return [];
  const text = `<branch_summary>\nWhat was done on a branch that was left:\n${entry.summary}\n</branch_summary>`;
  return [{ entryId: entry.id, message: userText(text) }];
}
