import type { Model } from "../../protocol/models.ts";
import type { SessionEntry } from "../../protocol/session-entries.ts";
import { spelled } from "./spelled-number.ts";

// When a conversation is shortened, and down to what. Everything is a number a person can read beforehand.

export interface CompactionSettings {
  /** Of the window. */
  triggerPercent: number;
  targetPercent: number;
  keepMessages: number;
  /** Left free for the answer, at most a quarter of the window. */
  reserveTokens: number;
  /** Whether a dearer price per token is a reason, too. */
  atPriceTier: boolean;
  /** Whether the provider may shorten the conversation itself, where it can. */
  server: "auto" | "off";
}

export interface Thresholds {
  window: number;
  /** From here on the conversation is shortened. */
  trigger: number;
  /** Why it begins there, behind "compaction begins at". */
  begins: string;
  /** What it is shortened to. */
  target: number;
  /** Where shortening has to leave room, so that it does not begin again at once. */
  roomy: number;
  /** What must not be exceeded, whatever it takes. */
  limit: number;
  /** By how much a conversation grows before something that failed is tried again. */
  growth: number;
}

const LIMIT = 0.95;
const ROOM = 0.1;
const GROWTH = 0.05;
const MOST_RESERVED = 0.25;

export function thresholdsFor(settings: CompactionSettings, model: Pick<Model, "contextWindow" | "cost">): Thresholds {
  const window = model.contextWindow;
  const { trigger, begins } = triggerFor(settings, model);
  const wanted = Math.floor((window * settings.targetPercent) / 100);
  return {
    window,
    trigger,
    begins,
    target: wanted < trigger ? wanted : Math.floor(trigger / 2),
    roomy: Math.max(1, trigger - Math.floor(window * ROOM)),
    limit: Math.floor(window * LIMIT),
    growth: Math.max(1, Math.floor(window * GROWTH)),
  };
}

function triggerFor(
  { triggerPercent, reserveTokens, atPriceTier }: CompactionSettings,
  { contextWindow, cost }: Pick<Model, "contextWindow" | "cost">,
): Pick<Thresholds, "trigger" | "begins"> {
  const reserved = Math.min(reserveTokens, Math.floor(contextWindow * MOST_RESERVED));
  const candidates = [
    { trigger: Math.floor((contextWindow * triggerPercent) / 100), begins: `${triggerPercent} %` },
    {
      trigger: contextWindow - reserved,
      begins: `${spelled(contextWindow - reserved)}, which leaves ${spelled(reserved)} for the answer`,
    },
  ];
  const tier = atPriceTier ? Math.min(...(cost?.tiers ?? []).map(({ above }) => above)) : Number.POSITIVE_INFINITY;
  if (Number.isFinite(tier)) candidates.push({ trigger: tier, begins: `${spelled(tier)}, where tokens get dearer` });
  return candidates.reduce((lowest, next) => (next.trigger < lowest.trigger ? next : lowest));
}

/** For example "the conversation is at 151,000 of 200,000 tokens; compaction begins at 75 %". */
export function sizeReason(tokens: number, { window, begins }: Thresholds): string {
  return `the conversation is at ${spelled(tokens)} of ${spelled(window)} tokens; compaction begins at ${begins}`;
}

/** Whether it is time. `heldAt` is the size at which the last attempt came to nothing or was undone. */
export function isDue(tokens: number, thresholds: Thresholds, heldAt: number | undefined): boolean {
  const { trigger, growth, limit } = thresholds;
  if (tokens < trigger) return false;
  if (heldAt === undefined || tokens >= heldAt + growth) return true;
  return tokens >= limit && heldAt < limit;
}

/** Undefined when the last compaction of the branch did what it should. */
export function heldAt(branch: readonly SessionEntry[]): number | undefined {
  const last = branch.findLast(({ type }) => ATTEMPTS.has(type));
  return last?.type === "compaction-failed" || last?.type === "compaction-undone" ? last.tokens : undefined;
}

const ATTEMPTS = new Set<SessionEntry["type"]>(["compaction", "pruned", "compaction-failed", "compaction-undone"]);
