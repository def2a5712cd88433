import type { Message, ToolCallPart } from "../../protocol/messages.ts";
import { headAndTail } from "./head-and-tail.ts";
import type { HistoryView } from "./history-view.ts";

// What stands in place of messages that had to be left out without a summary of a model: a list, made by Ralph, of what they were.

const MOST_OF_A_LINE = 160;
const MOST_CHARACTERS = 4000;
const WHERE = "the whole conversation is in the session";

export function trimOutline(earlier: HistoryView["compaction"], messages: readonly Message[]): string {
  const lines = messages.flatMap(linesOf);
  const list = headAndTail(lines.join("\n"), MOST_CHARACTERS, WHERE);
  const before = earlier === undefined ? [] : [headAndTail(earlier.summary, MOST_CHARACTERS, WHERE), ""];
  return [...before, `${messages.length} messages were left out because they did not fit. In them:`, list].join("\n");
}

function linesOf(message: Message): string[] {
  if (message.role === "tool-result") return message.isError ? [`  ${message.toolName} failed`] : [];
  const said = message.content.flatMap((part) => (part.type === "text" && part.text.trim() !== "" ? [part.text] : []));
  const who = message.role === "user" ? "the person" : "the model";
  const words = said.length === 0 ? [] : [`- ${who}: ${oneLine(said.join(" "))}`];
  const calls: ToolCallPart[] =
    message.role === "assistant" ? message.content.filter((part) => part.type === "tool-call") : [];
  return [...words, ...calls.map((call) => `- called ${call.name} ${oneLine(JSON.stringify(call.input))}`)];
}

function oneLine(text: string): string {
  const line = text
    .slice(0, MOST_OF_A_LINE * 4)
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length > MOST_OF_A_LINE ? `${line.slice(0, MOST_OF_A_LINE).toWellFormed()}…` : line.toWellFormed();
}
