import { globExpression } from "../../system/glob-pattern.ts";
import { plainText } from "./fold-name.ts";
import { resolveSafely } from "./resolve-safely.ts";

// Globs of rules and settings: `*` stays in one name, `**` goes through folders, `X/**` is X too, `~` is the home.

export interface GlobPlaces {
  /** Where relative globs begin, absolute. */
  root: string;
  home: string | undefined;
  /** Links in the part of a glob without wildcards are followed. */
  isOnDisk: boolean;
}

export type PathTest = (path: string) => boolean;

/** For absolute paths without links. A glob that means nothing fits nothing. */
export function pathGlob(glob: string, places: GlobPlaces): PathTest {
  const absolute = absoluteGlob(glob, places);
  if (absolute === undefined || absolute === "") return () => false;
  const forms = new Set([absolute, places.isOnDisk ? resolvedGlob(absolute) : absolute]);
  const expressions = [...forms].flatMap((form) => [form, form.replace(/\/\*\*\/?$/, "")]).map(globExpression);
  return (path) => expressions.some((expression) => expression?.test(path));
}

/**
 * For names nobody may touch: as strict as it can be read. Case and width do not matter, a glob without a slash fits at any
 * depth, and what stands below a fitting folder fits.
 */
export function protectedGlob(glob: string, places: GlobPlaces): PathTest {
  const text = glob.trim();
  const plain = text.replace(/\/(\*\*)?$/, "");
  const isAnywhere = text.startsWith("**/") || !/\/.|^~/.test(text);
  const absolute = isAnywhere ? `/**/${plain.replace(/^(\*\*\/)+/, "")}` : absoluteGlob(plain, places);
  if (text === "" || absolute === undefined) return () => false;
  const forms = new Set([absolute, places.isOnDisk && !isAnywhere ? resolvedGlob(absolute) : absolute]);
  const expressions = [...forms]
    .map(foldText)
    .flatMap((form) => [form, `${form}/**`])
    .map(globExpression);
  return (path) => expressions.some((expression) => expression?.test(foldText(path)));
}

function absoluteGlob(glob: string, { root, home }: GlobPlaces): string | undefined {
  const text = glob.trim().replace(/^\.\//, "");
  if (text === "" || text.startsWith("/")) return text;
  if (/^~(\/|$)/.test(text)) return home === undefined ? undefined : `${escaped(home)}${text.slice(1)}`;
  return text === "." ? escaped(root) : `${escaped(root)}/${text}`;
}

function resolvedGlob(glob: string): string {
  const parts = glob.split("/");
  const wild = parts.findIndex((part) => /(?<!\\)[*?[]/.test(part));
  const fixed = parts.slice(0, wild < 0 ? parts.length : wild).join("/");
  const resolved = resolveSafely(fixed.replace(/\\(.)/g, "$1"));
  if (!resolved.ok || fixed === "") return glob;
  const start = resolved.path === "/" ? "" : escaped(resolved.path);
  return wild < 0 ? start || "/" : `${start}/${parts.slice(wild).join("/")}`;
}

function escaped(path: string): string {
  return path.replace(/[*?[\]\\]/g, "\\$&");
}

function foldText(text: string): string {
  return plainText(text).toUpperCase().toLowerCase();
}
