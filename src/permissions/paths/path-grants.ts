import { type GlobPlaces, pathGlob } from "./path-globs.ts";
import type { PathAccess } from "./path-request.ts";

// Rules that let something out of the workspace. The scopes are independent: whoever may write may not read because of it.

export type GrantScope = "Read" | "Write" | "Bash";

export interface PathGrant {
  scope: GrantScope;
  glob: string;
}

/** Undefined for a rule that is not about paths, or that nobody can read: it grants nothing. */
export function parseGrant(rule: string): PathGrant | undefined {
  const groups = /^\s*(?<scope>Read|Write|Bash)\((?<glob>.+)\)\s*$/s.exec(rule)?.groups;
  return groups?.scope === undefined || groups.glob === undefined
    ? undefined
    : { scope: groups.scope as GrantScope, glob: groups.glob };
}

/** The rules that allow all of `access` to the path; undefined where one is missing. */
export function grantsFor(
  path: string,
  access: readonly PathAccess[],
  { rules, places }: { rules: readonly string[]; places: GlobPlaces },
): string[] | undefined {
  const found: string[] = [];
  for (const kind of access) {
    const rule = rules.find((text) => {
      const grant = parseGrant(text);
      return grant?.scope === SCOPE_OF[kind] && pathGlob(grant.glob, places)(path);
    });
    if (rule === undefined) return undefined;
    if (!found.includes(rule)) found.push(rule);
  }
  return found;
}

const SCOPE_OF: Record<PathAccess, GrantScope> = { read: "Read", write: "Write" };
