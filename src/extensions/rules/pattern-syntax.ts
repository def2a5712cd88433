// Conditions are regular expressions without lookaround and backreferences: those two cannot be tested in one pass. What is left is
// read into a tree here and run by `pattern-automaton.ts` in time that grows with the text alone.

export type PatternTree =
  | { type: "character"; test(character: string): boolean }
  | { type: "edge"; edge: Edge }
  | { type: "sequence"; parts: PatternTree[] }
  | { type: "choice"; parts: PatternTree[] }
  | { type: "repeat"; part: PatternTree; least: number; most: number };

/** What holds between two characters. Lines are those of the text, so `^` and `$` are tested at every line. */
export type Edge = "line-start" | "line-end" | "word-edge" | "no-word-edge";

export type PatternResult = { ok: true; tree: PatternTree } | { ok: false; message: string };

const MOST_CHARACTERS = 2_000;
const MOST_LEVELS = 50;

/** `(?i)` and `(?s)` at the beginning stand for the flags of JavaScript; `m` always counts. */
export function parsePattern(pattern: string): PatternResult {
  if (pattern.length > MOST_CHARACTERS) return refused(`it is longer than ${MOST_CHARACTERS} characters`);
  const leading = /^\(\?([ims]+)\)/.exec(pattern);
  const source = leading === null ? pattern : pattern.slice(leading[0].length);
  const flags = flagsFor(source, leading?.[1] ?? "");
  try {
    new RegExp(source, flags);
  } catch (error) {
    return refused(error instanceof Error ? error.message.replace(/^Invalid regular expression: /, "") : String(error));
  }
  const reader: Reader = { source, flags, at: 0, problem: undefined };
  const tree = readChoice(reader, 0);
  return reader.problem === undefined ? { ok: true, tree } : refused(reader.problem);
}

function refused(message: string): PatternResult {
  return { ok: false, message };
}

function flagsFor(source: string, leading: string): string {
  const isUnicode = /\\[pPu]\{/.test(source);
  return ["i", "s"].filter((flag) => leading.includes(flag)).join("") + (isUnicode ? "u" : "");
}

/** The source is known to be valid, so reading it needs no checks of its own. */
interface Reader {
  source: string;
  flags: string;
  at: number;
  problem: string | undefined;
}

function readChoice(reader: Reader, level: number): PatternTree {
  if (level > MOST_LEVELS) reader.problem ??= `it is nested deeper than ${MOST_LEVELS} levels`;
  const parts = [readSequence(reader, level)];
  while (reader.problem === undefined && reader.source[reader.at] === "|") {
    reader.at++;
    parts.push(readSequence(reader, level));
  }
  return { type: "choice", parts };
}

function readSequence(reader: Reader, level: number): PatternTree {
  const parts: PatternTree[] = [];
  while (reader.problem === undefined && reader.at < reader.source.length && !/[|)]/.test(here(reader))) {
    parts.push(readRepeated(reader, level));
  }
  return { type: "sequence", parts };
}

const COUNTED = /\{(\d+)(?:(,)(\d*))?\}/y;

function readRepeated(reader: Reader, level: number): PatternTree {
  const part = readPart(reader, level);
  const range = readRange(reader);
  if (range === undefined) return part;
  // Whether it takes as much or as little as it can makes no difference to whether there is a match.
  if (here(reader) === "?") reader.at++;
  return { type: "repeat", part, ...range };
}

function readRange(reader: Reader): { least: number; most: number } | undefined {
  const signs: Record<string, { least: number; most: number }> = {
    "*": { least: 0, most: Number.POSITIVE_INFINITY },
    "+": { least: 1, most: Number.POSITIVE_INFINITY },
    "?": { least: 0, most: 1 },
  };
  const sign = signs[here(reader)];
  if (sign !== undefined) {
    reader.at++;
    return sign;
  }
  const counted = matchHere(reader, COUNTED);
  if (counted === undefined) return undefined;
  const least = Number(counted[1]);
  if (counted[2] === undefined) return { least, most: least };
  return { least, most: counted[3] === "" ? Number.POSITIVE_INFINITY : Number(counted[3]) };
}

function readPart(reader: Reader, level: number): PatternTree {
  switch (here(reader)) {
    case "(":
      return readGroup(reader, level);
    case "^":
      return edge(reader, 1, "line-start");
    case "$":
      return edge(reader, 1, "line-end");
    case "[":
      return readSet(reader);
    case "\\":
      return readEscape(reader);
    default:
      return character(reader, reader.at + 1);
  }
}

const GROUP = /\((?:\?:|\?<(?![=!])[^>]*>|(?!\?))/y;

function readGroup(reader: Reader, level: number): PatternTree {
  if (matchHere(reader, GROUP) === undefined) {
    reader.problem ??= `${reader.source.slice(reader.at, reader.at + 4)}… cannot be tested in one pass: no lookahead, lookbehind or flags of a group`;
    return NOTHING;
  }
  const inner = readChoice(reader, level + 1);
  reader.at++;
  return inner;
}

const NOTHING: PatternTree = { type: "sequence", parts: [] };

function readSet(reader: Reader): PatternTree {
  let end = reader.at + 1;
  while (reader.source[end] !== "]") end += reader.source[end] === "\\" ? 2 : 1;
  return character(reader, end + 1);
}

const ESCAPE = /\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|u\{[0-9a-fA-F]+\}|[pP]\{[^}]*\}|c[A-Za-z]|[\s\S])/y;

function readEscape(reader: Reader): PatternTree {
  const escaped = matchHere(reader, ESCAPE)?.[0] ?? "\\";
  if (escaped === "\\b") return edge(reader, 0, "word-edge");
  if (escaped === "\\B") return edge(reader, 0, "no-word-edge");
  if (/^\\[1-9k]$/.test(escaped)) reader.problem ??= `${escaped} refers back, which cannot be tested in one pass`;
  return characterOf(escaped, reader.flags);
}

function edge(reader: Reader, length: number, which: Edge): PatternTree {
  reader.at += length;
  return { type: "edge", edge: which };
}

function character(reader: Reader, end: number): PatternTree {
  const source = reader.source.slice(reader.at, end);
  reader.at = end;
  return characterOf(source, reader.flags);
}

/** One character is tested by the engine of the language: there is nothing in it to go back over. */
function characterOf(source: string, flags: string): PatternTree {
  const expression = new RegExp(`^${/^[{}\]]$/.test(source) ? `\\${source}` : source}$`, flags);
  return { type: "character", test: (tested) => expression.test(tested) };
}

function here({ source, at }: Reader): string {
  return source[at] ?? "";
}

function matchHere(reader: Reader, expression: RegExp): RegExpExecArray | undefined {
  expression.lastIndex = reader.at;
  const match = expression.exec(reader.source);
  if (match === null) return undefined;
  reader.at += match[0].length;
  return match;
}
