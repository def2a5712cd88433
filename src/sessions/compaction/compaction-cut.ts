import type { Message } from "../../protocol/messages.ts";
import type { VisibleItem } from "./history-view.ts";

// Where a conversation is cut into what is summarised and what stays word for word.

/** Fewer are not worth a summary. */
export const LEAST_SUMMARISED = 3;

export interface CutOptions {
  /** How many messages stay at least, unless they alone are too large. */
  keepMessages: number;
  /** What may stay, in tokens, where the number of messages allows it. */
  wanted: number;
  /** What may stay at the very most. */
  most: number;
  tokensOf(message: Message): number;
  /** The number of messages decides, not the tokens: a person asked for it. */
  byCount?: boolean;
}

export interface Cut {
  firstKeptId: string;
  /** The index of the first kept item. */
  place: number;
}

/** Undefined when too little would be summarised. Never between a call and its result. */
export function planCut(items: readonly VisibleItem[], options: CutOptions): Cut | undefined {
  const places = cutPlaces(items);
  const place = options.byCount ? placeByCount(places, items, options) : placeBySize(places, items, options);
  const first = place === undefined ? undefined : items[place];
  if (place === undefined || first === undefined || place < LEAST_SUMMARISED) return undefined;
  return { firstKeptId: first.entryId, place };
}

/** Of a short conversation a person wants shortened, half stays. */
function placeByCount(
  places: number[],
  items: readonly VisibleItem[],
  { keepMessages }: CutOptions,
): number | undefined {
  const keep = Math.min(keepMessages, Math.floor(items.length / 2));
  return places.findLast((place) => items.length - place >= keep);
}

function placeBySize(places: number[], items: readonly VisibleItem[], options: CutOptions): number | undefined {
  const { keepMessages, wanted, most, tokensOf } = options;
  const sizes = sizesFrom(items, tokensOf);
  const fitting = places.find((place) => (sizes[place] ?? 0) <= wanted);
  if (fitting !== undefined && items.length - fitting >= keepMessages) return fitting;
  const counted = places.findLast((place) => items.length - place >= keepMessages);
  if (counted !== undefined && (sizes[counted] ?? 0) <= most) return counted;
  return fitting ?? places.at(-1);
}

/** The size of everything from each place on. */
function sizesFrom(items: readonly VisibleItem[], tokensOf: (message: Message) => number): number[] {
  const sizes: number[] = [];
  let size = 0;
  for (let place = items.length - 1; place >= 0; place--) {
    const item = items[place];
    size += item === undefined ? 0 : tokensOf(item.message);
    sizes[place] = size;
  }
  return sizes;
}

/** Before a message of the user or an answer, where no result of a call before it comes later. */
export function cutPlaces(items: readonly VisibleItem[]): number[] {
  const lastResults = lastResultOf(items);
  const places: number[] = [];
  let waitsUntil = -1;
  for (const [place, { message }] of items.entries()) {
    if (message.role !== "tool-result" && place > waitsUntil) places.push(place);
    waitsUntil = Math.max(waitsUntil, lastResults.get(place) ?? -1);
  }
  return places;
}

/** The place of an answer → the place of the last result of its calls. Ids may be used again by later answers. */
function lastResultOf(items: readonly VisibleItem[]): Map<number, number> {
  const askedAt = new Map<string, number>();
  const last = new Map<number, number>();
  for (const [place, { message }] of items.entries()) {
    for (const id of callIdsOf(message)) askedAt.set(id, place);
    if (message.role !== "tool-result") continue;
    const asked = askedAt.get(message.toolCallId);
    askedAt.delete(message.toolCallId);
    if (asked !== undefined) last.set(asked, place);
  }
  return last;
}

function callIdsOf(message: Message): string[] {
  if (message.role !== "assistant") return [];
  return message.content.flatMap((part) => (part.type === "tool-call" ? [part.id] : []));
}
