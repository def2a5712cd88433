const MAXIMUM_SHOWN = 3;
const COMPARED = 80;

/** Nearest first; names that differ in more than a third are left out. */
export function similarNames(wanted: string, names: readonly string[]): string[] {
  const wish = wanted.toLowerCase();
  const stem = wish.replace(/\.[^.]*$/, "");
  const ranked = names.flatMap((name) => {
    const candidate = name.toLowerCase();
    const isRelated = stem.length > 2 && candidate.replace(/\.[^.]*$/, "") === stem;
    const distance = isRelated ? 1 : distanceBetween(wish, candidate);
    return distance <= Math.max(1, Math.floor(wish.length / 3)) ? [{ name, distance }] : [];
  });
  ranked.sort((left, right) => left.distance - right.distance || (left.name < right.name ? -1 : 1));
  return ranked.slice(0, MAXIMUM_SHOWN).map(({ name }) => name);
}

/** How many letters have to be put in, taken out or changed. Long texts are compared by their beginning. */
export function distanceBetween(left: string, right: string): number {
  const [a, b] = [left.slice(0, COMPARED), right.slice(0, COMPARED)];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
