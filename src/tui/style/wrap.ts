import { cellWidth, graphemesOf, isPrintableAscii } from "../text/graphemes.ts";
import { EMPTY_LINE, type Line, sliceLine, textOf } from "./styled-line.ts";

export interface WrapOptions {
  /** Put before every row but the first; its width is taken from the row's. */
  continuation?: Line;
  /** Cells the rows after the first have less. */
  indent?: number;
}

/**
 * Rows no wider than `width`, broken between words where that is possible. The spaces at a break are left out; a word wider
 * than a row is broken anywhere between graphemes. One grapheme wider than the row stands alone in it.
 */
export function wrapLine(
  given: Line,
  width: number,
  { continuation = EMPTY_LINE, indent = 0 }: WrapOptions = {},
): Line[] {
  const text = textOf(given);
  const limit = Math.max(1, width);
  if (cellWidth(text) <= limit) return [given];
  const breaks = breaksOf(text, limit, Math.max(1, limit - indent));
  return cutAt(given, breaks).map((row, index) =>
    index === 0 || continuation.length === 0 ? row : [...continuation, ...row],
  );
}

/** The rows of a line in one pass over it: a line may have as many spans as it has rows. */
function cutAt(given: Line, rows: readonly Row[]): Line[] {
  let at = 0;
  let offset = 0;
  return rows.map(({ start, end }) => {
    for (let length = given[at]?.text.length; length !== undefined && offset + length <= start; ) {
      offset += length;
      at++;
      length = given[at]?.text.length;
    }
    let last = at;
    for (let reached = offset; last < given.length && reached < end; last++) reached += given[last]?.text.length ?? 0;
    return sliceLine(given.slice(at, last), start - offset, end - offset);
  });
}

/** One row no wider than `width`; what is cut off is replaced by the ellipsis. */
export function truncateLine(given: Line, width: number, ellipsis = "…"): Line {
  const text = textOf(given);
  if (cellWidth(text) <= width) return given;
  const mark = cellWidth(ellipsis) <= width ? ellipsis : "";
  const end = fittingEnd(text, width - cellWidth(mark));
  const kept = sliceLine(given, 0, end);
  return mark === "" ? kept : [...kept, { text: mark, style: kept.at(-1)?.style ?? given[0]?.style ?? {} }];
}

/** A row that keeps the end of the text: what one reads of a long path. */
export function truncateStart(text: string, width: number, ellipsis = "…"): string {
  if (cellWidth(text) <= width) return text;
  const graphemes = [...graphemesOf(text)];
  let room = width - cellWidth(ellipsis);
  let start = text.length;
  for (const grapheme of graphemes.reverse()) {
    room -= grapheme.width;
    if (room < 0) break;
    start = grapheme.start;
  }
  return width < cellWidth(ellipsis) ? "" : ellipsis + text.slice(start);
}

/** The offset up to which a text fits into so many cells. */
export function fittingEnd(text: string, width: number): number {
  if (isPrintableAscii(text)) return Math.max(0, Math.min(text.length, width));
  let used = 0;
  for (const grapheme of graphemesOf(text)) {
    used += grapheme.width;
    if (used > width) return grapheme.start;
  }
  return text.length;
}

interface Row {
  start: number;
  end: number;
}

/** A piece that is not broken: its end with and without the spaces after it. */
interface Word {
  start: number;
  end: number;
  width: number;
  spaces: number;
}

function breaksOf(text: string, first: number, rest: number): Row[] {
  const rows: Row[] = [];
  let row: Row | undefined;
  let used = 0;
  const limit = () => (rows.length === 0 ? first : rest);
  const finish = () => {
    if (row !== undefined) rows.push(row);
    row = undefined;
  };
  for (const word of wordsOf(text)) {
    if (row !== undefined && used + word.width > limit()) finish();
    for (const piece of word.width > limit() ? piecesOf(text, word, Math.min(first, rest)) : [word]) {
      if (row !== undefined && used + piece.width > limit()) finish();
      used = row === undefined ? piece.width : used + piece.width;
      row = { start: row?.start ?? piece.start, end: piece.end };
    }
    used += word.spaces;
  }
  finish();
  return rows.length === 0 ? [{ start: 0, end: 0 }] : rows;
}

/** Words end at spaces; between two wide characters a row may be broken too. Spaces at the very start belong to the word. */
function* wordsOf(text: string): Generator<Word> {
  const isPlain = isPrintableAscii(text);
  const pattern = /^ *[^ ]*( *)|[^ ]+( *)/g;
  for (const match of text.matchAll(pattern)) {
    if (match[0] === "") continue;
    const spaces = (match[1] ?? match[2] ?? "").length;
    const start = match.index;
    const end = start + match[0].length - spaces;
    if (isPlain) yield { start, end, width: end - start, spaces };
    else yield* wideWords(text.slice(start, end), start, spaces);
  }
}

function* wideWords(text: string, offset: number, spaces: number): Generator<Word> {
  let word: Word = { start: offset, end: offset, width: 0, spaces: 0 };
  for (const grapheme of graphemesOf(text)) {
    const end = offset + grapheme.start + grapheme.text.length;
    word = { ...word, end, width: word.width + grapheme.width };
    if (grapheme.width < 2) continue;
    if (grapheme.start + grapheme.text.length < text.length) {
      yield word;
      word = { start: end, end, width: 0, spaces: 0 };
    }
  }
  yield { ...word, spaces };
}

function* piecesOf(text: string, word: Word, limit: number): Generator<Word> {
  let piece: Word = { start: word.start, end: word.start, width: 0, spaces: 0 };
  for (const grapheme of graphemesOf(text.slice(word.start, word.end))) {
    if (piece.width > 0 && piece.width + grapheme.width > limit) {
      yield piece;
      piece = { start: piece.end, end: piece.end, width: 0, spaces: 0 };
    }
    piece = {
      ...piece,
      end: word.start + grapheme.start + grapheme.text.length,
      width: piece.width + grapheme.width,
    };
  }
  yield piece;
}
