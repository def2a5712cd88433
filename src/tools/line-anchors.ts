// Lines as models see them, `LINE:hh|text`: the number says where, the two characters say what stood there. An edit that names
// an anchor is refused when the line is no longer the one that was shown.

export interface Anchor {
  /** Counted from 1. */
  line: number;
  mark: string;
}

const MARKS = 36 * 36;
const ANCHOR = /^\s*(\d{1,9}):([0-9a-z]{2})(?:\|.*)?$/s;

export function anchoredLine(line: number, text: string): string {
  return `${line}:${markOf(text)}|${text}`;
}

/** Two characters from the text of a line, line end not counted. */
export function markOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (((hash ^ (hash >>> 13)) >>> 0) % MARKS).toString(36).padStart(2, "0");
}

/** A whole line as it was shown counts too. */
export function parseAnchor(given: string): Anchor | undefined {
  const match = ANCHOR.exec(given);
  const line = Number(match?.[1]);
  const mark = match?.[2];
  return mark === undefined || line < 1 ? undefined : { line, mark };
}

/** What is wrong with an anchor, with the lines that stand there now; undefined when it holds. */
export function anchorProblem(anchor: Anchor, lines: readonly string[]): string | undefined {
  const text = lines[anchor.line - 1];
  if (text !== undefined && markOf(text) === anchor.mark) return undefined;
  const name = `${anchor.line}:${anchor.mark}`;
  if (text === undefined) return `anchor ${name} is past the end: the file has ${lines.length} lines`;
  const from = Math.max(1, anchor.line - 2);
  const now = lines
    .slice(from - 1, anchor.line + 2)
    .map((line, index) => anchoredLine(from + index, line.slice(0, 200)));
  return `anchor ${name} is stale; these lines stand there now:\n${now.join("\n")}`;
}
