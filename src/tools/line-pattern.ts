import type { LinePattern } from "./line-matcher.ts";

export type PatternResult = { ok: true; pattern: LinePattern } | { ok: false; message: string };

/** A model's expression for our own engine. Flags at its start, `(?i)`, are understood as other engines write them. */
export function linePattern(given: string, isCaseSensitive: boolean): PatternResult {
  const leading = /^\(\?(?<flags>[ims]+)\)/.exec(given);
  const source = given.slice(leading?.[0].length ?? 0);
  const wanted = new Set(leading?.groups?.flags ?? "");
  if (!isCaseSensitive) wanted.add("i");
  const flags = [...wanted].join("");
  // With `u` first, for \p{…}; without it escapes that mean nothing are forgiven.
  for (const all of [`${flags}u`, flags])
    if (compiles(source, all) === undefined) return { ok: true, pattern: { source, flags: all } };
  return {
    ok: false,
    message: `The pattern is no regular expression: ${compiles(source, flags)}. Escape characters that stand for themselves.`,
  };
}

function compiles(source: string, flags: string): string | undefined {
  try {
    new RegExp(source, flags);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
