import { flowNode } from "./yaml-flow.ts";
import {
  addEntry,
  atEnd,
  columnOf,
  current,
  isSpace,
  MAX_DEPTH,
  readQuoted,
  skipLine,
  skipProperties,
  skipSpaces,
  startScan,
  type YamlKey,
  type YamlNode,
  type YamlScan,
} from "./yaml-scan.ts";

// Where every key and item of a YAML text stands. This is not a YAML parser: it reads values only as far as it must to find
// the next key. It is total; what it does not understand (explicit keys, aliases, merges) has no place of its own.

export function scanYaml(text: string): { root: YamlNode; scan: YamlScan } {
  const scan = startScan(text);
  return { root: blockNode(scan, -1, false), scan };
}

/** A node whose first character stands further right than its parent, or a sequence right below its key. */
function blockNode(scan: YamlScan, parent: number, sequenceMayAlign: boolean): YamlNode {
  skipBlank(scan);
  const column = columnOf(scan);
  const aligned = sequenceMayAlign && column === parent && atDash(scan);
  if (atEnd(scan) || (column <= parent && !aligned)) return { at: scan.offset };
  return contentNode(scan, parent);
}

function contentNode(scan: YamlScan, parent: number): YamlNode {
  const column = columnOf(scan);
  skipProperties(scan);
  if (atLineEnd(scan)) return blockNode(scan, parent, true);
  scan.depth++;
  const node = (scan.depth < MAX_DEPTH ? collection(scan, column) : undefined) ?? scalarOrFlow(scan, parent);
  scan.depth--;
  return node;
}

function collection(scan: YamlScan, column: number): YamlNode | undefined {
  if (atDash(scan)) return blockSequence(scan, column);
  const first = readKey(scan);
  return first === undefined ? undefined : blockMapping(scan, column, first);
}

function blockSequence(scan: YamlScan, column: number): YamlNode {
  const items: YamlNode[] = [];
  const node: YamlNode = { at: scan.offset, items };
  do {
    scan.offset++;
    skipSpaces(scan);
    items.push(atLineEnd(scan) ? blockNode(scan, column, false) : contentNode(scan, column));
    skipBlank(scan);
  } while (columnOf(scan) === column && atDash(scan));
  return node;
}

function blockMapping(scan: YamlScan, column: number, first: YamlKey): YamlNode {
  const node: YamlNode = { at: first.at, entries: new Map() };
  for (let key: YamlKey | undefined = first; key !== undefined; ) {
    addEntry(node, key, valueNode(scan, column));
    skipBlank(scan);
    key = columnOf(scan) === column && !atDash(scan) ? readKey(scan) : undefined;
  }
  return node;
}

function valueNode(scan: YamlScan, column: number): YamlNode {
  skipProperties(scan);
  return atLineEnd(scan) ? blockNode(scan, column, true) : scalarOrFlow(scan, column);
}

function scalarOrFlow(scan: YamlScan, parent: number): YamlNode {
  const at = scan.offset;
  const first = current(scan);
  if (first === "{" || first === "[") {
    const node = flowNode(scan);
    skipLine(scan);
    return node;
  }
  if (first === '"' || first === "'") readQuoted(scan);
  skipLine(scan);
  if (first !== '"' && first !== "'") skipDeeperLines(scan, parent, first === "|" || first === ">");
  return { at };
}

/** The further lines of a scalar. In a literal text a line that looks like a comment belongs to it. */
function skipDeeperLines(scan: YamlScan, parent: number, literal: boolean): void {
  while (!atEnd(scan)) {
    const start = scan.offset;
    skipSpaces(scan);
    const passable = atLineEnd(scan) && (current(scan) !== "#" || !literal);
    if (!passable && scan.offset - start <= parent) {
      scan.offset = start;
      return;
    }
    skipLine(scan);
  }
}

/** A key, moved behind its colon; or undefined with the offset where it was. */
function readKey(scan: YamlScan): YamlKey | undefined {
  const at = scan.offset;
  const key = current(scan) === '"' || current(scan) === "'" ? quotedKey(scan) : plainKey(scan);
  if (key !== undefined) return { key, at };
  scan.offset = at;
  scan.openQuote = undefined;
  return undefined;
}

function quotedKey(scan: YamlScan): string | undefined {
  const start = scan.offset;
  const key = readQuoted(scan);
  skipSpaces(scan);
  if (current(scan) !== ":" || !isSpace(scan.text[scan.offset + 1])) return undefined;
  if (scan.text.slice(start, scan.offset).includes("\n")) return undefined;
  scan.offset++;
  return key;
}

function plainKey(scan: YamlScan): string | undefined {
  if ("[]{},#|>@`%*".includes(current(scan))) return undefined;
  const start = scan.offset;
  for (; !atEnd(scan) && current(scan) !== "\n"; scan.offset++) {
    const next = scan.text[scan.offset + 1];
    if (current(scan) === ":" && isSpace(next)) {
      scan.offset++;
      return scan.text.slice(start, scan.offset - 1).trimEnd();
    }
    if (next === "#" && isSpace(current(scan))) return undefined;
  }
  return undefined;
}

/** Blank lines, comments, directives and document marks. */
function skipBlank(scan: YamlScan): void {
  while (!atEnd(scan)) {
    const character = current(scan);
    if (character === "#" || atDirective(scan)) skipLine(scan);
    else if (atDocumentMark(scan)) scan.offset += 3;
    else if (isSpace(character)) scan.offset++;
    else return;
  }
}

function atDirective(scan: YamlScan): boolean {
  return current(scan) === "%" && columnOf(scan) === 0;
}

function atDocumentMark(scan: YamlScan): boolean {
  const mark = scan.text.startsWith("---", scan.offset) || scan.text.startsWith("...", scan.offset);
  return mark && columnOf(scan) === 0 && isSpace(scan.text[scan.offset + 3]);
}

function atDash(scan: YamlScan): boolean {
  return current(scan) === "-" && isSpace(scan.text[scan.offset + 1]);
}

function atLineEnd(scan: YamlScan): boolean {
  const character = current(scan);
  return "\r\n".includes(character) || (character === "#" && isSpace(scan.text[scan.offset - 1]));
}
