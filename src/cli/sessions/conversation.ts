import type { BrokenOff } from "../../protocol/agent-state.ts";
import type {
  AssistantMessage,
  AssistantPart,
  ImagePart,
  Message,
  TextPart,
  ToolCallPart,
} from "../../protocol/messages.ts";
import type { SessionEntry } from "../../protocol/session-entries.ts";
import { visible } from "../printable.ts";
import { bytes, exactly, grouped, oneLine } from "./wording.ts";

const HEAD_LINES = 5;
const LONGEST_LINE = 200;

/** An entry as a person reads it; empty for those that only Ralph needs. Nothing in it steers a terminal. */
export function readable(entry: SessionEntry): string {
  switch (entry.type) {
    case "message":
      return messageText(entry.message, exactly(Date.parse(entry.at)));
    case "compaction":
      return section("summary of what came before", entry.summary);
    case "branch-summary":
      return section("summary of another branch", entry.summary);
    case "rules-injected":
      return section(`told of rules: ${oneLine(entry.names.join(", "))}`);
    case "model-changed":
      return section(`model ${oneLine(entry.model)}`);
    default:
      return "";
  }
}

/** What stands behind the last entry of a session that did not come to its end. */
export function readableEnd({ answer, broken }: UnfinishedEnd): string {
  if (answer !== undefined)
    return section(
      `assistant, ${oneLine(`${answer.provider}/${answer.model}`)}, not finished`,
      ...answer.content.map(partText),
    );
  return broken === "prompt" ? section("no answer yet") : broken === "work" ? section("the work broke off here") : "";
}

export interface UnfinishedEnd {
  /** What has arrived of an answer that is not stored: it is being written, or Ralph was killed meanwhile. */
  answer?: AssistantMessage | undefined;
  broken?: BrokenOff["what"] | undefined;
}

function messageText(message: Message, time: string): string {
  switch (message.role) {
    case "user":
      return section(`user, ${time}`, ...message.content.map(contentText));
    case "assistant":
      return section(
        `assistant, ${time}, ${oneLine(`${message.provider}/${message.model}`)}${message.stopReason === "cut" ? ", broke off" : ""}`,
        ...message.content.map(partText),
      );
    case "tool-result": {
      const text = message.content.map(contentText).join("\n");
      return `\n  ← ${oneLine(message.toolName)}${message.isError ? " failed" : ""}\n${headOf(text)}`;
    }
  }
}

function section(title: string, ...texts: string[]): string {
  const body = texts.filter((text) => text !== "").map((text) => `${visible(text).trimEnd()}\n`);
  return `\n── ${title}\n${body.join("")}`;
}

function contentText(part: TextPart | ImagePart): string {
  if (part.type === "text") return part.text;
  return `[${part.mediaType}, ${bytes(Math.floor((part.data.length * 3) / 4))}]`;
}

function partText(part: AssistantPart): string {
  if (part.type === "text") return part.text;
  if (part.type === "tool-call") return `  → ${oneLine(part.name)} ${shortened(inputOf(part))}`;
  return part.text === "" ? "" : `(thought, ${grouped(part.text.length)} characters)`;
}

function inputOf({ input, invalidInput }: ToolCallPart): string {
  return invalidInput ?? JSON.stringify(input);
}

/** The first lines of what a tool gave back. */
function headOf(text: string): string {
  const lines = text.trimEnd().split("\n");
  const shown = lines.slice(0, HEAD_LINES).map((line) => `    ${shortened(line)}`.trimEnd());
  const more = lines.length - shown.length;
  if (more > 0) shown.push(`    … ${grouped(more)} more ${more === 1 ? "line" : "lines"}`);
  return `${shown.join("\n")}\n`;
}

function shortened(line: string): string {
  const text = visible(line.replace(/\r$/, ""));
  return text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE)}…` : text;
}
