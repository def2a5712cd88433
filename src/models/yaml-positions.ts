import type { YamlEntry, YamlNode } from "./yaml-scan.ts";
import { scanYaml } from "./yaml-tree.ts";

// From a path such as ["providers", "my", "models", 0, "id"] to the line where it stands, for texts whose parser tells none.

export type PathPart = string | number;

/** Both count from 1. */
export interface Position {
  line: number;
  column: number;
}

export interface RepeatedKey {
  path: PathPart[];
  first: Position;
  again: Position;
}

export interface YamlPositions {
  /** Where the key or item stands; where it is missing, the nearest of its parents. */
  find(path: PathPart[]): Position;
  repeatedKeys(): RepeatedKey[];
}

const START: Position = { line: 1, column: 1 };
/** More repeated keys than a person wants to read about. */
const MAX_REPEATED = 100;

export function yamlPositions(source: string): YamlPositions {
  const text = source.startsWith("\ufeff") ? source.slice(1) : source;
  const { root } = scanYaml(text);
  return {
    find(path) {
      const offset = findOffset(root, path);
      return offset === undefined ? START : positionAt(text, offset);
    },
    repeatedKeys() {
      return repeatedBelow(root, text);
    },
  };
}

export function positionAt(text: string, offset: number): Position {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf("\n"); end !== -1 && end < offset; end = text.indexOf("\n", start)) {
    line++;
    start = end + 1;
  }
  return { line, column: offset - start + 1 };
}

/** `providers.my.models[0].id`; keys that are not plain words are quoted: `modelOverrides["a/b"]`. */
export function formatPath(path: PathPart[]): string {
  return path
    .map((part, index) => {
      if (typeof part === "number") return `[${part}]`;
      if (!/^[A-Za-z0-9_-]+$/.test(part)) return `[${JSON.stringify(part)}]`;
      return index === 0 ? part : `.${part}`;
    })
    .join("");
}

function findOffset(root: YamlNode, path: PathPart[]): number | undefined {
  let node = root;
  let found: number | undefined;
  for (const part of path) {
    const entry: YamlEntry | undefined = typeof part === "number" ? itemAt(node, part) : node.entries?.get(part);
    if (entry === undefined) return found;
    found = entry.at;
    node = entry.value;
  }
  return found;
}

function itemAt(node: YamlNode, index: number): YamlEntry | undefined {
  const item = node.items?.[index];
  return item === undefined ? undefined : { at: item.at, value: item };
}

function repeatedBelow(root: YamlNode, text: string): RepeatedKey[] {
  const found: RepeatedKey[] = [];
  const waiting: { node: YamlNode; path: PathPart[] }[] = [{ node: root, path: [] }];
  for (let next = waiting.pop(); next !== undefined && found.length < MAX_REPEATED; next = waiting.pop()) {
    const { node, path } = next;
    for (const { key, at } of node.repeated ?? []) {
      const first = node.entries?.get(key)?.at ?? at;
      found.push({ path: [...path, key], first: positionAt(text, first), again: positionAt(text, at) });
    }
    for (const [key, entry] of node.entries ?? []) waiting.push({ node: entry.value, path: [...path, key] });
    for (const [index, item] of (node.items ?? []).entries()) waiting.push({ node: item, path: [...path, index] });
  }
  return found.slice(0, MAX_REPEATED).sort((a, b) => a.again.line - b.again.line);
}
