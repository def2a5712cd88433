import type {
  ImagePart,
  Message,
  TextPart,
  ToolCallPart,
  ToolResultMessage,
  UserMessage,
} from "../../protocol/messages.ts";
import type { SessionEntry } from "../../protocol/session-entries.ts";
import { headAndTail } from "./head-and-tail.ts";
import { partsTokens, textTokens } from "./token-estimate.ts";

// What stays word for word when the rest is summarised. It is gathered from the whole branch each time, never from a summary,
// so nothing wears off over many compactions. Rules and project instructions are not here: they are in the system prompt.

export type PinKind = "goal" | "earlier-request" | "decision" | "changed-files" | "open-work" | "latest-request";

export interface Pin {
  kind: PinKind;
  content: (TextPart | ImagePart)[];
}

export interface PinOptions {
  /** The first entry that is sent word for word anyway. */
  firstKeptId: string;
  /** In tokens, for all pins together. */
  budget: number;
  /** What the open tasks are, for a reader; empty where there are none. */
  openWork: string;
  readings: ToolReadings;
}

/** What the messages mean; who knows the tools says so. */
export interface ToolReadings {
  /** Whether a person wrote it, and not Ralph in the person's place. */
  isRequest(message: UserMessage): boolean;
  /** Whether results of this tool are words of the person. */
  isQuestion(toolName: string): boolean;
  /** The question, where this is one to the person. */
  questionOf(call: ToolCallPart): string | undefined;
  isRefusal(result: ToolResultMessage): boolean;
  changedFile(call: ToolCallPart): string | undefined;
}

/** In the order in which they are shown. */
export function gatherPins(branch: readonly SessionEntry[], options: PinOptions): Pin[] {
  const dropped = branch.slice(
    0,
    Math.max(
      0,
      branch.findIndex(({ id }) => id === options.firstKeptId),
    ),
  );
  const { goal, earlier, latest } = requestsOf(branch, dropped, options.readings);
  const budget = createBudget(options.budget);
  const latestPin = requestPin("latest-request", latest, budget);
  const goalPin = requestPin("goal", goal, budget);
  const work = textPin("open-work", options.openWork, budget);
  const decisions = newestThatFit(decisionsIn(dropped, options.readings), budget);
  const files = textPin("changed-files", changedFiles(dropped, options.readings), budget);
  const others = earlier.toReversed().flatMap((request) => requestPin("earlier-request", request, budget));
  return [...goalPin, ...others.toReversed(), ...decisions, ...files, ...work, ...latestPin];
}

/** The parts as they stand in the entry: each pin behind a line that says what it is. */
export function pinnedParts(pins: readonly Pin[]): (TextPart | ImagePart)[] {
  if (pins.length === 0) return [];
  const parts = pins.flatMap(({ kind, content }) => [{ type: "text" as const, text: LABELS[kind] }, ...content]);
  return [...parts, { type: "text", text: END }];
}

const LABELS: Record<PinKind, string> = {
  goal: "The person's first request, word for word:",
  "earlier-request": "A later request of the person, word for word:",
  decision: "A decision of the person, word for word:",
  "changed-files": "Files that were changed so far:",
  "open-work": "Open tasks at this point (a newer task list counts before this one):",
  "latest-request": "The person's latest request before the messages that follow, word for word:",
};

const END = "What follows is the recent conversation.";

interface Request {
  entryId: string;
  message: UserMessage;
}

function requestsOf(branch: readonly SessionEntry[], dropped: readonly SessionEntry[], readings: ToolReadings) {
  const all = requestsIn(branch, readings);
  const gone = requestsIn(dropped, readings);
  const goal = gone[0];
  // Where a newer request stays word for word, those before it are not the latest.
  const latest = gone.length === all.length && gone.length > 1 ? gone.at(-1) : undefined;
  return { goal, latest, earlier: gone.slice(1, latest === undefined ? undefined : -1) };
}

function requestsIn(entries: readonly SessionEntry[], { isRequest }: ToolReadings): Request[] {
  return entries.flatMap((entry) => {
    if (entry.type !== "message" || entry.message.role !== "user" || entry.commandIds !== undefined) return [];
    return isVisible(entry.message) && isRequest(entry.message) ? [{ entryId: entry.id, message: entry.message }] : [];
  });
}

function isVisible({ content }: UserMessage): boolean {
  return content.some((part) => (part.type === "image" ? part.data !== "" : part.text.trim() !== ""));
}

const LARGE_SHARE = 0.4;
const SMALL_SHARE = 0.1;

interface Budget {
  whole: number;
  take(tokens: number): boolean;
  left(): number;
}

function createBudget(whole: number): Budget {
  let left = whole;
  return {
    whole,
    left: () => left,
    take(tokens) {
      if (tokens > left) return false;
      left -= tokens;
      return true;
    },
  };
}

/** A request beyond its share is pinned by its beginning and its end. */
function requestPin(kind: PinKind, request: Request | undefined, budget: Budget): Pin[] {
  if (request === undefined) return [];
  const share = kind === "earlier-request" ? SMALL_SHARE : LARGE_SHARE;
  const content = bounded(request, Math.min(budget.left(), Math.floor(budget.whole * share)));
  return content !== undefined && budget.take(partsTokens(content)) ? [{ kind, content }] : [];
}

const LEAST_CHARACTERS = 100;
const BYTES_PER_TOKEN = 4;
/** For the line that says what was left out. */
const NOTE_TOKENS = 40;

function bounded({ entryId, message }: Request, tokens: number): Pin["content"] | undefined {
  if (partsTokens(message.content) <= tokens) return message.content;
  const text = message.content
    .map((part) => (part.type === "text" ? part.text : `[${part.mediaType} left out]`))
    .join("\n");
  const density = Buffer.byteLength(text) / text.length;
  const keep = Math.floor(((tokens - NOTE_TOKENS) * BYTES_PER_TOKEN) / density);
  if (keep < LEAST_CHARACTERS) return undefined;
  return [{ type: "text", text: headAndTail(text, keep, `the whole request is entry ${entryId} of the session`) }];
}

function textPin(kind: PinKind, text: string, budget: Budget): Pin[] {
  const share = Math.floor(budget.whole * SMALL_SHARE);
  const list = headAndTail(text, share * BYTES_PER_TOKEN, "there are too many to list");
  return list !== "" && budget.take(textTokens(list)) ? [{ kind, content: [{ type: "text", text: list }] }] : [];
}

const MOST_DECISIONS = 20;

function newestThatFit(texts: readonly string[], budget: Budget): Pin[] {
  const pins: Pin[] = [];
  for (const text of texts.slice(-MOST_DECISIONS).toReversed()) {
    if (!budget.take(textTokens(text))) break;
    pins.unshift({ kind: "decision", content: [{ type: "text", text }] });
  }
  return pins;
}

const MOST_OF_A_CALL = 300;
const MOST_OF_A_QUESTION = 1000;
const MOST_OF_AN_ANSWER = 2000;

/** What the person answered and what was refused, each once, oldest first. */
function decisionsIn(entries: readonly SessionEntry[], readings: ToolReadings): string[] {
  const found = new Set<string>();
  for (const { call, result } of callsIn(entries)) {
    const text = decisionOf(call, result, readings);
    if (text === undefined) continue;
    // The newest of several that are the same decides about the order.
    found.delete(text);
    found.add(text);
  }
  return [...found];
}

function decisionOf(call: ToolCallPart, result: ToolResultMessage, readings: ToolReadings): string | undefined {
  const said = result.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  const question = readings.questionOf(call);
  if (question !== undefined && !result.isError)
    return `Asked: ${short(question, MOST_OF_A_QUESTION)}\nAnswered: ${short(said, MOST_OF_AN_ANSWER)}`;
  if (!readings.isRefusal(result)) return undefined;
  return `Refused: ${call.name} ${short(JSON.stringify(call.input), MOST_OF_A_CALL)}\n${short(said, MOST_OF_A_QUESTION)}`;
}

function short(text: string, keep: number): string {
  return headAndTail(text, keep, "the whole is in the session");
}

function changedFiles(entries: readonly SessionEntry[], { changedFile }: ToolReadings): string {
  const files = callsIn(entries).flatMap(({ call, result }) => (result.isError ? [] : (changedFile(call) ?? [])));
  return [...new Set(files)].join("\n");
}

function callsIn(entries: readonly SessionEntry[]): { call: ToolCallPart; result: ToolResultMessage }[] {
  const asked = new Map<string, ToolCallPart>();
  return entries.flatMap((entry) => {
    if (entry.type !== "message") return [];
    for (const call of callsOf(entry.message)) asked.set(call.id, call);
    if (entry.message.role !== "tool-result") return [];
    const call = asked.get(entry.message.toolCallId);
    return call === undefined ? [] : [{ call, result: entry.message }];
  });
}

function callsOf(message: Message): ToolCallPart[] {
  return message.role === "assistant" ? message.content.filter((part) => part.type === "tool-call") : [];
}
