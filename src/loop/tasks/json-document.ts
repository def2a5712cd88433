// A JSON text as a tree that remembers where each value stands, so that one value can be changed and every other character stays.

export type JsonNode =
  | { type: "object"; start: number; end: number; members: JsonMember[] }
  | { type: "array"; start: number; end: number; items: JsonNode[] }
  | { type: "scalar"; start: number; end: number };

export interface JsonMember {
  key: string;
  /** Where the quote before the key stands. */
  start: number;
  value: JsonNode;
}

export interface JsonDocument {
  text: string;
  root: JsonNode;
  /** Keys that stand twice in one object: the path of the second, and its line. At most a hundred. */
  duplicates: readonly { path: string; line: number }[];
}

export type ParsedJson = { ok: true; document: JsonDocument } | { ok: false; message: string };

/** A byte order mark at the beginning is passed over. Total: whatever the text is, no exception. */
export function parseJson(text: string): ParsedJson {
  const scan: Scan = { text, at: text.startsWith("\uFEFF") ? 1 : 0, duplicates: [] };
  try {
    const root = readValue(scan, "", 0);
    skipBlanks(scan);
    if (scan.at < text.length) throw new Unreadable(scan.at, "nothing may follow the end of the document");
    return { ok: true, document: { text, root, duplicates: scan.duplicates } };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    const { line, column } = placeIn(text, error.offset);
    return { ok: false, message: `line ${line}, column ${column}: ${error.message}` };
  }
}

/** The value at a node. */
export function valueAt(document: JsonDocument, node: JsonNode): unknown {
  return JSON.parse(document.text.slice(node.start, node.end));
}

export function memberOf(node: JsonNode | undefined, key: string): JsonNode | undefined {
  return node?.type === "object" ? node.members.find((member) => member.key === key)?.value : undefined;
}

export function itemsOf(node: JsonNode | undefined): readonly JsonNode[] {
  return node?.type === "array" ? node.items : [];
}

const MOST_LEVELS = 100;
const MOST_DUPLICATES = 100;

interface Scan {
  text: string;
  at: number;
  duplicates: { path: string; line: number }[];
}

class Unreadable extends Error {
  constructor(
    readonly offset: number,
    message: string,
  ) {
    super(message);
  }
}

function readValue(scan: Scan, path: string, level: number): JsonNode {
  skipBlanks(scan);
  if (level > MOST_LEVELS) throw new Unreadable(scan.at, `more than ${MOST_LEVELS} levels of brackets`);
  const first = scan.text[scan.at];
  if (first === "{") return readObject(scan, path, level);
  if (first === "[") return readArray(scan, path, level);
  const start = scan.at;
  if (first === '"') readString(scan);
  else readWord(scan);
  return { type: "scalar", start, end: scan.at };
}

function readObject(scan: Scan, path: string, level: number): JsonNode {
  const start = scan.at++;
  const members: JsonMember[] = [];
  const seen = new Set<string>();
  if (!closes(scan, "}")) {
    do members.push(readMember(scan, { path, level, seen }));
    while (goesOn(scan, "}"));
  }
  return { type: "object", start, end: scan.at, members };
}

function readMember(scan: Scan, { path, level, seen }: { path: string; level: number; seen: Set<string> }): JsonMember {
  skipBlanks(scan);
  const start = scan.at;
  if (scan.text[start] !== '"') throw new Unreadable(start, `a key in double quotes is expected, not ${seenAt(scan)}`);
  readString(scan);
  const key: string = JSON.parse(scan.text.slice(start, scan.at));
  const own = path === "" ? key : `${path}.${key}`;
  if (seen.has(key) && scan.duplicates.length < MOST_DUPLICATES)
    scan.duplicates.push({ path: own, line: placeIn(scan.text, start).line });
  seen.add(key);
  skipBlanks(scan);
  if (scan.text[scan.at] !== ":") throw new Unreadable(scan.at, `":" is expected after the key, not ${seenAt(scan)}`);
  scan.at++;
  return { key, start, value: readValue(scan, own, level + 1) };
}

function readArray(scan: Scan, path: string, level: number): JsonNode {
  const start = scan.at++;
  const items: JsonNode[] = [];
  if (!closes(scan, "]")) {
    do items.push(readValue(scan, `${path}[${items.length}]`, level + 1));
    while (goesOn(scan, "]"));
  }
  return { type: "array", start, end: scan.at, items };
}

function closes(scan: Scan, bracket: string): boolean {
  skipBlanks(scan);
  if (scan.text[scan.at] !== bracket) return false;
  scan.at++;
  return true;
}

function goesOn(scan: Scan, bracket: string): boolean {
  if (closes(scan, bracket)) return false;
  if (scan.text[scan.at] !== ",") throw new Unreadable(scan.at, `"," or "${bracket}" is expected, not ${seenAt(scan)}`);
  const comma = scan.at++;
  skipBlanks(scan);
  if (scan.text[scan.at] === bracket) throw new Unreadable(comma, `a comma before "${bracket}" is one too many`);
  return true;
}

function readString(scan: Scan): void {
  const start = scan.at++;
  for (; ; scan.at++) {
    const code = scan.text.charCodeAt(scan.at);
    if (Number.isNaN(code)) throw new Unreadable(start, "the quotes opened here are never closed");
    if (code === QUOTE) break;
    if (code < 0x20) throw new Unreadable(scan.at, "a line break or control character inside quotes; write it as \\n");
    if (code === BACKSLASH) readEscape(scan);
  }
  scan.at++;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

function readEscape(scan: Scan): void {
  ESCAPE.lastIndex = scan.at;
  const match = ESCAPE.exec(scan.text);
  if (match === null) throw new Unreadable(scan.at, "an unknown escape; a backslash is written as \\\\");
  scan.at += match[0].length - 1;
}

const WORD = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

function readWord(scan: Scan): void {
  WORD.lastIndex = scan.at;
  const match = WORD.exec(scan.text);
  if (match === null) throw new Unreadable(scan.at, `a value is expected, not ${seenAt(scan)}`);
  scan.at += match[0].length;
}

const BLANKS = /[ \t\r\n]*/y;

function skipBlanks(scan: Scan): void {
  BLANKS.lastIndex = scan.at;
  scan.at += BLANKS.exec(scan.text)?.[0].length ?? 0;
}

function seenAt({ text, at }: Scan): string {
  return at < text.length ? JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 0)) : "the end of the file";
}

function placeIn(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
