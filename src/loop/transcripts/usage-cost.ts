import type { UsageFold } from "./usage-fold.ts";

/** US dollars for a million tokens, by the name of the model; from a file of the user. */
export type TokenPrices = ReadonlyMap<string, TokenPrice>;

export interface TokenPrice {
  input: number;
  output: number;
  /** Of input that came from a cache; the same as other input where nothing is said. */
  cachedInput?: number;
}

/** What tokens cost by the person's own prices. Undefined where the model has none: nothing is guessed. */
export function costOf(usage: UsageFold, prices: TokenPrices): number | undefined {
  const { inputTokens, outputTokens, cachedTokens, model } = usage;
  const price = model === undefined ? undefined : prices.get(model);
  if (price === undefined) return undefined;
  const fresh = Math.max(0, inputTokens - cachedTokens) * price.input;
  const cached = Math.min(cachedTokens, inputTokens) * (price.cachedInput ?? price.input);
  return (fresh + cached + outputTokens * price.output) / 1e6;
}
