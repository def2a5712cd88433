import type { PathPart } from "./yaml-positions.ts";

// What no configuration file may hold, whatever its schema: names that reach into JavaScript's own objects, rings made of
// aliases, and trees that aliases have blown up.

export interface TreeFault {
  path: PathPart[];
  message: string;
  remedy: string;
}

const FORBIDDEN_KEYS = new Set(["__proto__", "constructor", "prototype"]);
const MAX_NODES = 100_000;
const MAX_DEPTH = 50;
/** A text that aliases repeat counts each time. */
const MAX_CHARACTERS = 4_000_000;

export function findTreeFault(root: unknown): TreeFault | undefined {
  const waiting: { value: unknown; path: PathPart[] }[] = [{ value: root, path: [] }];
  let nodes = 0;
  let characters = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, path } = next;
    nodes++;
    if (nodes > MAX_NODES) return tooMuch(path.slice(0, 1), `The file holds more than ${MAX_NODES} values.`);
    if (path.length > MAX_DEPTH) return tooMuch(path.slice(0, 2), `This is nested deeper than ${MAX_DEPTH} levels.`);
    if (typeof value === "string") characters += value.length;
    if (characters > MAX_CHARACTERS)
      return tooMuch(path.slice(0, 1), `The file holds more than ${MAX_CHARACTERS} characters.`);
    if (typeof value !== "object" || value === null) continue;
    for (const [key, child] of members(value)) {
      const place = [...path, key];
      if (typeof key === "string" && FORBIDDEN_KEYS.has(key)) return forbidden(place, key);
      waiting.push({ value: child, path: place });
    }
  }
  return undefined;
}

function members(value: object): [PathPart, unknown][] {
  return Array.isArray(value) ? [...value.entries()] : Object.entries(value);
}

function tooMuch(path: PathPart[], message: string): TreeFault {
  return { path, message, remedy: "Write less, or use fewer aliases." };
}

function forbidden(path: PathPart[], key: string): TreeFault {
  return { path, message: `"${key}" may not be used as a key.`, remedy: "Give it another name." };
}
