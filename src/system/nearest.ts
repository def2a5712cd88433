// The choices a person most likely meant.

/** Longer texts are compared by their beginning only. */
const COMPARED = 64;

/** At most `limit` of the choices, nearest first; those too far away to be a slip are left out. */
export function nearestChoices(wish: string, choices: Iterable<string>, limit: number): string[] {
  const wanted = wish.toLowerCase();
  const ranked: { choice: string; distance: number }[] = [];
  for (const choice of new Set(choices)) {
    const candidate = choice.toLowerCase();
    const distance = candidate.includes(wanted) && wanted !== "" ? 0.5 : editDistance(wanted, candidate);
    if (distance <= Math.max(2, Math.ceil(candidate.length / 3))) ranked.push({ choice, distance });
  }
  ranked.sort((a, b) => a.distance - b.distance);
  return ranked.slice(0, limit).map(({ choice }) => choice);
}

/** All choices, nearest first. */
export function byNearness(wish: string, choices: Iterable<string>): string[] {
  const wanted = wish.toLowerCase();
  const ranked = [...new Set(choices)].map((choice) => ({
    choice,
    distance: editDistance(wanted, choice.toLowerCase()),
  }));
  return ranked.sort((a, b) => a.distance - b.distance).map(({ choice }) => choice);
}

/** Insertions, deletions, replacements and swaps of neighbours, each counted once. */
export function editDistance(left: string, right: string): number {
  const [a, b] = [left.slice(0, COMPARED), right.slice(0, COMPARED)];
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) row.push(cell({ a, b, i, j, before, previous, row }));
    before = previous;
    previous = row;
  }
  return previous[b.length] ?? 0;
}

interface Cell {
  a: string;
  b: string;
  i: number;
  j: number;
  before: number[];
  previous: number[];
  row: number[];
}

function cell({ a, b, i, j, before, previous, row }: Cell): number {
  const replaced = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
  const best = Math.min(replaced, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1);
  const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
  return swapped ? Math.min(best, (before[j - 2] ?? 0) + 1) : best;
}
