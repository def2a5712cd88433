import type { AssistantPart, ImagePart, Message, TextPart } from "../../protocol/messages.ts";
import type { ModelRequest } from "../../protocol/model-request.ts";
import type { SessionEntry } from "../../protocol/session-entries.ts";
import type { ToolDefinition } from "../../protocol/tools.ts";
import { foldContext } from "../context.ts";
import { type Compaction, type HistoryReader, isMadeBy, undoneIds } from "./history-view.ts";

// How many tokens a conversation has. A provider's own count is used for what it covers, and four bytes a token for what came
// after it: bytes, because a character of a script other than Latin is often a token of its own.

const BYTES_PER_TOKEN = 4;
const IMAGE_TOKENS = 1600;

export interface ContextSize {
  tokens: number;
  /** By how much this conversation's tokens differ from four bytes each, for estimates of a shorter form of it. */
  factor: number;
}

/** `overhead` is what the system prompt and the tools take. */
export function contextSize(branch: readonly SessionEntry[], overhead: number, reader?: HistoryReader): ContextSize {
  const { messages } = foldContext(branch, reader);
  const total = overhead + messagesTokens(messages);
  const known = lastKnown(branch, reader);
  if (known === undefined) return { tokens: total, factor: 1 };
  const after = messagesTokens(branch.slice(known.place + 1).flatMap(messageIn));
  // What is encrypted says nothing about how dense the words are that it stands for.
  const factor = isCompacted(messages[0]) ? 1 : known.tokens / Math.max(1, total - after);
  // Some servers report only what they did not have cached, so a count far below any text's density is not believed.
  return {
    tokens: Math.max(known.tokens + after, Math.ceil(total * LEAST)),
    factor: Math.min(MOST, Math.max(LEAST, factor)),
  };
}

function isCompacted(message: Message | undefined): boolean {
  return message?.role === "user" && message.compacted !== undefined;
}

const LEAST = 0.5;
const MOST = 4;

/**
 * At most so many, from the messages alone. An answer from before a compaction has the count of the longer conversation, so
 * this may be too much; then `contextSize` knows better.
 */
export function mostTokens(messages: readonly Message[], overhead: number): number {
  const total = overhead + messagesTokens(messages);
  const place = messages.findLastIndex((message) => countOf(message) !== undefined);
  const counted = place === -1 ? undefined : messages[place];
  const known = counted === undefined ? 0 : (countOf(counted) ?? 0);
  return Math.max(total, known + messagesTokens(messages.slice(place + 1)));
}

interface Known {
  /** The index of the entry up to which the tokens are known. */
  place: number;
  tokens: number;
}

/** The last answer a provider counted, or what the conversation had when it was shortened or brought back. */
function lastKnown(branch: readonly SessionEntry[], reader: HistoryReader | undefined): Known | undefined {
  const views = createViews(branch, reader);
  for (let place = branch.length - 1; place >= 0; place--) {
    const entry = branch[place];
    if (entry?.type === "message") {
      const tokens = countOf(entry.message);
      if (tokens !== undefined && views.isSame(place, entry.message)) return { place, tokens };
    } else if (entry?.type === "compaction" || entry?.type === "pruned") {
      if (!views.isOwn(place)) continue;
      return entry.tokensAfter === undefined ? undefined : { place, tokens: entry.tokensAfter };
    } else if (entry?.type === "compaction-undone") {
      return { place, tokens: entry.tokens };
    }
  }
  return undefined;
}

/** Whether what was counted somewhere was the history that `reader` sees: what a provider compacted only its maker saw shorter. */
function createViews(branch: readonly SessionEntry[], reader: HistoryReader | undefined) {
  if (!branch.some((entry) => entry.type === "compaction" && entry.server !== undefined))
    return { isSame: () => true, isOwn: () => true };
  const undone = undoneIds(branch);
  const compactions = branch.map((entry) => (entry.type === "compaction" && !undone.has(entry.id) ? entry : undefined));
  const before = (place: number): NonNullable<Compaction["server"]>[] => {
    const shared = compactions.findLastIndex(
      (entry, at) => at <= place && entry !== undefined && entry.server === undefined,
    );
    return compactions.slice(shared + 1, place + 1).flatMap((entry) => entry?.server ?? []);
  };
  return {
    isSame(place: number, message: Message) {
      if (message.role !== "assistant") return true;
      const author = { provider: message.provider, api: message.api as HistoryReader["api"], id: message.model };
      return before(place).every((server) => isMadeBy(server, author) === isMadeBy(server, reader));
    },
    isOwn: (place: number) => before(place).every((server) => isMadeBy(server, reader)),
  };
}

/** What a provider counted up to and with this message. */
function countOf(message: Message): number | undefined {
  if (message.role !== "assistant") return undefined;
  const { input, cacheRead, cacheWrite, output } = message.usage;
  const prompt = input + cacheRead + cacheWrite;
  if (prompt === 0) return undefined;
  return prompt + (output > 0 ? output : messageTokens(message));
}

function messageIn(entry: SessionEntry): Message[] {
  return entry.type === "message" ? [entry.message] : [];
}

/** What a request has beside the conversation. */
export function overheadTokens({ system, tools }: Pick<ModelRequest, "system" | "tools">): number {
  const ofTools = tools.reduce((sum, tool) => sum + toolTokens(tool), 0);
  return textTokens(system.base) + textTokens(system.dynamic ?? "") + ofTools;
}

function toolTokens(tool: ToolDefinition): number {
  const tokens = COUNTED.get(tool) ?? textTokens(JSON.stringify(tool));
  COUNTED.set(tool, tokens);
  return tokens;
}

export function textTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

export function messagesTokens(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + messageTokens(message), 0);
}

/** Messages never change, and all of them are counted before every request. */
const COUNTED = new WeakMap<object, number>();

export function messageTokens(message: Message): number {
  const known = COUNTED.get(message);
  if (known !== undefined) return known;
  const parts: readonly (AssistantPart | ImagePart)[] = message.content;
  const compacted = message.role === "user" ? (message.compacted?.items ?? "") : "";
  const tokens = partsTokens(parts) + textTokens(compacted);
  COUNTED.set(message, tokens);
  return tokens;
}

export function partsTokens(parts: readonly (AssistantPart | ImagePart | TextPart)[]): number {
  return parts.reduce((sum, part) => sum + partTokens(part), 0);
}

function partTokens(part: AssistantPart | ImagePart): number {
  switch (part.type) {
    case "text":
      return textTokens(part.text);
    case "thinking":
      return textTokens(part.text) + textTokens(part.encrypted ?? "");
    case "tool-call":
      return textTokens(part.name) + textTokens(part.invalidInput ?? JSON.stringify(part.input));
    case "image":
      return IMAGE_TOKENS;
  }
}
