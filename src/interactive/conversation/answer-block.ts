import type { ModelEvent } from "../../protocol/model-events.ts";
import { createMarkdownStream, type MarkdownStream } from "../../tui/markdown/markdown-stream.ts";
import { appendAll, type Line, line, span, withStyle } from "../../tui/style/styled-line.ts";
import { truncateLine, wrapLine } from "../../tui/style/wrap.ts";
import { sanitise, sanitiseLine } from "../../tui/text/sanitise.ts";
import type { Block, BlockPlace } from "./block.ts";
import { retryWords } from "./outcome-words.ts";

/** A piece of an answer: what was thought, what is said, or that it had to begin anew. */
type Part = Words | { type: "note"; text: string; isEnded: boolean; hasGiven: boolean };

interface Words {
  type: "text" | "thinking";
  stream: MarkdownStream;
  beginning: string;
  isEnded: boolean;
  /** Some of its rows are in the scrollback. */
  hasGiven: boolean;
}

/** The model's answer as it is written. What was committed of it stays, also when the rest breaks off. */
export class AnswerBlock implements Block {
  readonly kind = "words";
  private parts: Part[] = [];
  private isEnded = false;
  private hasGiven = false;
  private hasGivenWords = false;

  constructor(private readonly looks: Pick<BlockPlace, "theme" | "hasLinks">) {}

  accept(event: ModelEvent): void {
    switch (event.type) {
      case "text-delta":
        return this.write("text", event.text);
      case "thinking-delta":
        return this.write("thinking", event.text);
      case "text-end":
      case "thinking-end":
        return this.endPart();
      case "attempt-retry":
        return this.beginAnew(retryWords(event));
    }
  }

  end(): void {
    this.endPart();
    this.isEnded = true;
  }

  /** Something the model said is in the scrollback already. */
  get isCommitted(): boolean {
    return this.hasGivenWords;
  }

  get isDone(): boolean {
    return this.isEnded && this.parts.length === 0;
  }

  takeFinished(place: BlockPlace): Line[] {
    const rows: Line[] = [];
    for (let part = this.parts[0]; part !== undefined; part = this.parts[0]) {
      const finished = finishedRows(part, place);
      if (finished.length > 0) {
        if (this.hasGiven && !part.hasGiven) rows.push([]);
        part.hasGiven = true;
        this.hasGiven = true;
        this.hasGivenWords ||= part.type === "text";
      }
      appendAll(rows, finished);
      if (!part.isEnded) break;
      this.parts.shift();
    }
    return rows;
  }

  openRows(place: BlockPlace): Line[] {
    const rows: Line[] = [];
    for (const part of this.parts) {
      const open = openRows(part, place);
      if (open.length > 0 && !part.hasGiven && (this.hasGiven || rows.length > 0)) rows.push([]);
      appendAll(rows, open);
    }
    return rows;
  }

  private write(type: "text" | "thinking", text: string): void {
    const part = this.openPart(type);
    part.stream.append(text);
    if (part.beginning.length < BEGINNING_LENGTH) part.beginning += text;
  }

  private openPart(type: Words["type"]): Words {
    const last = this.parts.at(-1);
    if (last?.type === type && !last.isEnded) return last;
    this.endPart();
    const stream = createMarkdownStream(this.looks);
    const part: Words = { type, stream, beginning: "", isEnded: false, hasGiven: false };
    this.parts.push(part);
    return part;
  }

  private endPart(): void {
    const last = this.parts.at(-1);
    if (last === undefined || last.isEnded) return;
    last.isEnded = true;
    if (last.type !== "note") last.stream.finish();
  }

  /** What was not committed yet is void; what was cannot be taken back, and the next attempt is told. */
  private beginAnew(text: string): void {
    this.parts = [{ type: "note", text, isEnded: true, hasGiven: false }];
    this.hasGivenWords = false;
  }
}

function finishedRows(part: Part, place: BlockPlace): Line[] {
  const { width, theme, isThinkingShown } = place;
  if (part.type === "text") return part.stream.takeFinished(width);
  if (part.type === "note") return noteRows(part.text, place);
  if (isThinkingShown) return part.stream.takeFinished(width).map((row) => withStyle(row, theme.styles.muted));
  return part.isEnded && !part.hasGiven ? hiddenThinking(part.beginning, place) : [];
}

function openRows(part: Part, place: BlockPlace): Line[] {
  const { width, theme, isThinkingShown } = place;
  if (part.type === "text") return part.stream.openRows(width);
  if (part.type === "note") return noteRows(part.text, place);
  if (isThinkingShown) return part.stream.openRows(width).map((row) => withStyle(row, theme.styles.muted));
  return part.hasGiven ? [] : hiddenThinking(part.beginning, place);
}

const BEGINNING_LENGTH = 400;
const HIDDEN_WIDTH = 72;

/** A sign that something was thought, with its beginning. */
function hiddenThinking(beginning: string, { width, theme }: BlockPlace): Line[] {
  const first = sanitise(beginning).trim().split("\n", 1)[0] ?? "";
  if (first === "") return [];
  const row = line(span(`${theme.glyphs.bullet} thinking: ${sanitiseLine(first)}`, theme.styles.muted));
  return [truncateLine(row, Math.min(width, HIDDEN_WIDTH), theme.glyphs.ellipsis)];
}

function noteRows(text: string, { width, theme }: BlockPlace): Line[] {
  return wrapLine(line(span(`! ${sanitiseLine(text)}`, theme.styles.warning)), width);
}
