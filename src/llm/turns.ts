import type { JsonObject } from "../protocol/json.ts";
import type { AssistantPart, ImagePart, Message, TextPart, ToolResultMessage } from "../protocol/messages.ts";

// The conversation as providers want it that know only two speakers: turns of user and assistant that alternate, where the
// results of tools are part of the user's turn. Shared by the protocols of Anthropic and Bedrock.

export type Turn = { role: "user" | "assistant"; content: JsonObject[] };

/** What a protocol makes of each part; undefined leaves the part out. */
export interface BlockForms {
  user(part: TextPart | ImagePart): JsonObject | undefined;
  assistant(part: AssistantPart): JsonObject | undefined;
  toolResult(message: ToolResultMessage): JsonObject;
}

export interface Turns {
  turns: Turn[];
  /** The last block of the last message a person wrote. It stays where it is while tools are called, so caches hang on it. */
  anchor?: JsonObject;
  /** The last block of the conversation, where it is not the anchor. It moves with every request. */
  rolling?: JsonObject;
}

export function toTurns(messages: Message[], forms: BlockForms): Turns {
  const grouped: GroupedTurn[] = [];
  let anchor: JsonObject | undefined;
  for (const message of messages) {
    const blocks = blocksOf(message, forms);
    if (blocks.length === 0) continue;
    const turn = turnFor(message, grouped);
    if (message.role === "tool-result") turn.results.push(...blocks);
    else turn.rest.push(...blocks);
    if (message.role === "user") anchor = blocks.at(-1);
  }
  const turns = grouped.map(({ role, results, rest }): Turn => ({ role, content: [...results, ...rest] }));
  const last = turns.at(-1)?.content.at(-1);
  return { turns, ...(anchor && { anchor }), ...(last !== anchor && last && { rolling: last }) };
}

/** Results stand before everything else in their turn: providers refuse a call whose result does not follow at once. */
interface GroupedTurn {
  role: Turn["role"];
  results: JsonObject[];
  rest: JsonObject[];
}

function turnFor(message: Message, turns: GroupedTurn[]): GroupedTurn {
  const role = message.role === "assistant" ? "assistant" : "user";
  const last = turns.at(-1);
  if (last?.role === role) return last;
  const turn: GroupedTurn = { role, results: [], rest: [] };
  turns.push(turn);
  return turn;
}

/** Messages never change, and all of them go with every request: what was made of one is kept as long as it lives. */
const MADE = new WeakMap<BlockForms, WeakMap<Message, JsonObject[]>>();

function blocksOf(message: Message, forms: BlockForms): JsonObject[] {
  const made = MADE.get(forms) ?? new WeakMap<Message, JsonObject[]>();
  MADE.set(forms, made);
  const blocks = made.get(message) ?? makeBlocks(message, forms);
  made.set(message, blocks);
  return blocks;
}

function makeBlocks(message: Message, forms: BlockForms): JsonObject[] {
  switch (message.role) {
    case "tool-result":
      return [forms.toolResult(message)];
    case "user":
      return message.content.map(forms.user).filter((block) => block !== undefined);
    case "assistant":
      return withoutTrailingThinking(message.content)
        .map(forms.assistant)
        .filter((block) => block !== undefined);
  }
}

/** An answer that was interrupted while it thought: a turn may not end with thinking, and nothing came of it. */
function withoutTrailingThinking(parts: AssistantPart[]): AssistantPart[] {
  const end = parts.findLastIndex((part) => part.type === "tool-call" || (part.type === "text" && !isBlank(part.text)));
  return parts.slice(0, end + 1);
}

/** Providers refuse text without a single visible character. */
export function isBlank(text: string): boolean {
  return text.trim() === "";
}

/** The turns with some blocks replaced. Turns without any of them are the same objects. */
export function replaceBlocks(turns: Turn[], replacements: ReadonlyMap<JsonObject, JsonObject[]>): Turn[] {
  const olds = [...replacements.keys()];
  return turns.map((turn) => {
    if (!olds.some((old) => turn.content.includes(old))) return turn;
    return { ...turn, content: turn.content.flatMap((block) => replacements.get(block) ?? [block]) };
  });
}

/**
 * The part of the instructions that changes with every request goes behind everything a provider may keep, as the last words
 * of the user's turn, so that all bytes before it stay the same.
 */
export function withContext(turns: Turn[], context: string | undefined, toBlock: (text: string) => JsonObject): Turn[] {
  if (context === undefined || isBlank(context)) return turns;
  const block = toBlock(`<context>\n${context}\n</context>`);
  const last = turns.at(-1);
  if (last?.role !== "user") return [...turns, { role: "user", content: [block] }];
  return [...turns.slice(0, -1), { ...last, content: [...last.content, block] }];
}

/** What a tool that said nothing is quoted with: some providers refuse an empty result. */
export const NO_OUTPUT = "(no output)";
