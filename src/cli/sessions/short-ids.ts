/** Enough to be told apart by a person later, when there are more. */
const SHORTEST = 6;

/** For each id the shortest beginning that no other of them has. */
export function shortIds(ids: readonly string[]): Map<string, string> {
  const sorted = [...new Set(ids)].sort();
  return new Map(
    sorted.map((id, index) => {
      const shared = Math.max(sharedStart(id, sorted[index - 1]), sharedStart(id, sorted[index + 1]));
      return [id, id.slice(0, Math.max(SHORTEST, shared + 1))];
    }),
  );
}

function sharedStart(one: string, other = ""): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}
