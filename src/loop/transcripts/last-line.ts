import { readableText } from "./escape-codes.ts";

/** A longer line keeps its beginning and its end. */
export const MAX_LINE_CHARACTERS = 4096;

/** The last line that a person would not call empty; undefined where there is none. */
export function lastLine(whole: string): string | undefined {
  const text = whole.trimEnd();
  for (let end = text.length; end > 0; ) {
    const start = text.lastIndexOf("\n", end - 1) + 1;
    const line = text.slice(start, end);
    if (line.trim() !== "" && readableText(line).trim() !== "") return cut(line);
    end = start - 1;
  }
  return undefined;
}

/** A long line is a copy, so that it does not hold on to the text it is from. */
function cut(line: string): string {
  if (line.length <= MAX_LINE_CHARACTERS) return line;
  const half = MAX_LINE_CHARACTERS / 2;
  return Buffer.from(`${line.slice(0, half)} … ${line.slice(-half)}`).toString();
}
