// A text file taken apart so that what an edit does not touch stays as it is, byte for byte: mark, line ends, final newline.

export interface TextContent {
  hasByteOrderMark: boolean;
  /** Without the mark, line ends as they are in the file. */
  raw: string;
  /** `raw` with every line end as one "\n": what models see and match against. */
  text: string;
  /** The line end most lines have; new lines get it. */
  newline: "\n" | "\r\n";
}

const MARK = "\uFEFF";

/** Undefined for what is not UTF-8 text. */
export function decodeText(bytes: Uint8Array): TextContent | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return textContent(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

export function textContent(decoded: string): TextContent {
  const hasByteOrderMark = decoded.startsWith(MARK);
  const raw = hasByteOrderMark ? decoded.slice(1) : decoded;
  const text = withPlainNewlines(raw);
  const windowsEnds = raw.length - text.length;
  const allEnds = windowsEnds === 0 ? 0 : text.split("\n").length - 1;
  return { hasByteOrderMark, raw, text, newline: windowsEnds * 2 > allEnds ? "\r\n" : "\n" };
}

export function encodeText(content: TextContent, raw: string): Uint8Array {
  return new TextEncoder().encode(content.hasByteOrderMark ? MARK + raw : raw);
}

export function withPlainNewlines(text: string): string {
  return text.includes("\r\n") ? text.replaceAll("\r\n", "\n") : text;
}

/** The lines of a text with plain newlines; a final newline ends the last line and begins none. */
export function linesOf(text: string): string[] {
  if (text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}
