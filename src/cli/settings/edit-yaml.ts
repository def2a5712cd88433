import { yamlPositions } from "../../models/yaml-positions.ts";
import { asObject, at } from "../../protocol/json.ts";

/**
 * The text with one value set and everything else, comments included, left as it is. undefined where that cannot be done
 * safely: an edit counts only if the new text parses to exactly the old document with that one value changed.
 */
export function setYamlValue(text: string, path: string[], value: unknown): string | undefined {
  const before = parse(text);
  if (before === undefined) return undefined;
  if (Bun.deepEquals(at(before.document, ...path), value)) return text;
  const wanted = withValue(before.document ?? {}, path, value);
  return edits(text, { path, value, document: before.document }).find(
    (edited) => Bun.deepEquals(parse(edited)?.document, wanted) && yamlPositions(edited).repeatedKeys().length === 0,
  );
}

interface Edit {
  path: string[];
  value: unknown;
  document: unknown;
}

/** The ways to write it, best first. */
function edits(text: string, edit: Edit): string[] {
  return [replaceLine(text, edit), ...insertBelowParents(text, edit), appendAll(text, edit)].filter(
    (edited) => edited !== undefined,
  );
}

/** The value stands on one line behind its key. */
function replaceLine(text: string, { path, value, document }: Edit): string | undefined {
  if (at(document, ...path) === undefined) return undefined;
  const lines = text.split("\n");
  const index = yamlPositions(text).find(path).line - 1;
  const match = /^(\s*(?:"[^"]*"|'[^']*'|[^\s:#]+)\s*:)([^#]*?)(\s+#.*)?$/.exec(lines[index] ?? "");
  if (match === null) return undefined;
  lines[index] = `${match[1]} ${Bun.YAML.stringify(value)}${match[3] ?? ""}`;
  return lines.join("\n");
}

/** Below the deepest parent that is there, right behind its own line. */
function insertBelowParents(text: string, { path, value, document }: Edit): (string | undefined)[] {
  return path.slice(1).map((_, index) => {
    const depth = path.length - 1 - index;
    const parent = path.slice(0, depth);
    if (asObject(at(document, ...parent)) === undefined && at(document, ...parent) !== null) return undefined;
    const lines = text.split("\n");
    const line = yamlPositions(text).find(parent).line;
    const indent = /^\s*/.exec(lines[line] ?? "")?.[0] || "  ".repeat(depth);
    lines[line - 1] = (lines[line - 1] ?? "").replace(/:\s*(\{\s*\}|~|null)(?=\s*(#|$))/, ":");
    lines.splice(line, 0, block(path.slice(depth), value, indent));
    return lines.join("\n");
  });
}

function appendAll(text: string, { path, value }: Edit): string {
  const start = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  return `${start}${block(path, value, "")}\n`;
}

function block(path: string[], value: unknown, indent: string): string {
  // Written and read back, so that what two places share is spelt out twice instead of with an alias.
  const own: unknown = JSON.parse(JSON.stringify(value));
  const nested = path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), own);
  const lines = Bun.YAML.stringify(nested, null, 2).trimEnd().split("\n");
  return lines.map((line) => `${indent}${line}`).join("\n");
}

function parse(text: string): { document: unknown } | undefined {
  try {
    return { document: Bun.YAML.parse(text) ?? undefined };
  } catch {
    return undefined;
  }
}

function withValue(document: unknown, path: string[], value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  const object = asObject(document) ?? {};
  return { ...object, [key]: withValue(object[key], rest, value) };
}
