// What a person sees as one character, and how many cells a terminal gives it.

/** A piece of text that is edited, wrapped and cut only as a whole. */
export interface Grapheme {
  text: string;
  /** Where it starts, in UTF-16 units. */
  start: number;
  width: number;
}

/** How many cells wide characters of ambiguous width are; terminals with an East Asian setting show them wide. */
export type AmbiguousWidth = "narrow" | "wide";

/** The cells a text takes in one row. Control characters take none, so tabs are expanded first. */
export function cellWidth(text: string, ambiguous: AmbiguousWidth = "narrow"): number {
  if (ONLY_PRINTABLE_ASCII.test(text)) return text.length;
  return Bun.stringWidth(text, { countAnsiEscapeCodes: true, ambiguousIsNarrow: ambiguous === "narrow" });
}

export function isPrintableAscii(text: string): boolean {
  return ONLY_PRINTABLE_ASCII.test(text);
}

export function* graphemesOf(text: string): Generator<Grapheme> {
  if (!HAS_COMBINATIONS.test(text)) {
    for (let start = 0; start < text.length; start++) {
      const character = text.charAt(start);
      yield { text: character, start, width: cellWidth(character) };
    }
    return;
  }
  for (const { segment, index } of segmenter().segment(text)) {
    yield { text: segment, start: index, width: cellWidth(segment) };
  }
}

/** Where the grapheme after `offset` ends. */
export function nextBoundary(text: string, offset: number): number {
  if (offset >= text.length) return text.length;
  if (isAloneAt(text, offset) && (offset + 1 === text.length || isAloneAt(text, offset + 1))) return offset + 1;
  const start = stretchStart(text, offset);
  const found = segmenter()
    .segment(text.slice(start, offset + STRETCH))
    .containing(offset - start);
  return found === undefined ? text.length : start + found.index + found.segment.length;
}

/** Where the grapheme before `offset` starts. */
export function previousBoundary(text: string, offset: number): number {
  if (offset <= 0) return 0;
  if (isAloneAt(text, offset - 1)) return offset - 1;
  const start = stretchStart(text, offset - 1);
  const found = segmenter()
    .segment(text.slice(start, offset - 1 + STRETCH))
    .containing(offset - 1 - start);
  return found === undefined ? offset - 1 : start + found.index;
}

/** Tabs become spaces up to the next stop, counted from the column the text starts in. */
export function expandTabs(text: string, tabSize = 4, column = 0): string {
  if (!text.includes("\t")) return text;
  let expanded = "";
  let at = column;
  for (const piece of text.split(/(\t)/)) {
    const shown = piece === "\t" ? " ".repeat(tabSize - (at % tabSize)) : piece;
    expanded += shown;
    at += cellWidth(shown);
  }
  return expanded;
}

const ONLY_PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

/** Below U+0300 nothing combines with its neighbour. */
const HAS_COMBINATIONS = /[\u0300-\uffff]/;

/** A boundary is looked for in a stretch of this many units around the place, so that a long text costs no more. */
const STRETCH = 256;

/** A character that joins nothing before or after it, whatever stands there. Carriage returns never reach an editor. */
function isAloneAt(text: string, offset: number): boolean {
  const unit = text.charCodeAt(offset);
  return unit < 0x300 && unit !== 0xa9 && unit !== 0xae && !isJoinedAfter(text, offset);
}

function isJoinedAfter(text: string, offset: number): boolean {
  return offset + 1 < text.length && text.charCodeAt(offset + 1) >= 0x300;
}

/** A safe place to start: just after a line break or an ASCII pair, at most one stretch back. */
function stretchStart(text: string, offset: number): number {
  const furthest = Math.max(0, offset - STRETCH);
  for (let at = offset; at > furthest; at--) {
    if (text.charCodeAt(at) < 0x80 && text.charCodeAt(at - 1) < 0x80) return at;
  }
  return furthest;
}

let loaded: Intl.Segmenter | undefined;

/** Made when first needed: it takes milliseconds, and most texts are plain. */
function segmenter(): Intl.Segmenter {
  loaded ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return loaded;
}
