import type { Usage } from "../protocol/messages.ts";
import type { SessionEntry } from "../protocol/session-entries.ts";
import { isStore, readSteadily } from "./entries/entry-list.ts";
import type { EntryStore } from "./entries/entry-store.ts";

/** What a session has used so far, on all branches: what was left behind was paid for, too. */
export interface SessionTotals {
  /** Answers of models; summaries are paid for and are no turns. */
  turns: number;
  usage: Usage;
  /** US dollars, of the answers whose price was known; absent when there was none. */
  cost?: number;
  /** Answers that used tokens and whose price was not known. */
  unpricedTurns: number;
  /** The longest prompt of one answer, in tokens, with what came from the cache. */
  largestPrompt: number;
}

export function sessionTotals(entries: Iterable<SessionEntry>): SessionTotals {
  if (isStore(entries)) return storedTotals(entries);
  let totals = NOTHING;
  for (const entry of entries) totals = withEntry(totals, entry);
  return totals;
}

interface Counted {
  checks: number;
  /** The first row that is not counted yet. */
  next: number;
  totals: SessionTotals;
}

/** What was counted of a session that grows: the next time only what came since is read. */
const counted = new WeakMap<EntryStore, Counted>();

function storedTotals(entries: EntryStore): SessionTotals {
  return readSteadily(entries, () => {
    const known = counted.get(entries);
    const { checks } = entries;
    let { next, totals } = known?.checks === checks ? known : { next: 0, totals: NOTHING };
    for (const row of entries.rows(next)) {
      const entry = mayHaveUsage(entries, row) ? entries.read(row) : undefined;
      if (entry !== undefined) totals = withEntry(totals, entry);
      next = row + 1;
    }
    counted.set(entries, { checks, next, totals });
    return totals;
  });
}

function mayHaveUsage(entries: EntryStore, row: number): boolean {
  const type = entries.typeOf(row);
  return type === "message" ? entries.mayBeBy(row, "assistant") : type !== "tool-started";
}

const NOTHING: SessionTotals = {
  turns: 0,
  usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  unpricedTurns: 0,
  largestPrompt: 0,
};

function withEntry(totals: SessionTotals, entry: SessionEntry): SessionTotals {
  const used = usageOf(entry);
  if (used === undefined) return totals;
  const { usage, cost } = used;
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
  const isUnpriced = cost === undefined && prompt + usage.output > 0;
  const isTurn = entry.type === "message";
  return {
    ...totals,
    turns: totals.turns + (isTurn ? 1 : 0),
    usage: addUsage(totals.usage, usage),
    ...(cost === undefined ? {} : { cost: (totals.cost ?? 0) + cost }),
    unpricedTurns: totals.unpricedTurns + (isUnpriced ? 1 : 0),
    largestPrompt: isTurn ? Math.max(totals.largestPrompt, prompt) : totals.largestPrompt,
  };
}

/** Answers, those that were stopped for a rule too, and summaries that were asked for, used or not. */
function usageOf(entry: SessionEntry): { usage: Usage; cost?: number | undefined } | undefined {
  if (entry.type === "message")
    return entry.message.role === "assistant" ? { usage: entry.message.usage, cost: entry.cost } : undefined;
  if (entry.type !== "compaction" && entry.type !== "compaction-failed" && entry.type !== "rules-injected")
    return undefined;
  return entry.usage === undefined ? undefined : { usage: entry.usage, cost: entry.cost };
}

export function addUsage(one: Usage, other: Usage): Usage {
  const cacheWriteLong = addOptional(one.cacheWriteLong, other.cacheWriteLong);
  const reasoning = addOptional(one.reasoning, other.reasoning);
  return {
    input: one.input + other.input,
    output: one.output + other.output,
    cacheRead: one.cacheRead + other.cacheRead,
    cacheWrite: one.cacheWrite + other.cacheWrite,
    ...(cacheWriteLong !== undefined && { cacheWriteLong }),
    ...(reasoning !== undefined && { reasoning }),
  };
}

function addOptional(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined && other === undefined ? undefined : (one ?? 0) + (other ?? 0);
}
