// One line of an agent's output that may be JSON. Whatever it holds, it is read without an exception and without keeping it.

/** A longer line is not parsed: it is shown as the text it is. */
export const MAX_JSON_CHARACTERS = 8 * 1024 * 1024;
/** Values that nest deeper are not handed on: who writes them down again would run out of stack. */
export const MAX_DEPTH = 64;

export type JsonLine =
  | { type: "object"; value: Record<string, unknown> }
  | { type: "array"; value: unknown[] }
  /** It does not claim to be JSON. */
  | { type: "text" }
  /** It begins like JSON and is none. */
  | { type: "broken"; message: string };

const TEXT: JsonLine = { type: "text" };
const BROKEN: JsonLine = { type: "broken", message: "The line begins like JSON and is none." };
const TOO_LONG: JsonLine = {
  type: "broken",
  message: `The line is longer than ${MAX_JSON_CHARACTERS.toLocaleString("en")} characters and was not read as JSON.`,
};

const SPACE = 0x20;
const BYTE_ORDER_MARK = 0xfeff;

export function readJsonLine(line: string): JsonLine {
  const first = line.charCodeAt(0);
  const text = first <= SPACE || first === BYTE_ORDER_MARK ? line.trimStart() : line;
  if (!text.startsWith("{") && !text.startsWith("[")) return TEXT;
  if (text.length > MAX_JSON_CHARACTERS) return TOO_LONG;
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value)
      ? { type: "array", value }
      : { type: "object", value: value as Record<string, unknown> };
  } catch {
    return text.startsWith("{") ? BROKEN : TEXT;
  }
}

/** The value as it is, or undefined where it nests deeper than can be handed on. */
export function shallowEnough<Value>(value: Value): Value | undefined {
  return nestsDeeperThan(MAX_DEPTH, value) ? undefined : value;
}

function nestsDeeperThan(depth: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (depth === 0) return true;
  for (const key in value) {
    if (nestsDeeperThan(depth - 1, (value as Record<string, unknown>)[key])) return true;
  }
  return false;
}
