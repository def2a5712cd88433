import { rawLinesOf } from "../system/line-diff.ts";
import { linesOf, type TextContent } from "./text-content.ts";

// Edits as data, and the new text they make of an old one. Everything they do not touch stays as it is in the file.

/** Offsets into the text with plain newlines. */
export interface SpanEdit {
  start: number;
  end: number;
  replacement: string;
}

/** `removed` lines from `at` on (counted from 0) become `inserted`. */
export interface LineEdit {
  at: number;
  removed: number;
  inserted: readonly string[];
}

/** The new raw text. The spans do not overlap and come in ascending order. */
export function applySpanEdits(content: TextContent, edits: readonly SpanEdit[]): string {
  const rawOffset = rawOffsets(content);
  const pieces: string[] = [];
  let done = 0;
  for (const edit of edits.map((wide) => trimmed(content.text, wide))) {
    pieces.push(content.raw.slice(done, rawOffset(edit.start)), withNewlines(edit.replacement, content.newline));
    done = rawOffset(edit.end);
  }
  return [...pieces, content.raw.slice(done)].join("");
}

/** Two edits that cannot both be done, as positions in the list; inserting at the edge of a removed run is no conflict. */
export function conflictBetween(edits: readonly LineEdit[]): [number, number] | undefined {
  const ordered = inOrder(edits);
  let open: { index: number; end: number } | undefined;
  for (const { edit, index } of ordered) {
    if (open !== undefined && edit.at < open.end) return [Math.min(open.index, index), Math.max(open.index, index)];
    open = { index, end: edit.at + edit.removed };
  }
  return undefined;
}

/** The new raw text. The edits do not conflict; all count from the lines as they are now. */
export function applyLineEdits(content: TextContent, edits: readonly LineEdit[]): string {
  const lines = rawLinesOf(content.raw);
  const result: string[] = [];
  let done = 0;
  for (const { edit } of inOrder(edits)) {
    for (; done < edit.at; done++) result.push(lines[done] ?? "");
    for (const line of edit.inserted) result.push(line + content.newline);
    done = edit.at + edit.removed;
  }
  for (; done < lines.length; done++) result.push(lines[done] ?? "");
  return withFinalNewline(content, result).join("");
}

/** A content given as lines; a model may put several into one. */
export function flatLines(lines: readonly string[]): string[] {
  return lines.flatMap((line) => (line === "" ? [""] : linesOf(line.replaceAll("\r\n", "\n").replace(/\r$/, ""))));
}

function inOrder(edits: readonly LineEdit[]): { edit: LineEdit; index: number }[] {
  const numbered = edits.map((edit, index) => ({ edit, index }));
  return numbered.sort(
    (left, right) =>
      left.edit.at - right.edit.at ||
      Math.sign(left.edit.removed) - Math.sign(right.edit.removed) ||
      left.index - right.index,
  );
}

/** The last line ends as the last line of the file did; every other one ends. A file that was empty gets a newline. */
function withFinalNewline(content: TextContent, lines: string[]): string[] {
  const isEnded = content.raw === "" || content.raw.endsWith("\n");
  return lines.map((line, index) => {
    if (index === lines.length - 1 && !isEnded) return line.replace(/\r?\n$/, "");
    return line.endsWith("\n") ? line : line + content.newline;
  });
}

/** Line ends that old and new have in common are left alone, also where a file mixes them. */
function trimmed(text: string, { start, end, replacement }: SpanEdit): SpanEdit {
  const shorter = Math.min(end - start, replacement.length);
  let head = 0;
  while (head < shorter && text[start + head] === replacement[head]) head++;
  let tail = 0;
  while (tail < shorter - head && text[end - 1 - tail] === replacement[replacement.length - 1 - tail]) tail++;
  return { start: start + head, end: end - tail, replacement: replacement.slice(head, replacement.length - tail) };
}

/** From an offset in `text` to the one in `raw`; asked in ascending order. */
function rawOffsets({ raw, text }: TextContent): (offset: number) => number {
  if (raw.length === text.length) return (offset) => offset;
  let rawAt = 0;
  let textAt = 0;
  return (offset) => {
    for (; textAt < offset; textAt++) rawAt += raw[rawAt] === "\r" && raw[rawAt + 1] === "\n" ? 2 : 1;
    return rawAt;
  };
}

function withNewlines(text: string, newline: string): string {
  return newline === "\n" ? text : text.replaceAll("\n", newline);
}
