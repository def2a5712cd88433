import type { AgentEvent } from "../../protocol/agent-events.ts";
import type { Message, ToolCallPart } from "../../protocol/messages.ts";
import { renderMarkdown } from "../../tui/markdown/markdown-stream.ts";
import { appendAll, type Line, line, span } from "../../tui/style/styled-line.ts";
import { wrapLine } from "../../tui/style/wrap.ts";
import { sanitise } from "../../tui/text/sanitise.ts";
import { AnswerBlock } from "./answer-block.ts";
import { type Block, type BlockPlace, finishedBlock } from "./block.ts";
import { callsOf, resultsById, textOfAnswer, userRows } from "./earlier-rows.ts";
import { compactionWords, outcomeWords, ruleWords } from "./outcome-words.ts";
import { ToolBlock, type ToolEnding } from "./tool-block.ts";

/** The conversation on the screen: events in, rows out. Blocks are finished in the order they began. */
export interface Conversation {
  accept(event: AgentEvent, now: number): void;
  /** What was said before, in a session that is gone on with; `leftOut` messages came before those. */
  showEarlier(messages: readonly Message[], leftOut: number): void;
  /** Lines of Ralph itself. */
  say(lines: (place: BlockPlace) => Line[]): void;
  takeFinished(place: BlockPlace): Line[];
  openRows(place: BlockPlace): Line[];
  /** Whether an answer that broke off may begin anew: nothing of it was committed. */
  mayRestart(): boolean;
  /** The text of the newest answer. */
  lastAnswer(): string;
  /** A call that has not ended. */
  callOf(toolCallId: string): ToolCallPart | undefined;
  /** Prints the newest output of a tool again, whole. False where all of it was seen. */
  reprintOutput(place: BlockPlace): boolean;
}

export type ConversationLooks = Pick<BlockPlace, "theme" | "hasLinks">;

export function createConversation(looks: () => ConversationLooks): Conversation {
  return new OpenConversation(looks);
}

class OpenConversation implements Conversation {
  private placed: { block: Block; hasGiven: boolean }[] = [];
  /** What stands last in the scrollback. */
  private givenKind: Block["kind"] | undefined;
  private answer: AnswerBlock | undefined;
  private readonly tools = new Map<string, ToolBlock>();
  private newestEnded: ToolBlock | undefined;
  /** Why something was not allowed, since the last answer. */
  private denials: string[] = [];
  private said = "";

  constructor(private readonly looks: () => ConversationLooks) {}

  accept(event: AgentEvent, now: number): void {
    switch (event.type) {
      case "message-start":
        if (event.role === "assistant") this.answer = this.add(new AnswerBlock(this.looks()));
        return;
      case "message-update":
        return this.answer?.accept(event.event);
      case "message-end":
        return this.endMessage(event.message);
      case "tool-start":
        return this.toolOf(event.call).begin(now);
      case "tool-update":
        return this.tools.get(event.toolCallId)?.update(event.text);
      case "decided":
        if (event.decision.effect === "deny") this.denials.push(event.decision.reason);
        return;
      case "tool-end":
        return this.endTool(event);
      case "notice":
        return this.note(event.text, event.level);
      case "compaction-start":
        return this.note(`Compacting: ${event.reason}`, "info");
      case "compaction-end":
        return this.note(compactionWords(event.result), event.result.type === "failed" ? "warning" : "info");
      case "rules-triggered":
        return this.tellRules(event);
      case "agent-end":
        return this.endWork(event);
    }
  }

  showEarlier(messages: readonly Message[], leftOut: number): void {
    if (leftOut > 0) this.note(`${leftOut} earlier messages are not shown here.`, "info");
    const results = resultsById(messages);
    for (const message of messages) {
      if (message.role === "user") this.say((place) => userRows(message, place));
      if (message.role !== "assistant") continue;
      this.said = textOfAnswer(message);
      this.sayMarkdown(this.said);
      for (const call of callsOf(message)) {
        const block = this.add(new ToolBlock(call));
        const result = results.get(call.id);
        if (result === undefined) block.abandon();
        else block.end({ ...result, content: [] }, 0, result.isError ? "failed" : "done");
      }
    }
  }

  say(lines: (place: BlockPlace) => Line[]): void {
    this.add(finishedBlock(lines));
  }

  takeFinished(place: BlockPlace): Line[] {
    const rows: Line[] = [];
    for (let first = this.placed[0]; first !== undefined; first = this.placed[0]) {
      const finished = first.block.takeFinished(place);
      if (finished.length > 0) {
        if (!first.hasGiven) rows.push(...gapBetween(this.givenKind, first.block.kind));
        first.hasGiven = true;
        this.givenKind = first.block.kind;
        appendAll(rows, finished);
      }
      if (!first.block.isDone) break;
      this.placed.shift();
    }
    return rows;
  }

  openRows(place: BlockPlace): Line[] {
    const rows: Line[] = [];
    let before = this.givenKind;
    for (const { block, hasGiven } of this.placed) {
      const open = block.openRows(place);
      if (open.length === 0) continue;
      if (!hasGiven) rows.push(...gapBetween(before, block.kind));
      appendAll(rows, open);
      before = block.kind;
    }
    return rows;
  }

  mayRestart(): boolean {
    return this.answer?.isCommitted !== true;
  }

  lastAnswer(): string {
    return this.said;
  }

  callOf(toolCallId: string): ToolCallPart | undefined {
    return this.tools.get(toolCallId)?.call;
  }

  reprintOutput(place: BlockPlace): boolean {
    const tool = this.newestEnded;
    this.newestEnded = undefined;
    if (tool === undefined || tool.allOutput(place, "whole").length === 0) return false;
    this.say((now) => tool.allOutput(now, "whole"));
    return true;
  }

  private add<Added extends Block>(block: Added): Added {
    this.placed.push({ block, hasGiven: false });
    return block;
  }

  private sayMarkdown(text: string): void {
    if (text.trim() === "") return;
    this.say(({ width, theme, hasLinks }) => renderMarkdown(text, width, { theme, hasLinks }));
  }

  private endMessage(message: Message): void {
    if (message.role === "user") this.say((place) => userRows(message, place));
    if (message.role !== "assistant") return;
    this.said = textOfAnswer(message);
    this.denials = [];
    if (this.answer === undefined) this.sayMarkdown(this.said);
    this.answer?.end();
    this.answer = undefined;
    for (const call of callsOf(message)) this.toolOf(call);
  }

  /** Calls are on the screen from the moment they are wanted: some wait for a yes, some for others. */
  private toolOf(call: ToolCallPart): ToolBlock {
    const known = this.tools.get(call.id);
    if (known !== undefined) return known;
    const block = this.add(new ToolBlock(call));
    this.tools.set(call.id, block);
    return block;
  }

  private endTool({ toolCallId, result, durationMs }: Extract<AgentEvent, { type: "tool-end" }>): void {
    const call: ToolCallPart = { type: "tool-call", id: toolCallId, name: result.toolName, input: {} };
    const block = this.toolOf(call);
    const text = result.content.map((part) => (part.type === "text" ? part.text : "")).join("");
    block.end(result, durationMs, this.endingOf(text, result.isError));
    this.tools.delete(toolCallId);
    this.newestEnded = block;
  }

  private endingOf(text: string, isError: boolean): ToolEnding {
    if (!isError) return "done";
    const reason = /^Not run: ([\s\S]*)/.exec(text)?.[1];
    if (reason === undefined) return "failed";
    return this.denials.some((denial) => reason.startsWith(denial.replace(/\.$/, ""))) ? "blocked" : "not-run";
  }

  /** What was shown of an answer that was stopped stays on the screen; the words behind it say what it is worth. */
  private tellRules({ rules, stopped }: Extract<AgentEvent, { type: "rules-triggered" }>): void {
    if (stopped) this.answer?.end();
    if (stopped) this.answer = undefined;
    this.note(ruleWords(rules, stopped), "info");
  }

  private endWork({ outcome }: Extract<AgentEvent, { type: "agent-end" }>): void {
    this.answer?.end();
    this.answer = undefined;
    for (const tool of this.tools.values()) tool.abandon();
    this.tools.clear();
    const words = outcomeWords(outcome);
    if (words !== undefined) this.note(words, outcome.type === "interrupted" ? "info" : "error");
  }

  private note(text: string, level: "info" | "warning" | "error"): void {
    this.say(({ width, theme }) => {
      const style = { info: theme.styles.muted, warning: theme.styles.warning, error: theme.styles.error }[level];
      const sign = level === "info" ? theme.glyphs.bullet : "!";
      const [first = "", ...more] = sanitise(text).trimEnd().split("\n");
      const rows = [`${sign} ${first}`, ...more.map((row) => `  ${row}`)];
      return rows.flatMap((row) => wrapLine(line(span(row, style)), width, { continuation: [span("  ")], indent: 2 }));
    });
  }
}

/** A blank row between blocks; tool calls stand close to each other. */
function gapBetween(before: Block["kind"] | undefined, next: Block["kind"]): Line[] {
  return before === undefined || (before === "tool" && next === "tool") ? [] : [[]];
}
