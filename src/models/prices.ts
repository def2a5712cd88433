import type { Usage } from "../protocol/messages.ts";
import type { Cost } from "../protocol/models.ts";

// What an answer cost. Prices are US dollars per million tokens.

export interface Bill {
  dollars: number;
  /** Everything the model read for this answer: fresh, from the cache and into the cache. */
  promptTokens: number;
  /** The threshold this prompt passed, when the whole request was billed at the dearer prices beyond it. */
  crossed?: number;
}

/** Undefined where no price is known. */
export function costOf(usage: Usage, cost: Cost | undefined): number | undefined {
  return billOf(usage, cost)?.dollars;
}

/** The cost and why it is what it is; undefined where no price is known. */
export function billOf(usage: Usage, cost: Cost | undefined): Bill | undefined {
  if (cost === undefined) return undefined;
  const promptTokens = usage.input + usage.cacheRead + usage.cacheWrite;
  const tier = tierFor(promptTokens, cost);
  const dollars = priced(usage, tier ?? cost) / 1_000_000;
  return tier === undefined ? { dollars, promptTokens } : { dollars, promptTokens, crossed: tier.above };
}

type Tier = NonNullable<Cost["tiers"]>[number];

/** A prompt of exactly `above` tokens still has the cheaper prices. */
function tierFor(promptTokens: number, cost: Cost): Tier | undefined {
  let reached: Tier | undefined;
  for (const tier of cost.tiers ?? []) {
    if (promptTokens > tier.above && tier.above > (reached?.above ?? 0)) reached = tier;
  }
  return reached;
}

/** An hour in the cache costs twice the input price, whatever a short stay costs. */
const LONG_WRITE_FACTOR = 2;

function priced(usage: Usage, prices: Omit<Cost, "tiers">): number {
  const long = Math.min(usage.cacheWriteLong ?? 0, usage.cacheWrite);
  return (
    usage.input * prices.input +
    usage.output * prices.output +
    usage.cacheRead * prices.cacheRead +
    (usage.cacheWrite - long) * prices.cacheWrite +
    long * prices.input * LONG_WRITE_FACTOR
  );
}
