/** The name that was probably meant; undefined where none is near enough. Capital letters do not count. */
export function nearestName(wanted: string, names: readonly string[]): string | undefined {
  const given = wanted.toLowerCase().slice(0, LONGEST);
  let best: { name: string; distance: number } | undefined;
  for (const name of names) {
    const known = name.toLowerCase();
    const distance = known.startsWith(given) && given.length >= 2 ? 1 : distanceOf(given, known);
    if (best === undefined || distance < best.distance) best = { name, distance };
  }
  return best !== undefined && best.distance <= Math.max(1, Math.floor(given.length / 3)) ? best.name : undefined;
}

const LONGEST = 60;

/** How many letters have to be put in, taken out, changed or swapped with their neighbour. */
function distanceOf(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const next = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const swapped = isSwapped ? (beforeLast[column - 2] ?? Number.POSITIVE_INFINITY) + 1 : Number.POSITIVE_INFINITY;
      next.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (next[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + (isSame ? 0 : 1),
          swapped,
        ),
      );
    }
    [beforeLast, last] = [last, next];
  }
  return last[to.length] ?? 0;
}
