import { expandBraces, type GlobExpression, globExpression } from "../system/glob-pattern.ts";

/** One .gitignore file. Paths are relative to its folder, with `/` and without one at the end. */
export interface IgnoreRules {
  /** What the last rule says that fits; undefined when none does. */
  verdict(path: string, isDirectory: boolean): "ignored" | "kept" | undefined;
}

/** More than any project needs; beyond them a file only costs time. */
const MOST_RULES = 10_000;
const LONGEST_RULE = 4096;

/** Rules after the first ten thousand, and those longer than a path can be, are passed over. */
export function parseIgnoreRules(text: string): IgnoreRules {
  const rules = text
    .replace(/^\ufeff/, "")
    .split("\n", MOST_RULES)
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
  expression: GlobExpression;
  isNegated: boolean;
  onlyDirectories: boolean;
  /** Fits the whole path, not only the name. */
  isAnchored: boolean;
}

function parseRule(line: string): Rule | undefined {
  if (line.startsWith("#") || line.length > LONGEST_RULE) return undefined;
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
  let end = text.length;
  while (text[end - 1] === " ") end--;
  let escapes = 0;
  while (text[end - 1 - escapes] === "\\") escapes++;
  return text.slice(0, escapes % 2 === 1 ? end + 1 : end);
}

/** In a filter `#` and `!` at the start are letters. */
function protectFirst(pattern: string): string {
  return /^[#!]/.test(pattern) ? `\\${pattern}` : pattern;
}
