import { expandBraces, globExpression } from "../system/glob-pattern.ts";

/** One .gitignore file. Paths are relative to its folder, with `/` and without one at the end. */
export interface IgnoreRules {
  /** What the last rule says that fits; undefined when none does. */
  verdict(path: string, isDirectory: boolean): "ignored" | "kept" | undefined;
}

export function parseIgnoreRules(text: string): IgnoreRules {
  const rules = text
    .replace(/^\ufeff/, "")
    .split("\n")
    .flatMap((line) => parseRule(line.replace(/\r$/, "")) ?? [])
    .reverse();
  return {
    verdict(path, isDirectory) {
      const name = path.slice(path.lastIndexOf("/") + 1);
      const rule = rules.find(
        ({ expression, onlyDirectories, isAnchored }) =>
          (isDirectory || !onlyDirectories) && expression.test(isAnchored ? path : name),
      );
      if (rule === undefined) return undefined;
      return rule.isNegated ? "kept" : "ignored";
    },
  };
}

/** A filter as people write it: `*.{ts,tsx}` anywhere, `src/**` from the top. One that can fit nothing fits nothing. */
export function pathFilter(pattern: string): (path: string) => boolean {
  const rules = parseIgnoreRules(expandBraces(pattern).map(protectFirst).join("\n"));
  return (path) => rules.verdict(path, false) === "ignored";
}

interface Rule {
  expression: RegExp;
  isNegated: boolean;
  onlyDirectories: boolean;
  /** Fits the whole path, not only the name. */
  isAnchored: boolean;
}

function parseRule(line: string): Rule | undefined {
  if (line.startsWith("#")) return undefined;
  const isNegated = line.startsWith("!");
  const text = withoutTrailingSpaces(isNegated ? line.slice(1) : line);
  const onlyDirectories = text.endsWith("/");
  const body = onlyDirectories ? text.slice(0, -1) : text;
  const isAnchored = body.includes("/");
  const pattern = body.startsWith("/") ? body.slice(1) : body;
  const expression = pattern === "" ? undefined : globExpression(pattern);
  return expression === undefined ? undefined : { expression, isNegated, onlyDirectories, isAnchored };
}

/** A space that is escaped stays. */
function withoutTrailingSpaces(text: string): string {
  const trimmed = text.replace(/ +$/, "");
  const escapes = /\\*$/.exec(trimmed)?.[0].length ?? 0;
  return escapes % 2 === 1 && trimmed.length < text.length ? `${trimmed} ` : trimmed;
}

/** In a filter `#` and `!` at the start are letters. */
function protectFirst(pattern: string): string {
  return /^[#!]/.test(pattern) ? `\\${pattern}` : pattern;
}
