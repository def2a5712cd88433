import type { Role } from "../style/theme.ts";
import type { Language, StringForm } from "./languages.ts";

// Strings, comments, numbers and keywords of one line of code. Linear in the line, line by line: what is open at the end of one
// line is handed to the next, so that code can be shown while it is still being written.

export interface Token {
  text: string;
  role: Role;
}

/** What goes on over the line's end: nothing, a comment, or a string. */
export type OpenCode = undefined | "comment" | StringForm;

export interface HighlightedLine {
  tokens: Token[];
  open: OpenCode;
}

/** A longer line is shown without colours. */
const MAXIMUM_LINE = 5000;

export function highlightLine(
  text: string,
  language: Language | undefined,
  open: OpenCode = undefined,
): HighlightedLine {
  if (language === undefined || text.length > MAXIMUM_LINE) return { tokens: plain(text), open: undefined };
  const tokens: Token[] = [];
  let state = open;
  let at = 0;
  while (at < text.length) {
    const piece = pieceAt(text, at, { language, open: state });
    const last = tokens.at(-1);
    const shown = text.slice(at, piece.end);
    if (last?.role === piece.role) last.text += shown;
    else tokens.push({ text: shown, role: piece.role });
    state = piece.open;
    at = piece.end;
  }
  return { tokens, open: state };
}

interface Piece {
  end: number;
  role: Role;
  open: OpenCode;
}

function plain(text: string): Token[] {
  return text === "" ? [] : [{ text, role: "text" }];
}

function pieceAt(text: string, at: number, { language, open }: { language: Language; open: OpenCode }): Piece {
  if (open === "comment") return commentFrom(text, at, language);
  if (open !== undefined) return stringFrom(text, at, open);
  if (language.lineComments.some((sign) => text.startsWith(sign, at) && isCommentStart(text, at, sign))) {
    return { end: text.length, role: "comment", open: undefined };
  }
  const [opening] = language.blockComment ?? [];
  if (opening !== undefined && text.startsWith(opening, at)) return commentFrom(text, at + opening.length, language);
  const form = language.strings.find(({ quote }) => text.startsWith(quote, at));
  if (form !== undefined) return stringFrom(text, at + form.quote.length, form);
  return wordFrom(text, at, language);
}

/** `#` inside a word, as in a colour or a shell's `$#`, starts no comment. */
function isCommentStart(text: string, at: number, sign: string): boolean {
  return sign !== "#" || at === 0 || /\s/.test(text[at - 1] ?? "");
}

function commentFrom(text: string, at: number, language: Language): Piece {
  const closing = language.blockComment?.[1] ?? "";
  const end = text.indexOf(closing, at);
  if (end < 0) return { end: text.length, role: "comment", open: "comment" };
  return { end: end + closing.length, role: "comment", open: undefined };
}

function stringFrom(text: string, at: number, form: StringForm): Piece {
  for (let end = at; end < text.length; end++) {
    if (form.hasEscapes && text[end] === "\\") end++;
    else if (text.startsWith(form.quote, end)) {
      return { end: end + form.quote.length, role: "string", open: undefined };
    }
  }
  return { end: text.length, role: "string", open: form.isMultiline ? form : undefined };
}

const WORD = /[#@!]?[\p{L}_$][\p{L}\p{N}_$]*[?]?/uy;
const NUMBER = /(?:0[xXbBoO][\da-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)[a-zA-Z]*/y;
/** Without the characters a comment or a string starts with. */
const REST = /[^\p{L}\p{N}_$#@!"'`/<;-]+/uy;

function wordFrom(text: string, at: number, language: Language): Piece {
  const word = matchAt(WORD, text, at);
  if (word !== undefined)
    return { end: at + word.length, role: isKeyword(word, language) ? "keyword" : "text", open: undefined };
  const number = matchAt(NUMBER, text, at);
  if (number !== undefined) return { end: at + number.length, role: "number", open: undefined };
  const step = matchAt(REST, text, at)?.length ?? String.fromCodePoint(text.codePointAt(at) ?? 0).length;
  return { end: at + step, role: "text", open: undefined };
}

function isKeyword(word: string, { keywords, ignoresCase = false }: Language): boolean {
  return keywords.has(ignoresCase ? word.toLowerCase() : word) || keywords.has(word.replace(/\?$/, ""));
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}
