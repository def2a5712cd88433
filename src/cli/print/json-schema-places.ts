import { asObject } from "../../protocol/json.ts";

export type Schema = boolean | Record<string, unknown>;

/** A value and where it stands in the answer. */
export interface Place {
  value: unknown;
  path: string;
}

export interface Check {
  root: Schema;
  problems: string[];
  /** Shared by all parts of one check: some schemas would take for ever. */
  steps: { left: number };
  depth: number;
}

export function where({ path }: Place): string {
  return path === "" ? "the answer" : path;
}

/** What `#/$defs/name` and the like mean; undefined where there is nothing. */
export function resolveReference(root: Schema, reference: string): Schema | undefined {
  if (!/^#(?:\/|$)/.test(reference)) return undefined;
  let current: unknown = root;
  for (const word of reference.split("/").slice(1)) {
    const name = decodeWord(word);
    const fields = Array.isArray(current) ? Object.fromEntries(current.entries()) : asObject(current);
    if (name === undefined || fields === undefined || !Object.hasOwn(fields, name)) return undefined;
    current = fields[name];
  }
  return typeof current === "boolean" || asObject(current) !== undefined ? (current as Schema) : undefined;
}

function decodeWord(word: string): string | undefined {
  try {
    return decodeURIComponent(word).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return undefined;
  }
}
