// What exactly would be done, so that what was allowed is what is done. Pure.

/** What a person would call a part of the action → what it is. */
export type ActionParts = Readonly<Record<string, string>>;

/** The same parts have the same digest, in whatever order they were found. */
export function digestOf(parts: ActionParts): string {
  const entries = Object.entries(parts).sort(([one], [other]) => (one < other ? -1 : 1));
  return Bun.SHA256.hash(JSON.stringify(entries), "hex");
}

/** The names of the parts that differ, came or went. */
export function changedParts(before: ActionParts, after: ActionParts): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => before[name] !== after[name]);
}
