import { relative, resolve, sep } from "node:path";
import { expandBraces, globExpression } from "../../system/glob-pattern.ts";

/** Where a condition is looked for. Without a name any tool is meant, without a glob any file. */
export type Scope = { type: "text" } | { type: "thinking" } | { type: "tool"; name?: string; glob?: string };

/** What a model says or hands to a tool. */
export type AnswerSource = { type: "text" } | { type: "thinking" } | { type: "tool"; name: string };

export const DEFAULT_SCOPES: readonly Scope[] = [{ type: "text" }, { type: "tool" }];

const TOKEN = /^(?:tool:)?([A-Za-z0-9_.-]+)(?:\(([^()]*)\))?$/;

/** `text`, `thinking`, `tool`, `tool:<name>`, `tool:<name>(glob)`, `<name>(glob)`; undefined for anything else. */
export function parseScope(token: string): Scope | undefined {
  const trimmed = token.trim();
  if (trimmed === "text" || trimmed === "thinking") return { type: trimmed };
  const [, name, glob] = TOKEN.exec(trimmed) ?? [];
  const isNamed = trimmed.startsWith("tool:");
  if (name === undefined || glob?.trim() === "") return undefined;
  // A name alone could be a mistyped source, so it takes a glob or `tool:` to make it one of a tool.
  if (!isNamed && name !== "tool" && glob === undefined) return undefined;
  const isAny = name === "tool" && !isNamed;
  return { type: "tool", ...(isAny ? {} : { name }), ...(glob === undefined ? {} : { glob: glob.trim() }) };
}

/** A list in one text, cut at commas that stand in no brackets. */
export function splitScopes(text: string): string[] {
  return text
    .split(/,(?![^({]*[)}])/)
    .map((token) => token.trim())
    .filter((token) => token !== "");
}

/** Something like `*.ts` or `src/**`: a star where a name begins, and nothing that only expressions have. */
export function looksLikeGlob(condition: string): boolean {
  return /^[\w.\-/*?{},@![\]]+$/.test(condition) && /(^|\/)\*/.test(condition);
}

/** What writes a text into a file. A condition that is a glob watches these. */
const WRITING_TOOLS = ["edit", "write", "append_file", "apply_delta"];

export function scopesOfGlob(glob: string): string[] {
  return WRITING_TOOLS.map((name) => `tool:${name}(${glob})`);
}

export interface GlobPlaces {
  /** The top folder of the project, absolute: globs count from here. */
  root: string;
  /** Where relative paths of a model count from, absolute. */
  cwd: string;
}

/** A glob without a slash fits the last name of a path, any other one the path below the root. */
export function pathFits(glob: string, path: string, { root, cwd }: GlobPlaces): boolean {
  const below = relative(root, resolve(cwd, path)).split(sep).join("/");
  const tested = glob.includes("/") ? below : (below.split("/").at(-1) ?? "");
  return expandBraces(glob.replace(/^\.?\//, "")).some((pattern) => globExpression(pattern)?.test(tested) === true);
}
