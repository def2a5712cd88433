import {
  addEntry,
  atEnd,
  current,
  isSpace,
  MAX_DEPTH,
  readQuoted,
  skipLine,
  skipProperties,
  skipSpaces,
  type YamlNode,
  type YamlScan,
} from "./yaml-scan.ts";

// Places inside `{…}` and `[…]`, which is also all of JSON. Every step moves forward, whatever the text holds.

const CLOSER = { "{": "}", "[": "]" } as const;

export function flowNode(scan: YamlScan): YamlNode {
  skipFlowBlank(scan);
  skipProperties(scan);
  const at = scan.offset;
  const first = current(scan);
  if ((first === "{" || first === "[") && scan.depth < MAX_DEPTH) return flowCollection(scan, first);
  readFlowScalar(scan);
  return { at };
}

function flowCollection(scan: YamlScan, opener: "{" | "["): YamlNode {
  const closer = CLOSER[opener];
  const node: YamlNode = opener === "{" ? { at: scan.offset, entries: new Map() } : { at: scan.offset, items: [] };
  scan.open.push({ closer, at: scan.offset });
  scan.offset++;
  scan.depth++;
  while (!atEnd(scan) && !closes(scan, closer)) {
    if (",}]".includes(current(scan))) scan.offset++;
    else readMember(scan, node);
  }
  scan.depth--;
  return node;
}

function closes(scan: YamlScan, closer: string): boolean {
  skipFlowBlank(scan);
  if (current(scan) !== closer) return false;
  scan.offset++;
  scan.open.pop();
  return true;
}

function readMember(scan: YamlScan, node: YamlNode): void {
  if (node.items !== undefined) {
    node.items.push(flowNode(scan));
    if (!skipColon(scan)) return;
    flowNode(scan);
    return;
  }
  skipProperties(scan);
  const at = scan.offset;
  const key = readFlowScalar(scan);
  const value = skipColon(scan) ? flowValue(scan) : { at };
  addEntry(node, { key, at }, value);
}

function flowValue(scan: YamlScan): YamlNode {
  skipFlowBlank(scan);
  return !atEnd(scan) && ",}]".includes(current(scan)) ? { at: scan.offset } : flowNode(scan);
}

function skipColon(scan: YamlScan): boolean {
  skipFlowBlank(scan);
  if (current(scan) !== ":") return false;
  scan.offset++;
  return true;
}

/** Takes at least one character unless the text has ended. */
function readFlowScalar(scan: YamlScan): string {
  if (current(scan) === '"' || current(scan) === "'") return readQuoted(scan);
  const start = scan.offset;
  if (!atEnd(scan)) scan.offset++;
  while (!endsPlain(scan)) scan.offset++;
  return scan.text.slice(start, scan.offset).trimEnd();
}

function endsPlain(scan: YamlScan): boolean {
  const character = current(scan);
  if (character === "" || ",[]{}\n".includes(character)) return true;
  const next = scan.text[scan.offset + 1];
  if (character === ":") return isSpace(next) || ",[]{}".includes(next ?? "");
  return character === "#" && isSpace(scan.text[scan.offset - 1]);
}

function skipFlowBlank(scan: YamlScan): void {
  for (;;) {
    skipSpaces(scan);
    const character = current(scan);
    if (character === "#" && isSpace(scan.text[scan.offset - 1])) skipLine(scan);
    else if (character === "\n" || character === "\r") scan.offset++;
    else return;
  }
}
