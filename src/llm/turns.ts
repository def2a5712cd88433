import type { JsonObject } from "../protocol/json.ts";
import type { AssistantPart, ImagePart, Message, TextPart, ToolResultMessage } from "../protocol/messages.ts";
import { keepJson } from "./body-json.ts";

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
  anchor?: PlacedBlock;
  /** The last block of the conversation, where it is not the anchor. It moves with every request. */
  rolling?: PlacedBlock;
}

export interface PlacedBlock {
  block: JsonObject;
  /** Which of the turns it stands in. */
  turn: number;
}

/** A request differs from the one before it by what was said since, so the turns that cannot grow any more are kept. */
export function toTurns(messages: readonly Message[], forms: BlockForms): Turns {
  const settled = settledOf(messages, forms);
  const turns = [...settled.turns];
  let { anchor } = settled;
  let open: OpenTurn | undefined;
  for (let at = settled.count; at < messages.length; at++) {
    const message = messages[at] as Message;
    const blocks = blocksOf(message, forms);
    if (blocks.length === 0) continue;
    const role = message.role === "assistant" ? "assistant" : "user";
    if (open?.role !== role) {
      if (open !== undefined) turns.push(closed(open));
      open = { role, results: [], rest: [], first: at, anchor };
    }
    (message.role === "tool-result" ? open.results : open.rest).push(...blocks);
    const last = blocks.at(-1);
    if (message.role === "user" && last !== undefined) anchor = { block: last, turn: turns.length };
  }
  if (open === undefined) return withEnds(turns, anchor);
  for (let at = settled.turns.length; at < turns.length; at++) keepJson(turns[at] as Turn);
  const { first: count, anchor: before } = open;
  SETTLED.set(forms, { messages: messages.slice(0, count + 1), count, turns: [...turns], anchor: before });
  turns.push(closed(open));
  return withEnds(turns, anchor);
}

function withEnds(turns: Turn[], anchor: PlacedBlock | undefined): Turns {
  const last = turns.at(-1)?.content.at(-1);
  const rolling = last === undefined || last === anchor?.block ? undefined : { block: last, turn: turns.length - 1 };
  return { turns, ...(anchor && { anchor }), ...(rolling && { rolling }) };
}

/** Results stand before everything else in their turn: providers refuse a call whose result does not follow at once. */
interface OpenTurn {
  role: Turn["role"];
  results: JsonObject[];
  rest: JsonObject[];
  /** The message it begins with, and the anchor before it. */
  first: number;
  anchor: PlacedBlock | undefined;
}

function closed({ role, results, rest }: OpenTurn): Turn {
  return { role, content: [...results, ...rest] };
}

/** The beginning of a conversation, and what was made of it: the same objects with every request. */
interface Settled {
  /** With the message behind it, by which its last turn cannot grow. */
  messages: readonly Message[];
  /** How many messages it has. */
  count: number;
  turns: readonly Turn[];
  anchor: PlacedBlock | undefined;
}

const SETTLED = new WeakMap<BlockForms, Settled>();
const NOTHING_SETTLED: Settled = { messages: [], count: 0, turns: [], anchor: undefined };

function settledOf(messages: readonly Message[], forms: BlockForms): Settled {
  const known = SETTLED.get(forms) ?? NOTHING_SETTLED;
  return known.messages.every((message, at) => message === messages[at]) ? known : NOTHING_SETTLED;
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

/** Another form for a block of a turn. */
export interface Replacement {
  placed: PlacedBlock | undefined;
  by(block: JsonObject): JsonObject[];
}

/** The turns with some blocks replaced. All other turns are the same objects. */
export function replaceBlocks(turns: Turn[], replacements: readonly Replacement[]): Turn[] {
  const replaced = [...turns];
  for (const { placed, by } of replacements) {
    const turn = placed === undefined ? undefined : replaced[placed.turn];
    if (placed === undefined || turn === undefined) continue;
    const content = turn.content.flatMap((block) => (block === placed.block ? by(block) : [block]));
    replaced[placed.turn] = { ...turn, content };
  }
  return replaced;
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
