// One line of JSON from a program nobody vouches for. What JSON.parse takes without a word and a reader may take differently is
// refused: values that are nested too deep, keys that stand in an object twice, keys that reach for a prototype.

export const MAX_DEPTH = 64;

export type StrictJson = { ok: true; value: unknown } | { ok: false; message: string };

export function parseStrictJson(text: string): StrictJson {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, message: "The line is not JSON." };
  }
  const members = { count: 0 };
  const fault = faultOf(value, 0, members);
  if (fault !== undefined) return { ok: false, message: fault };
  // A key that stands there twice is one key of the value and two colons of the text.
  return members.count === colonsOutsideStrings(text)
    ? { ok: true, value }
    : { ok: false, message: "A key stands twice in the same object." };
}

function faultOf(value: unknown, depth: number, members: { count: number }): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (depth === MAX_DEPTH) return `The line is nested deeper than ${MAX_DEPTH} levels.`;
  if (Array.isArray(value)) {
    for (const item of value) {
      const fault = faultOf(item, depth + 1, members);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }
  for (const key of Object.keys(value)) {
    members.count += 1;
    const item: unknown = (value as Record<string, unknown>)[key];
    const fault = reachesForPrototype(key, item) ? forbidden(key) : faultOf(item, depth + 1, members);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** A value called constructor is a plain value; only what hangs below its prototype would change other objects. */
function reachesForPrototype(key: string, item: unknown): boolean {
  if (key === "__proto__") return true;
  return key === "constructor" && typeof item === "object" && item !== null && Object.hasOwn(item, "prototype");
}

function forbidden(key: string): string {
  return `The key ${key} is not allowed here, because it reaches for a prototype.`;
}

/** The text is known to be JSON. Every character is looked at once or twice, whatever lies between. */
function colonsOutsideStrings(text: string): number {
  let count = 0;
  let colon = text.indexOf(":");
  let quote = text.indexOf('"');
  while (colon !== -1) {
    if (quote === -1 || colon < quote) {
      count += 1;
      colon = text.indexOf(":", colon + 1);
      continue;
    }
    const end = endOfString(text, quote + 1);
    quote = text.indexOf('"', end);
    if (colon < end) colon = text.indexOf(":", end);
  }
  return count;
}

/** Behind the closing quote of the string that begins here. */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === "\\" && quote - 1 - backslashes >= start) backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
  }
  return text.length;
}
