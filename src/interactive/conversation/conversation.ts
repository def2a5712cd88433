import type { AgentEvent } from "../../protocol/agent-events.ts";
import type { Message, UserMessage } from "../../protocol/messages.ts";
import { renderMarkdown } from "../../tui/markdown/markdown-stream.ts";
import { type Line, line, span } from "../../tui/style/styled-line.ts";
import { wrapLine } from "../../tui/style/wrap.ts";
import { sanitise } from "../../tui/text/sanitise.ts";
import { type AnswerBlock, createAnswerBlock } from "./answer-block.ts";
import { type Block, type BlockPlace, finishedBlock } from "./block.ts";
import { compactionWords, outcomeWords } from "./outcome-words.ts";
import { ToolBlock } from "./tool-block.ts";

/** The conversation on the screen: events in, rows out. Blocks are finished in the order they began. */
export interface Conversation {
  accept(event: AgentEvent, now: number): void;
  /** What was said before, in a session that is gone on with. */
  showEarlier(messages: readonly Message[]): void;
  /** Lines of Ralph itself. */
  say(lines: (place: BlockPlace) => Line[]): void;
  takeFinished(place: BlockPlace): Line[];
  openRows(place: BlockPlace): Line[];
  /** Whether an answer that broke off may begin anew: nothing of it was committed. */
  mayRestart(): boolean;
  /** The text of the newest answer. */
  lastAnswer(): string;
}

export function createConversation(looks: Pick<BlockPlace, "theme" | "hasLinks">): Conversation {
  return new OpenConversation(looks);
}

class OpenConversation implements Conversation {
  private blocks: Block[] = [];
  private answer: AnswerBlock | undefined;
  private readonly tools = new Map<string, ToolBlock>();
  private newestTool: ToolBlock | undefined;
  private hasRows = false;
  private said = "";

  constructor(private readonly looks: Pick<BlockPlace, "theme" | "hasLinks">) {}

  accept(event: AgentEvent, now: number): void {
    switch (event.type) {
      case "message-start":
        if (event.role === "assistant") this.answer = this.add(createAnswerBlock(this.looks));
        return;
      case "message-update":
        return this.answer?.accept(event.event);
      case "message-end":
        return this.endMessage(event.message);
      case "tool-start":
        this.newestTool = this.add(new ToolBlock(event.call, now));
        this.tools.set(event.call.id, this.newestTool);
        return;
      case "tool-update":
        return this.tools.get(event.toolCallId)?.update(event.text);
      case "decided":
        if (event.decision.effect === "deny") this.newestTool?.deny(event.decision);
        return;
      case "tool-end":
        this.tools.get(event.toolCallId)?.end(event.result, event.durationMs);
        this.tools.delete(event.toolCallId);
        return;
      case "notice":
        return this.note(event.text, event.level);
      case "compaction-start":
        return this.note(`Compacting: ${event.reason}`, "info");
      case "compaction-end":
        return this.note(compactionWords(event.result), "info");
      case "agent-end":
        return this.endWork(event);
    }
  }

  showEarlier(messages: readonly Message[]): void {
    for (const message of messages) {
      if (message.role === "user") this.say((place) => userRows(message, place));
      if (message.role !== "assistant") continue;
      const text = message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
      if (text.trim() !== "")
        this.say(({ width, theme, hasLinks }) => renderMarkdown(text, width, { theme, hasLinks }));
    }
  }

  say(lines: (place: BlockPlace) => Line[]): void {
    this.add(finishedBlock(lines));
  }

  takeFinished(place: BlockPlace): Line[] {
    const rows: Line[] = [];
    for (let block = this.blocks[0]; block !== undefined; block = this.blocks[0]) {
      const finished = block.takeFinished(place);
      if (finished.length > 0 && this.hasRows && this.isFresh(block)) rows.push([]);
      if (finished.length > 0) this.begun.add(block);
      rows.push(...finished);
      this.hasRows ||= rows.length > 0;
      if (!block.isDone) break;
      this.blocks.shift();
    }
    return rows;
  }

  openRows(place: BlockPlace): Line[] {
    const rows: Line[] = [];
    for (const block of this.blocks) {
      const open = block.openRows(place);
      if (open.length > 0 && (this.hasRows || rows.length > 0) && this.isFresh(block)) rows.push([]);
      rows.push(...open);
    }
    return rows;
  }

  mayRestart(): boolean {
    return this.answer?.isCommitted !== true;
  }

  lastAnswer(): string {
    return this.said;
  }

  /** Blocks some rows of which were given away. */
  private readonly begun = new WeakSet<Block>();

  /** A blank row stands before each block, and none inside of it. */
  private isFresh(block: Block): boolean {
    return !this.begun.has(block) && !(block instanceof ToolBlock && this.previousIsTool(block));
  }

  private previousIsTool(block: Block): boolean {
    const at = this.blocks.indexOf(block);
    return at > 0 ? this.blocks[at - 1] instanceof ToolBlock : this.lastTaken instanceof ToolBlock;
  }

  private lastTaken: Block | undefined;

  private add<Added extends Block>(block: Added): Added {
    if (this.blocks.length === 0) this.lastTaken = this.newest;
    this.blocks.push(block);
    this.newest = block;
    return block;
  }

  private newest: Block | undefined;

  private endMessage(message: Message): void {
    if (message.role === "user") this.say((place) => userRows(message, place));
    if (message.role !== "assistant") return;
    this.said = message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
    this.answer?.end();
    this.answer = undefined;
  }

  private endWork({ outcome }: Extract<AgentEvent, { type: "agent-end" }>): void {
    this.answer?.end();
    this.answer = undefined;
    const words = outcomeWords(outcome);
    if (words !== undefined) this.note(words, outcome.type === "interrupted" ? "info" : "error");
  }

  private note(text: string, level: "info" | "warning" | "error"): void {
    this.say(({ width, theme }) => {
      const style = { info: theme.styles.muted, warning: theme.styles.warning, error: theme.styles.error }[level];
      const sign = level === "info" ? theme.glyphs.bullet : "!";
      return wrapLine(line(span(`${sign} ${sanitise(text)}`, style)), width);
    });
  }
}

function userRows({ content }: UserMessage, { width, theme }: BlockPlace): Line[] {
  const text = content.map((part) => (part.type === "text" ? part.text : `[${part.mediaType}]`)).join("\n");
  const rows = sanitise(text)
    .trimEnd()
    .split("\n")
    .flatMap((row) => wrapLine(line(span(row, theme.styles.strong)), Math.max(1, width - 2)));
  return rows.map((row, index) => [span(index === 0 ? `${theme.glyphs.pointer} ` : "  ", theme.styles.accent), ...row]);
}
