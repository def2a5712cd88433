// Patterns for paths, as git reads them: `*` and `?` stay within a name, `**` between slashes goes through folders, `[…]` are
// sets of characters. Letters are whole characters here, where git counts bytes.

/** Undefined for a pattern that git would never match, such as a set that is not closed. */
export function globExpression(pattern: string): RegExp | undefined {
  let source = "";
  let rest = pattern;
  let before = "/";
  while (rest !== "") {
    const piece = nextPiece(rest, before);
    if (piece === undefined) return undefined;
    source += piece.source;
    before = rest[piece.length - 1] ?? "";
    rest = rest.slice(piece.length);
  }
  return new RegExp(`^${source}$`, "su");
}

/** `a.{ts,js}` as `a.ts` and `a.js`, sets in sets too. At most a hundred; what is beyond is taken as it is written. */
export function expandBraces(pattern: string): string[] {
  const done: string[] = [];
  const open = [pattern];
  while (open.length > 0 && done.length + open.length < MOST_ALTERNATIVES) {
    const next = open.shift() ?? "";
    const braces = INNERMOST_BRACES.exec(next);
    const choices = braces?.groups?.choices?.split(",");
    if (braces === null || choices === undefined) done.push(next);
    else open.unshift(...choices.map((choice) => next.replace(braces[0], () => choice)));
  }
  return [...new Set([...done, ...open])];
}

const MOST_ALTERNATIVES = 100;
const INNERMOST_BRACES = /\{(?<choices>[^{}]*,[^{}]*)\}/;

interface Piece {
  source: string;
  /** How much of the pattern it stands for. */
  length: number;
}

function nextPiece(rest: string, before: string): Piece | undefined {
  switch (rest[0]) {
    case "*":
      return starPiece(rest, before);
    case "?":
      return { source: "[^/]", length: 1 };
    case "[":
      return setPiece(rest);
    case "\\": {
      const escaped = firstCharacter(rest.slice(1));
      return escaped === "" ? undefined : { source: literal(escaped), length: 1 + escaped.length };
    }
    default: {
      const character = firstCharacter(rest);
      return { source: literal(character), length: character.length };
    }
  }
}

function starPiece(rest: string, before: string): Piece {
  const stars = /^\*+/.exec(rest)?.[0].length ?? 1;
  const after = rest[stars];
  const isWholePart = stars > 1 && before === "/" && (after === undefined || after === "/");
  if (!isWholePart) return { source: "[^/]*", length: stars };
  return after === undefined ? { source: ".*", length: stars } : { source: "(?:.*/)?", length: stars + 1 };
}

const NAMED_SETS: Record<string, string> = {
  alnum: "a-zA-Z0-9",
  alpha: "a-zA-Z",
  blank: " \\t",
  cntrl: "\\x00-\\x1f\\x7f",
  digit: "0-9",
  graph: "\\x21-\\x7e",
  lower: "a-z",
  print: "\\x20-\\x7e",
  punct: "\\x21-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7e",
  space: "\\s",
  upper: "A-Z",
  xdigit: "0-9a-fA-F",
};

/** A set of characters. A `]` that comes first belongs to it. */
function setPiece(rest: string): Piece | undefined {
  const isNegated = rest[1] === "!" || rest[1] === "^";
  const first = isNegated ? 2 : 1;
  let members = "";
  let at = first;
  while (at === first || rest[at] !== "]") {
    const member = setMember(rest.slice(at));
    if (member === undefined) return undefined;
    members += member.source;
    at += member.length;
  }
  return { source: `(?!/)[${isNegated ? "^" : ""}${members}]`, length: at + 1 };
}

function setMember(rest: string): Piece | undefined {
  const name = /^\[:(?<name>[^\]]*):\]/.exec(rest)?.groups?.name;
  if (name !== undefined) {
    const source = NAMED_SETS[name];
    return source === undefined ? undefined : { source, length: name.length + 4 };
  }
  const from = setCharacter(rest);
  if (from === undefined) return undefined;
  const beyond = rest.slice(from.length);
  if (beyond[0] !== "-" || beyond[1] === undefined || beyond[1] === "]") {
    return { source: codePoint(from.source), length: from.length };
  }
  const to = setCharacter(beyond.slice(1));
  if (to === undefined) return undefined;
  const length = from.length + 1 + to.length;
  // The first letter of a range counts even when the range is backwards and therefore empty.
  if (to.source < from.source) return { source: codePoint(from.source), length };
  return { source: `${codePoint(from.source)}-${codePoint(to.source)}`, length };
}

/** Its source is the character itself. */
function setCharacter(rest: string): Piece | undefined {
  const isEscaped = rest[0] === "\\";
  const character = firstCharacter(isEscaped ? rest.slice(1) : rest);
  return character === "" ? undefined : { source: character, length: character.length + (isEscaped ? 1 : 0) };
}

function firstCharacter(text: string): string {
  const code = text.codePointAt(0);
  return code === undefined ? "" : String.fromCodePoint(code);
}

function literal(character: string): string {
  return character === "/" ? "/" : codePoint(character);
}

function codePoint(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
