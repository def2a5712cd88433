// Finding names by some of their letters, as fast as one types, in tens of thousands of them.

export interface FuzzyMatch {
  /** The entry's place in the list. */
  index: number;
  score: number;
}

export interface FuzzySearch {
  /** The best entries for a query, at most `limit`. For the same score the earlier entry comes first. */
  search(query: string, limit: number): FuzzyMatch[];
}

/** A query that continues the one before looks only at what that one found. */
export function createFuzzySearch(entries: readonly string[]): FuzzySearch {
  const prepared = entries.map(prepare);
  let last = { query: "", found: prepared };
  return {
    search(given, limit) {
      const query = foldQuery(given);
      if (query === "") return entries.slice(0, limit).map((_, index) => ({ index, score: 0 }));
      const candidates = last.query !== "" && query.startsWith(last.query) ? last.found : prepared;
      const { found, best } = scan(candidates, query, limit);
      last = { query, found };
      return best;
    },
  };
}

/** The offsets of the letters of an entry that a query matches; empty where it does not match. */
export function matchOffsets(entry: string, query: string): number[] {
  const wanted = foldQuery(query);
  const folded = entry.toLowerCase();
  if (wanted === "" || folded.length !== entry.length) return [];
  const window = findWindow(folded, wanted);
  return window === undefined ? [] : offsetsIn(folded, wanted, window.start);
}

interface Prepared {
  index: number;
  entry: string;
  folded: string;
  /** One bit for each letter and digit group it holds: most entries are ruled out by one comparison. */
  letters: number;
}

function prepare(entry: string, index: number): Prepared {
  const folded = entry.toLowerCase();
  return { index, entry, folded, letters: lettersOf(folded) };
}

function foldQuery(query: string): string {
  return query.toLowerCase().replace(/\s+/g, "");
}

function lettersOf(text: string): number {
  let letters = 0;
  for (let at = 0; at < text.length; at++) letters |= letterBit(text.charCodeAt(at));
  return letters;
}

function letterBit(code: number): number {
  if (code >= 97 && code <= 122) return 1 << (code - 97);
  if (code >= 48 && code <= 57) return 1 << 26;
  return code > 127 ? 1 << 27 : 0;
}

function scan(
  candidates: readonly Prepared[],
  query: string,
  limit: number,
): { found: Prepared[]; best: FuzzyMatch[] } {
  const letters = lettersOf(query);
  const found: Prepared[] = [];
  const best: FuzzyMatch[] = [];
  for (const candidate of candidates) {
    if ((candidate.letters & letters) !== letters) continue;
    const window = findWindow(candidate.folded, query);
    if (window === undefined) continue;
    found.push(candidate);
    keepBest(best, { index: candidate.index, score: scoreOf(candidate, query, window.start) }, limit);
  }
  return { found, best };
}

/** A sorted list of at most `limit`. */
function keepBest(best: FuzzyMatch[], match: FuzzyMatch, limit: number): void {
  const last = best[best.length - 1];
  if (best.length >= limit && (last === undefined || match.score <= last.score)) return;
  let low = 0;
  let high = best.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((best[middle]?.score ?? 0) >= match.score) low = middle + 1;
    else high = middle;
  }
  best.splice(low, 0, match);
  if (best.length > limit) best.pop();
}

/** The last stretch that holds all letters in order, made as short as it goes: names end in what people type. */
function findWindow(text: string, query: string): { start: number } | undefined {
  let at = text.length;
  for (let letter = query.length - 1; letter >= 0; letter--) {
    at = at === 0 ? -1 : text.lastIndexOf(query.charAt(letter), at - 1);
    if (at < 0) return undefined;
  }
  return { start: at };
}

function offsetsIn(text: string, query: string, start: number): number[] {
  const offsets: number[] = [];
  let at = start - 1;
  for (const letter of query.split("")) {
    at = text.indexOf(letter, at + 1);
    offsets.push(at);
  }
  return offsets;
}

const SCORES = { letter: 16, consecutive: 14, boundary: 10, afterSlash: 4, whole: 40, gap: 2, length: 0.1 };

function scoreOf({ entry, folded }: Prepared, query: string, start: number): number {
  let score = 0;
  let at = start - 1;
  for (let letter = 0; letter < query.length; letter++) {
    const found = folded.indexOf(query.charAt(letter), at + 1);
    const isConsecutive = letter > 0 && found === at + 1;
    score += SCORES.letter + (isConsecutive ? SCORES.consecutive : boundaryScore(entry, found));
    if (letter > 0 && !isConsecutive) score -= Math.min(10, found - at) * SCORES.gap;
    at = found;
  }
  const whole = folded.indexOf(query, Math.max(0, folded.lastIndexOf("/") + 1));
  if (whole >= 0) score += SCORES.whole + boundaryScore(entry, whole);
  return score - folded.length * SCORES.length;
}

/** The start of a name, of a part of it, or of a word in it counts more. */
function boundaryScore(entry: string, at: number): number {
  if (at === 0) return SCORES.boundary + SCORES.afterSlash;
  const before = entry.charCodeAt(at - 1);
  if (before === 47) return SCORES.boundary + SCORES.afterSlash;
  if (before === 45 || before === 46 || before === 95 || before === 32) return SCORES.boundary;
  const here = entry.charCodeAt(at);
  return here >= 65 && here <= 90 && before >= 97 && before <= 122 ? SCORES.boundary : 0;
}
