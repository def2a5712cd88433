// The places of keys and items in a YAML text, and the steps that reading them is made of.

export interface YamlNode {
  /** Offset of the value's first character. */
  at: number;
  entries?: Map<string, YamlEntry>;
  items?: YamlNode[];
  /** Keys that were already there. */
  repeated?: YamlKey[];
}

export interface YamlKey {
  key: string;
  /** Offset of the key. */
  at: number;
}

export interface YamlEntry {
  at: number;
  value: YamlNode;
}

export interface YamlScan {
  text: string;
  offset: number;
  depth: number;
  /** The line the offset was last seen on, as offsets of its first character and of its line break. */
  line: { start: number; end: number };
  /** Brackets that are open at the offset, outermost first. */
  open: { closer: "}" | "]"; at: number }[];
  /** The quote that was still open where the text ended. */
  openQuote?: string;
}

export const MAX_DEPTH = 100;

export function startScan(text: string): YamlScan {
  return { text, offset: 0, depth: 0, line: { start: 0, end: lineEnd(text, 0) }, open: [] };
}

export function addEntry(node: YamlNode, { key, at }: YamlKey, value: YamlNode): void {
  node.entries ??= new Map();
  if (!node.entries.has(key)) {
    node.entries.set(key, { at, value });
    return;
  }
  node.repeated ??= [];
  node.repeated.push({ key, at });
}

/** The character at the offset; empty at the end of the text. */
export function current(scan: YamlScan): string {
  return scan.text[scan.offset] ?? "";
}

export function atEnd(scan: YamlScan): boolean {
  return scan.offset >= scan.text.length;
}

export function isSpace(character: string | undefined): boolean {
  return character === undefined || character === "" || /\s/.test(character);
}

export function skipSpaces(scan: YamlScan): void {
  while (current(scan) === " " || current(scan) === "\t") scan.offset++;
}

export function skipLine(scan: YamlScan): void {
  scan.offset = Math.min(lineEnd(scan.text, scan.offset) + 1, scan.text.length);
}

/** Anchors and tags say nothing about places. */
export function skipProperties(scan: YamlScan): void {
  for (;;) {
    skipSpaces(scan);
    if (current(scan) !== "&" && current(scan) !== "!") return;
    while (!isSpace(current(scan)) && !"[]{},".includes(current(scan))) scan.offset++;
    if ("[]{},".includes(current(scan)) && !atEnd(scan)) return;
  }
}

/** Moves behind the closing quote; what stands between is returned with its escapes undone. */
export function readQuoted(scan: YamlScan): string {
  const quote = current(scan);
  const start = scan.offset + 1;
  scan.offset = closingQuote(scan.text, start, quote);
  const text = scan.text.slice(start, scan.offset);
  if (atEnd(scan)) scan.openQuote = quote;
  else scan.offset++;
  return quote === "'" ? text.replaceAll("''", "'") : unescaped(text);
}

export function columnOf(scan: YamlScan): number {
  const { offset, line } = scan;
  if (offset < line.start || offset > line.end) {
    const start = offset === 0 ? 0 : scan.text.lastIndexOf("\n", offset - 1) + 1;
    scan.line = { start, end: lineEnd(scan.text, offset) };
  }
  return offset - scan.line.start;
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end === -1 ? text.length : end;
}

function closingQuote(text: string, start: number, quote: string): number {
  for (let offset = start; offset < text.length; offset++) {
    const character = text[offset];
    const escaped = quote === '"' ? character === "\\" : character === quote && text[offset + 1] === quote;
    if (escaped) offset++;
    else if (character === quote) return offset;
  }
  return text.length;
}

function unescaped(text: string): string {
  if (!text.includes("\\")) return text;
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return text;
  }
}
