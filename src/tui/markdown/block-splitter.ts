// Where one block of Markdown surely ends, line by line. A boundary is drawn only where the text before and the text after mean
// the same apart as together; where that is in doubt the lines stay in one block. References (`[id]: address`) do not reach
// over blocks: a text that is still coming could not be shown otherwise.

export type OpenBlock =
  | { type: "none" }
  | { type: "paragraph" }
  | { type: "quote" }
  | { type: "html"; end: RegExp }
  | { type: "indented"; isAfterBlank: boolean }
  | { type: "list"; content: number; isAfterBlank: boolean }
  | Fence;

export interface Fence {
  type: "fence";
  marker: string;
  indent: number;
  language: string;
}

export interface LineMeaning {
  /** Whether the block before is finished without this line. */
  endsBefore: boolean;
  /** What is open after this line; `none` when it finished its block, or belongs to none. */
  open: OpenBlock;
}

export const NOTHING_OPEN: OpenBlock = { type: "none" };

export function readBlockLine(open: OpenBlock, line: string): LineMeaning {
  const isBlank = line.trim() === "";
  switch (open.type) {
    case "none":
      return { endsBefore: false, open: isBlank ? NOTHING_OPEN : startOf(line) };
    case "fence":
      return { endsBefore: false, open: isFenceEnd(open, line) ? NOTHING_OPEN : open };
    case "html":
      return { endsBefore: false, open: open.end.test(line) ? NOTHING_OPEN : open };
    case "paragraph":
    case "quote":
      return isBlank ? { endsBefore: false, open: NOTHING_OPEN } : inParagraph(open, line);
    case "indented":
      return inIndented(open, line, isBlank);
    case "list":
      return inList(open, line, isBlank);
  }
}

const FENCE = /^( {0,3})(`{3,}|~{3,})([^\n]*)$/;
const HEADING = /^ {0,3}#{1,6}(?:[ \t]|$)/;
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const ITEM = /^( {0,3})([-+*]|\d{1,9}[.)])([ \t]+|$)/;
const INTERRUPTING_ITEM = /^ {0,3}(?:[-+*]|1[.)])[ \t]+\S/;
const QUOTE = /^ {0,3}>/;
const BLANK = /^\s*$/;

/** HTML blocks that go on over blank lines, with what ends them. */
const LONG_HTML: readonly [start: RegExp, end: RegExp][] = [
  [/^ {0,3}<(?:script|pre|style|textarea)(?:[\s>]|$)/i, /<\/(?:script|pre|style|textarea)>/i],
  [/^ {0,3}<!--/, /-->/],
  [/^ {0,3}<\?/, /\?>/],
  [/^ {0,3}<!\[CDATA\[/, /\]\]>/],
  [/^ {0,3}<![a-z]/i, />/],
];
const HTML_TAG =
  /^ {0,3}<\/?[a-z][a-z0-9-]*(?:\s[^>]*)?\/?>\s*$|^ {0,3}<\/?(?:details|summary|div|p|table|tr|td|th|ul|ol|li|h[1-6]|section|center|hr)[\s/>]/i;

function startOf(line: string): OpenBlock {
  const fence = readFence(line);
  if (fence !== undefined) return fence;
  if (HEADING.test(line) || RULE.test(line)) return NOTHING_OPEN;
  const html = longHtml(line);
  if (html !== undefined) return html;
  if (HTML_TAG.test(line)) return { type: "html", end: BLANK };
  if (QUOTE.test(line)) return { type: "quote" };
  if (ITEM.test(line)) return listFrom(line);
  return /^(?: {4}| {0,3}\t)/.test(line) ? { type: "indented", isAfterBlank: false } : { type: "paragraph" };
}

export function readFence(line: string): Fence | undefined {
  const [, indent = "", marker = "", info = ""] = FENCE.exec(line) ?? [];
  if (marker === "" || (marker.startsWith("`") && info.includes("`"))) return undefined;
  return { type: "fence", marker, indent: indent.length, language: info.trim().split(/\s/)[0] ?? "" };
}

export function isFenceEnd({ marker }: Fence, line: string): boolean {
  const given = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
  return given !== undefined && given.length >= marker.length && given[0] === marker[0];
}

/** One that is closed in its own line is an ordinary part of whatever it stands in. */
function longHtml(line: string): OpenBlock | undefined {
  const row = LONG_HTML.find(([start]) => start.test(line));
  if (row === undefined) return undefined;
  const [start, end] = row;
  return end.test(line.replace(start, "")) ? NOTHING_OPEN : { type: "html", end };
}

function inParagraph(open: OpenBlock, line: string): LineMeaning {
  if (readFence(line) !== undefined || HEADING.test(line)) return { endsBefore: true, open: startOf(line) };
  if (open.type === "quote" && RULE.test(line)) return { endsBefore: true, open: NOTHING_OPEN };
  const html = longHtml(line);
  if (html !== undefined && html.type === "html") return { endsBefore: true, open: html };
  if (INTERRUPTING_ITEM.test(line) && !RULE.test(line)) return { endsBefore: false, open: listFrom(line) };
  return { endsBefore: false, open };
}

function inIndented(open: { type: "indented"; isAfterBlank: boolean }, line: string, isBlank: boolean): LineMeaning {
  if (isBlank) return { endsBefore: false, open: { ...open, isAfterBlank: true } };
  if (/^[ \t]/.test(line)) return { endsBefore: false, open: { ...open, isAfterBlank: false } };
  return { endsBefore: true, open: startOf(line) };
}

function inList(
  open: { type: "list"; content: number; isAfterBlank: boolean },
  line: string,
  isBlank: boolean,
): LineMeaning {
  if (isBlank) return { endsBefore: false, open: { ...open, isAfterBlank: true } };
  if (indentOf(line) >= open.content) return { endsBefore: false, open: { ...open, isAfterBlank: false } };
  if (RULE.test(line)) return { endsBefore: true, open: NOTHING_OPEN };
  if (ITEM.test(line)) return { endsBefore: false, open: listFrom(line) };
  const isOther =
    readFence(line) !== undefined || HEADING.test(line) || QUOTE.test(line) || longHtml(line) !== undefined;
  if (isOther || open.isAfterBlank) return { endsBefore: true, open: startOf(line) };
  return { endsBefore: false, open };
}

function listFrom(line: string): OpenBlock {
  const [, indent = "", marker = "", spaces = ""] = ITEM.exec(line) ?? [];
  const gap = spaces.includes("\t") || spaces.length === 0 || spaces.length > 4 ? 1 : spaces.length;
  return { type: "list", content: indent.length + marker.length + gap, isAfterBlank: false };
}

function indentOf(line: string): number {
  let columns = 0;
  for (const character of line) {
    if (character === " ") columns++;
    else if (character === "\t") columns += 4 - (columns % 4);
    else break;
  }
  return columns;
}
