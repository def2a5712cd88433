import type { AssistantMessage, ImagePart, Message, TextPart } from "../../protocol/messages.ts";
import { spelled } from "./spelled-number.ts";
import { textTokens } from "./token-estimate.ts";

// Whether a summary may stand for what it replaces. The model writes it; these checks decide.

/** The headings a summary must have, in this order. */
export const SUMMARY_SECTIONS = [
  "Goal",
  "Decisions and constraints",
  "Done",
  "Failed",
  "Open work",
  "Next step",
] as const;

export type Rejection =
  | { type: "empty" }
  /** The model reached its output limit, refused, or was cut off. */
  | { type: "unfinished"; stopReason: string }
  | { type: "called-tools" }
  | { type: "missing-sections"; sections: string[] }
  | { type: "too-long"; tokens: number; allowed: number }
  /** It would not be much shorter than what it replaces. */
  | { type: "no-gain"; tokens: number; replaced: number }
  | { type: "fake-turns"; line: string }
  | { type: "pins-lost"; count: number }
  | { type: "broken-pairs"; fault: string }
  | { type: "still-too-large"; tokens: number; allowed: number };

export const MOST_SUMMARY_TOKENS = 2000;
/** What summary and pins may have of what they replace. */
const MOST_OF_REPLACED = 0.5;

/** The text of a summary that can be used, or why it cannot. */
export function readSummary(
  answer: AssistantMessage,
): { ok: true; text: string } | { ok: false; rejection: Rejection } {
  const text = answer.content
    .map((part) => (part.type === "text" ? part.text : ""))
    .join("")
    .trim();
  const rejection = textRejection(answer, text);
  return rejection === undefined ? { ok: true, text } : { ok: false, rejection };
}

function textRejection(answer: AssistantMessage, text: string): Rejection | undefined {
  if (answer.content.some((part) => part.type === "tool-call")) return { type: "called-tools" };
  if (answer.stopReason !== "stop") return { type: "unfinished", stopReason: answer.stopReason };
  if (text === "") return { type: "empty" };
  const line = text.split("\n").find((candidate) => FAKE_TURNS.some((pattern) => pattern.test(candidate)));
  if (line !== undefined) return { type: "fake-turns", line: line.trim().slice(0, 80) };
  const tokens = textTokens(text);
  if (tokens > MOST_SUMMARY_TOKENS) return { type: "too-long", tokens, allowed: MOST_SUMMARY_TOKENS };
  const sections = SUMMARY_SECTIONS.filter((section) => !hasSection(text, section));
  return sections.length === 0 ? undefined : { type: "missing-sections", sections };
}

/** Lines that could be read as turns or calls of the conversation, or that end the frame the summary stands in. */
const FAKE_TURNS = [
  /^\s*<\/?(tool_calls?|tool_use|tool_results?|function_calls?|function_results?|invoke|antml:\w+)\b/i,
  /^\s*<\/?(conversation_summary|branch_summary)\b/i,
  /<\|(im_start|im_end|start_header_id|eot_id|tool_call)\|?>/i,
  /^(human|user|assistant|system|tool|tool result):(\s|$)/i,
  /^\s*\{\s*"(type"\s*:\s*"(tool_use|tool_result|tool-call|function)|tool_calls?|function_call)"/i,
];

/** A heading with something below it. */
function hasSection(text: string, section: string): boolean {
  const lines = text.split("\n");
  const heading = new RegExp(`^#{1,4}\\s*(\\d+[.)]\\s*)?${section}\\s*:?\\s*$`, "i");
  const place = lines.findIndex((line) => heading.test(line.trim()));
  const next = place === -1 ? undefined : lines.slice(place + 1).find((line) => line.trim() !== "");
  return next !== undefined && !/^#{1,4}\s/.test(next.trim());
}

export interface FoldedHistory {
  /** The conversation as it would be sent. */
  messages: readonly Message[];
  tokens: number;
  /** What it has to be below. */
  allowed: number;
  pinned: readonly (TextPart | ImagePart)[];
  /** What the summary and the pins take, and what they stand for. */
  added: number;
  replaced: number;
}

/** What is wrong with the conversation in which the summary stands. */
export function foldRejection(folded: FoldedHistory): Rejection | undefined {
  const { messages, tokens, allowed, pinned, added, replaced } = folded;
  const first: readonly unknown[] = messages[0]?.role === "user" ? messages[0].content : [];
  const lost = pinned.filter((part) => !first.includes(part)).length;
  if (lost > 0) return { type: "pins-lost", count: lost };
  const fault = brokenPair(messages);
  if (fault !== undefined) return { type: "broken-pairs", fault };
  if (added > replaced * MOST_OF_REPLACED) return { type: "no-gain", tokens: added, replaced };
  return tokens >= allowed ? { type: "still-too-large", tokens, allowed } : undefined;
}

/** Every call is followed by its results, in order, and there are no others. */
function brokenPair(messages: readonly Message[]): string | undefined {
  let waiting: string[] = [];
  for (const message of messages) {
    if (message.role === "tool-result") {
      if (waiting.shift() !== message.toolCallId) return `a result of ${message.toolName} has no call before it`;
      continue;
    }
    if (waiting.length > 0) return `a call has no result`;
    if (message.role !== "assistant") continue;
    waiting = message.content.flatMap((part) => (part.type === "tool-call" ? [part.id] : []));
  }
  return waiting.length > 0 ? "a call has no result" : undefined;
}

/** What a person and the model are told. */
export function rejectionText(rejection: Rejection): string {
  switch (rejection.type) {
    case "empty":
      return "the summary is empty";
    case "unfinished":
      return `the summary was not finished (${rejection.stopReason})`;
    case "called-tools":
      return "the model called a tool instead of writing a summary";
    case "missing-sections":
      return `the summary lacks ${rejection.sections.map((section) => `"## ${section}"`).join(", ")} or says nothing there`;
    case "too-long":
      return `the summary has ${spelled(rejection.tokens)} tokens; the limit is ${spelled(rejection.allowed)}`;
    case "no-gain":
      return `summary and pinned parts have ${spelled(rejection.tokens)} tokens, too many for the ${spelled(rejection.replaced)} they would replace`;
    case "fake-turns":
      return `the summary has a line that reads like a turn or a tool call: ${rejection.line}`;
    case "pins-lost":
      return `${rejection.count} pinned parts would be lost`;
    case "broken-pairs":
      return `tool calls would be torn from their results: ${rejection.fault}`;
    case "still-too-large":
      return `the conversation would still have ${spelled(rejection.tokens)} tokens; it must be below ${spelled(rejection.allowed)}`;
  }
}
