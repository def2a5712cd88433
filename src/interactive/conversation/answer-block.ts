import type { ModelEvent } from "../../protocol/model-events.ts";
import { createMarkdownStream, type MarkdownStream, renderMarkdown } from "../../tui/markdown/markdown-stream.ts";
import { type Line, line, span, withStyle } from "../../tui/style/styled-line.ts";
import { wrapLine } from "../../tui/style/wrap.ts";
import { sanitise } from "../../tui/text/sanitise.ts";
import type { Block, BlockPlace } from "./block.ts";

/** A piece of an answer: what was thought, or what is said. */
type Part =
  | { type: "thinking"; text: string; isEnded: boolean }
  | { type: "text"; stream: MarkdownStream; deltas: string[] };

/** The model's answer as it is written. What was committed of it stays, also when the rest breaks off. */
export class AnswerBlock implements Block {
  private parts: Part[] = [];
  private isEnded = false;
  private hasGiven = false;

  accept(event: ModelEvent): void {
    switch (event.type) {
      case "text-delta":
        return this.write(event.text);
      case "thinking-delta":
        return this.think(event.text);
      case "text-end":
      case "thinking-end":
        return this.endPart();
      case "attempt-retry":
        // What was shown stays: it cannot be taken back, and the next attempt says it again.
        this.endPart();
        this.parts = this.parts.filter((part) => part.type === "text" && this.hasGiven);
    }
  }

  end(): void {
    this.endPart();
    this.isEnded = true;
  }

  /** Something of it is in the scrollback already. */
  get isCommitted(): boolean {
    return this.hasGiven;
  }

  get isDone(): boolean {
    return this.isEnded && this.parts.length === 0;
  }

  takeFinished(place: BlockPlace): Line[] {
    const rows: Line[] = [];
    for (let part = this.parts[0]; part !== undefined; part = this.parts[0]) {
      rows.push(...this.finishedRows(part, place));
      if (!this.isOver(part)) break;
      this.parts.shift();
    }
    if (rows.length > 0) this.hasGiven = true;
    return rows;
  }

  openRows(place: BlockPlace): Line[] {
    return this.parts.flatMap((part) =>
      part.type === "text" ? part.stream.openRows(place.width) : part.isEnded ? [] : thinkingRows(part.text, place),
    );
  }

  private finishedRows(part: Part, place: BlockPlace): Line[] {
    if (part.type === "thinking") return part.isEnded ? thinkingRows(part.text, place) : [];
    return part.stream.takeFinished(place.width);
  }

  private isOver(part: Part): boolean {
    return part.type === "thinking"
      ? part.isEnded
      : this.isEnded || part !== this.parts.at(-1) || part.deltas.length === 0;
  }

  private write(text: string): void {
    const last = this.parts.at(-1);
    if (last?.type === "text" && last.deltas.length > 0) last.stream.append(text);
    else this.parts.push(this.newText(text));
  }

  private newText(text: string): Part {
    const stream = this.createStream();
    stream.append(text);
    return { type: "text", stream, deltas: [text] };
  }

  private think(text: string): void {
    const last = this.parts.at(-1);
    if (last?.type === "thinking" && !last.isEnded) last.text += text;
    else this.parts.push({ type: "thinking", text, isEnded: false });
  }

  private endPart(): void {
    const last = this.parts.at(-1);
    if (last?.type === "thinking") last.isEnded = true;
    if (last?.type === "text") {
      last.stream.finish();
      last.deltas = [];
    }
  }

  constructor(private readonly createStream: () => MarkdownStream) {}
}

export function createAnswerBlock({ theme, hasLinks }: Pick<BlockPlace, "theme" | "hasLinks">): AnswerBlock {
  return new AnswerBlock(() => createMarkdownStream({ theme, hasLinks }));
}

const HIDDEN_LENGTH = 60;

/** Thoughts in full where the person wants them, otherwise a sign that there were some. */
function thinkingRows(text: string, { width, theme, hasLinks, isThinkingShown }: BlockPlace): Line[] {
  const { muted } = theme.styles;
  if (text.trim() === "") return [];
  if (isThinkingShown) {
    return [...renderMarkdown(text, width, { theme, hasLinks }).map((row) => withStyle(row, muted)), []];
  }
  const first = sanitise(text).trim().split("\n", 1)[0] ?? "";
  const shown = first.length > HIDDEN_LENGTH ? `${first.slice(0, HIDDEN_LENGTH)}${theme.glyphs.ellipsis}` : first;
  return wrapLine(line(span(`${theme.glyphs.bullet} thinking: ${shown}`, muted)), width).slice(0, 1);
}
