const HINT = /(?:try again|retry) (?:in|after) ((?:\d+(?:\.\d+)?\s*[a-z]+\s*)+)/i;
const AMOUNT = /(\d+(?:\.\d+)?)\s*([a-z]+)/gi;
/** Longest unit names first where one begins another. */
const UNITS: ReadonlyArray<readonly [prefix: string, milliseconds: number]> = [
  ["ms", 1],
  ["milli", 1],
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
];

/** The wait a provider names in its error text ("Please try again in 1m2.5s"), in milliseconds. */
export function retryHintMs(message: string): number | undefined {
  const amounts = HINT.exec(message)?.[1];
  if (amounts === undefined) return undefined;
  let total = 0;
  for (const [, amount, unit = ""] of amounts.matchAll(AMOUNT)) {
    const known = UNITS.find(([prefix]) => unit.toLowerCase().startsWith(prefix));
    if (known === undefined) break;
    total += Number(amount) * known[1];
  }
  return total > 0 && Number.isFinite(total) ? Math.ceil(total) : undefined;
}
