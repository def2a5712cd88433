import { type NamePiece, nameTest } from "./glob-name.ts";

// Patterns for paths, as git reads them: `*` and `?` stay within a name, `**` between slashes goes through folders, `[…]` are
// sets of characters. Letters are whole characters here, where git counts bytes. Patterns come from strangers: the time a test
// takes never grows faster than the length of the pattern times the length of the path.

export interface GlobExpression {
  test(path: string): boolean;
}

/** Undefined for a pattern that git would never match, such as a set that is not closed. */
export function globExpression(pattern: string): GlobExpression | undefined {
  const pieces = piecesOf(pattern);
  if (pieces === undefined) return undefined;
  const parts = partsOf(pieces);
  const [only] = parts;
  if (parts.length === 1 && only?.type === "name") {
    return { test: (path) => only.fits(path) && !path.includes("/") };
  }
  const start = literalText(pieces);
  const first = start.join("");
  if (start.length === pieces.length) return { test: (path) => path === first };
  const last = literalText(pieces.toReversed()).reverse().join("");
  return { test: (path) => path.endsWith(last) && path.startsWith(first) && partsFit(parts, path.split("/")) };
}

/** `a.{ts,js}` as `a.ts` and `a.js`, sets in sets too. At most a hundred; what is beyond is taken as it is written. */
export function expandBraces(pattern: string): string[] {
  const done: string[] = [];
  const open = [pattern];
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const braces = innermostBraces(next);
    if (braces === undefined || done.length + open.length + braces.choices.length >= MOST_ALTERNATIVES) done.push(next);
    else open.unshift(...braces.choices.map((choice) => braces.before + choice + braces.after));
  }
  return [...new Set(done)];
}

const MOST_ALTERNATIVES = 100;

/** The first braces with a comma and without other braces inside. */
function innermostBraces(pattern: string): { before: string; choices: string[]; after: string } | undefined {
  let start = -1;
  for (let at = 0; at < pattern.length; at++) {
    if (pattern[at] === "{") start = at;
    if (pattern[at] !== "}" || start < 0) continue;
    const inside = pattern.slice(start + 1, at);
    if (inside.includes(","))
      return { before: pattern.slice(0, start), choices: inside.split(","), after: pattern.slice(at + 1) };
    start = -1;
  }
  return undefined;
}

/** `folders`: any number of them, with the slash behind each. `rest`: whatever is left. */
type Piece = NamePiece | { type: "slash" } | { type: "folders" } | { type: "rest" };

function piecesOf(pattern: string): Piece[] | undefined {
  const pieces: Piece[] = [];
  for (let at = 0; at < pattern.length; ) {
    const next = nextPiece(pattern, at);
    if (next === undefined) return undefined;
    pieces.push(next.piece);
    at = next.end;
  }
  return pieces;
}

interface ReadPiece {
  piece: Piece;
  /** Where the pattern goes on. */
  end: number;
}

function nextPiece(pattern: string, at: number): ReadPiece | undefined {
  switch (pattern[at]) {
    case "*":
      return starPiece(pattern, at);
    case "?":
      return { piece: { type: "any" }, end: at + 1 };
    case "[":
      return setPiece(pattern, at);
    case "\\":
      return at + 1 < pattern.length ? letterPiece(pattern, at + 1) : undefined;
    default:
      return letterPiece(pattern, at);
  }
}

function letterPiece(pattern: string, at: number): ReadPiece {
  const letter = characterAt(pattern, at);
  return { piece: letter === "/" ? { type: "slash" } : { type: "letter", letter }, end: at + letter.length };
}

function starPiece(pattern: string, at: number): ReadPiece {
  let end = at;
  while (pattern[end] === "*") end++;
  const isWholePart =
    end - at > 1 && (at === 0 || pattern[at - 1] === "/") && (end === pattern.length || pattern[end] === "/");
  if (!isWholePart) return { piece: { type: "star" }, end };
  return end === pattern.length ? { piece: { type: "rest" }, end } : { piece: { type: "folders" }, end: end + 1 };
}

/** Each two letters are the first and the last of a range. */
const NAMED_SETS: ReadonlyMap<string, string> = new Map([
  ["alnum", "azAZ09"],
  ["alpha", "azAZ"],
  ["blank", "  \t\t"],
  ["cntrl", "\x00\x1f\x7f\x7f"],
  ["digit", "09"],
  ["graph", "!~"],
  ["lower", "az"],
  ["print", " ~"],
  ["punct", "!/:@[`{~"],
  ["space", "\t\r  "],
  ["upper", "AZ"],
  ["xdigit", "09afAF"],
]);

/** A set of characters. A `]` that comes first belongs to it. */
function setPiece(pattern: string, start: number): ReadPiece | undefined {
  const isNegated = pattern[start + 1] === "!" || pattern[start + 1] === "^";
  const first = start + (isNegated ? 2 : 1);
  const bounds: number[] = [];
  let at = first;
  while (at === first || pattern[at] !== "]") {
    const member = setMember(pattern, at);
    if (member === undefined) return undefined;
    for (const letter of member.bounds) bounds.push(codePoint(letter));
    at = member.end;
  }
  return { piece: { type: "set", has: (letter) => isBetween(bounds, codePoint(letter)) !== isNegated }, end: at + 1 };
}

interface SetMember {
  /** As in a named set. */
  bounds: string;
  end: number;
}

function setMember(pattern: string, at: number): SetMember | undefined {
  const close = pattern.startsWith("[:", at) ? pattern.indexOf("]", at + 2) : -1;
  if (close > at + 2 && pattern[close - 1] === ":") {
    const bounds = NAMED_SETS.get(pattern.slice(at + 2, close - 1));
    return bounds === undefined ? undefined : { bounds, end: close + 1 };
  }
  const from = setCharacter(pattern, at);
  if (from === undefined) return undefined;
  const beyond = pattern[from.end + 1];
  const alone = from.letter + from.letter;
  if (pattern[from.end] !== "-" || beyond === undefined || beyond === "]") return { bounds: alone, end: from.end };
  const to = setCharacter(pattern, from.end + 1);
  if (to === undefined) return undefined;
  // The first letter of a range counts even when the range is backwards and therefore empty.
  const isBackwards = codePoint(to.letter) < codePoint(from.letter);
  return { bounds: isBackwards ? alone : from.letter + to.letter, end: to.end };
}

function isBetween(bounds: readonly number[], code: number): boolean {
  for (let at = 0; at < bounds.length; at += 2)
    if (code >= (bounds[at] ?? 0) && code <= (bounds[at + 1] ?? 0)) return true;
  return false;
}

function setCharacter(pattern: string, at: number): { letter: string; end: number } | undefined {
  const start = pattern[at] === "\\" ? at + 1 : at;
  const letter = characterAt(pattern, start);
  return letter === "" ? undefined : { letter, end: start + letter.length };
}

function characterAt(text: string, at: number): string {
  const code = text.codePointAt(at);
  return code === undefined ? "" : String.fromCodePoint(code);
}

function codePoint(letter: string): number {
  return letter.codePointAt(0) ?? 0;
}

/** A pattern between its slashes. */
type Part = { type: "name"; fits: (name: string) => boolean } | { type: "folders" } | { type: "rest" };

function partsOf(pieces: readonly Piece[]): Part[] {
  const parts: Part[] = [];
  let name: NamePiece[] = [];
  for (const piece of pieces) {
    if (piece.type === "rest") return [...parts, { type: "rest" }];
    if (piece.type === "folders") {
      parts.push({ type: "folders" });
    } else if (piece.type === "slash") {
      parts.push({ type: "name", fits: nameTest(name) });
      name = [];
    } else name.push(piece);
  }
  return [...parts, { type: "name", fits: nameTest(name) }];
}

/** The letters a pattern begins with, slashes among them. */
function literalText(pieces: readonly Piece[]): string[] {
  const letters: string[] = [];
  for (const piece of pieces) {
    if (piece.type !== "letter" && piece.type !== "slash") break;
    letters.push(piece.type === "slash" ? "/" : piece.letter);
  }
  return letters;
}

/** Where a name does not fit, only the last `folders` takes one name more: what those before it took is the least they could. */
function partsFit(parts: readonly Part[], names: readonly string[]): boolean {
  let part = 0;
  let name = 0;
  let retry: { part: number; name: number } | undefined;
  while (true) {
    const wanted = parts[part];
    if (wanted?.type === "folders") {
      retry = { part: ++part, name };
      continue;
    }
    const found = names[name];
    if (wanted === undefined && found === undefined) return true;
    if (wanted?.type === "rest" && found !== undefined) return true;
    if (wanted?.type === "name" && found !== undefined && wanted.fits(found)) {
      part++;
      name++;
      continue;
    }
    if (retry === undefined || found === undefined) return false;
    retry = { part: retry.part, name: retry.name + 1 };
    ({ part, name } = retry);
  }
}
