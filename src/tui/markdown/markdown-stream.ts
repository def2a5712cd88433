import type { Line } from "../style/styled-line.ts";
import { sanitise } from "../text/sanitise.ts";
import { type Fence, isFenceEnd, NOTHING_OPEN, type OpenBlock, readBlockLine } from "./block-splitter.ts";
import { type CodeState, renderCodeLine, startCode } from "./code-block.ts";
import type { MarkdownOptions } from "./markdown-options.ts";
import { type BlockPlace, renderMarkdownBlock } from "./render-block.ts";

// Markdown that is still being written. What is finished is rendered once and given away; what is open is rendered anew when
// somebody looks. At the end both together are the rendering of the whole text.

export interface MarkdownStream {
  append(delta: string): void;
  /** Rows that will not change any more and were not taken before. They are to be committed. */
  takeFinished(width: number): Line[];
  /** Rows of what is still open, after the finished ones were taken. They are to be drawn. */
  openRows(width: number): Line[];
  /** Nothing more comes: all that is open is finished. */
  finish(): void;
}

export function createMarkdownStream(options: MarkdownOptions): MarkdownStream {
  return new BlockStream(options);
}

export function renderMarkdown(text: string, width: number, options: MarkdownOptions): Line[] {
  const stream = createMarkdownStream(options);
  stream.append(text);
  stream.finish();
  return stream.takeFinished(width);
}

/** A piece whose rendering is settled, in order. A fence comes line by line. */
type Piece =
  | { type: "block"; text: string }
  | { type: "code-start"; language: string }
  | { type: "code"; text: string };

/** Characters. A row of this length is no text anybody reads, and to render it costs as much as a long answer. */
const LONGEST_LINE = 32 * 1024;

class BlockStream implements MarkdownStream {
  /** The line that has no end yet, in the pieces it came in. */
  private tail: string[] = [];
  private tailLength = 0;
  private lines: string[] = [];
  private open: OpenBlock = NOTHING_OPEN;
  private settled: Piece[] = [];
  private code: CodeState = startCode("");
  private hasGivenRows = false;
  /** Whether the next row of code is the first of its fence. */
  private isCodeFresh = false;

  constructor(private readonly options: MarkdownOptions) {}

  append(delta: string): void {
    if (!delta.includes("\n")) {
      if (delta !== "") this.addToTail(delta);
      return;
    }
    const [first = "", ...others] = delta.split("\n");
    const last = others.pop() ?? "";
    this.takeLine(this.withoutPieces(this.tail.join("") + first));
    for (const line of others) this.takeLine(this.withoutPieces(line));
    this.tail = [];
    this.tailLength = 0;
    if (last !== "") this.addToTail(last);
  }

  private addToTail(delta: string): void {
    this.tail.push(delta);
    this.tailLength += delta.length;
    if (this.tailLength <= LONGEST_LINE) return;
    this.tail = [this.withoutPieces(this.tail.join(""))];
    this.tailLength = this.tail[0]?.length ?? 0;
  }

  /** A line may be endless: what is too long for one is settled in pieces, each a block of its own. Returns the last of them. */
  private withoutPieces(line: string): string {
    let start = 0;
    while (line.length - start > LONGEST_LINE) {
      const end = start + LONGEST_LINE;
      const cut = isInPair(line.charCodeAt(end)) ? end - 1 : end;
      this.takeLine(line.slice(start, cut));
      start = cut;
      if (this.open.type === "fence") continue;
      this.settleBlock();
      this.open = NOTHING_OPEN;
    }
    return start === 0 ? line : line.slice(start);
  }

  finish(): void {
    if (this.tail.length > 0) this.takeLine(this.tail.join(""));
    this.tail = [];
    this.settleBlock();
    this.open = NOTHING_OPEN;
  }

  takeFinished(width: number): Line[] {
    const rows: Line[] = [];
    for (const piece of this.settled) this.renderPiece(piece, rows, width);
    this.settled = [];
    return rows;
  }

  openRows(width: number): Line[] {
    const tail = sanitise(this.tail.join("").replace(/\r$/, ""));
    if (this.open.type === "fence") return this.openCodeRows(this.open, tail, width);
    const text = [...this.lines, tail].join("\n");
    if (text.trim() === "") return [];
    return this.spaced(renderMarkdownBlock(text, this.place(width)));
  }

  private takeLine(written: string): void {
    const line = sanitise(written.endsWith("\r") ? written.slice(0, -1) : written);
    const before = this.open;
    const meaning = readBlockLine(before, line);
    if (meaning.endsBefore) this.settleBlock();
    this.open = meaning.open;
    if (before.type === "fence") {
      if (!isFenceEnd(before, line)) this.settled.push({ type: "code", text: withoutIndent(line, before.indent) });
      return;
    }
    if (meaning.open.type === "fence") {
      this.settled.push({ type: "code-start", language: meaning.open.language });
      return;
    }
    this.lines.push(line);
    if (meaning.open.type === "none") this.settleBlock();
  }

  private settleBlock(): void {
    const text = this.lines.join("\n");
    this.lines = [];
    if (text.trim() !== "") this.settled.push({ type: "block", text });
  }

  private renderPiece(piece: Piece, rows: Line[], width: number): void {
    if (piece.type === "code-start") {
      this.code = startCode(piece.language);
      this.isCodeFresh = true;
      return;
    }
    if (piece.type === "block") {
      this.give(rows, this.spaced(renderMarkdownBlock(piece.text, this.place(width))));
      return;
    }
    const rendered = renderCodeLine(piece.text, this.code, this.place(width));
    this.give(rows, this.isCodeFresh ? this.spaced(rendered.rows) : rendered.rows);
    this.code = rendered.state;
    this.isCodeFresh = false;
  }

  private give(rows: Line[], more: readonly Line[]): void {
    for (const row of more) rows.push(row);
    if (more.length > 0) this.hasGivenRows = true;
  }

  /** With a blank row before it, unless it is the first of all. */
  private spaced(rows: Line[]): Line[] {
    return this.hasGivenRows && rows.length > 0 ? [[], ...rows] : rows;
  }

  /** The line being written, unless it may become the fence's end. */
  private openCodeRows({ marker, indent }: Fence, tail: string, width: number): Line[] {
    const isPossibleEnd = tail.trim() !== "" && marker.startsWith(tail.trim());
    if (tail === "" || isPossibleEnd) return [];
    const { rows } = renderCodeLine(withoutIndent(tail, indent), this.code, this.place(width));
    return this.isCodeFresh ? this.spaced(rows) : rows;
  }

  private place(width: number): BlockPlace {
    return { ...this.options, width: Math.max(1, width) };
  }
}

/** The second half of a character that is two units long. */
function isInPair(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

function withoutIndent(line: string, indent: number): string {
  let at = 0;
  while (at < indent && line[at] === " ") at++;
  return line.slice(at);
}
