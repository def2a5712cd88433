// The tree the entries form, and what of it stands on one branch. `entries[i].parent` is a position before i, or -1.

export function branchesOf(entries) {
  const children = entries.map(() => []);
  const roots = [];
  for (const [at, { parent }] of entries.entries()) (parent < 0 ? roots : children[parent]).push(at);
  const newest = entries.map((_, at) => at);
  for (let at = entries.length - 1; at >= 0; at--) {
    const { parent } = entries[at];
    if (parent >= 0) newest[parent] = Math.max(newest[parent], newest[at]);
  }
  return {
    roots,
    childrenOf: (at) => children[at],
    /** The other ways to go on from the same place, and this one. */
    siblingsOf: (at) => (entries[at].parent < 0 ? roots : children[entries[at].parent]),
    /** Where the branch through this entry ends; of several the newest. */
    endOf: (at) => newest[at],
  };
}

/** From the first entry to this one. */
export function pathTo(entries, end) {
  const path = [];
  for (let at = end; at >= 0; at = entries[at].parent) path.push(at);
  return path.reverse();
}

/**
 * The rows of a branch: a result stands with the call it answers. `rowOf` tells for every entry of the branch where it is.
 */
export function rowsOf(entries, path) {
  const rows = [];
  const rowOf = new Map();
  const waiting = new Map();
  for (const at of path) {
    const entry = entries[at];
    const row = entry.type === "result" ? waiting.get(entry.callId) : undefined;
    if (row !== undefined) {
      waiting.delete(entry.callId);
      row.results.set(entry.callId, entry);
      rowOf.set(at, row.number);
      continue;
    }
    const own = { number: rows.length, at, entry, results: new Map() };
    rows.push(own);
    rowOf.set(at, own.number);
    for (const callId of callsIn(entry)) waiting.set(callId, own);
  }
  return { rows, rowOf };
}

function callsIn({ type, parts }) {
  return type === "answer" ? parts.filter((part) => part.type === "call").map(({ callId }) => callId) : [];
}

/** Everything that was said or done in an entry, as one text. */
export function textOf(entry) {
  if (entry.type === "note") return `${entry.text}\n${entry.more ?? entry.output ?? ""}`;
  const head = [entry.label ?? "", entry.tool ?? ""];
  return [...head, ...entry.parts.map(partText)].join("\n");
}

function partText(part) {
  if (part.type === "call") return [part.name, ...part.fields.map(({ name, text }) => `${name}\n${text}`)].join("\n");
  return part.type === "image" ? "" : part.text;
}
