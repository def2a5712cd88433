import type { Message } from "../../protocol/messages.ts";
import type { SessionEntry } from "../../protocol/session-entries.ts";
import type { PassingLine } from "../../system/line-file.ts";
import { keyAt, NO_KEY, ROOT_KEY } from "./entry-keys.ts";

// Our own lines begin with id, parentId, at and type, in this order and to the byte. Of a line that fits exactly these are
// known without parsing it. Whatever does not fit is for the parser.

/** What an entry is: its type, and for a message who speaks, where the line says so at its usual place. */
export interface EntryKind {
  type: SessionEntry["type"];
  role?: Message["role"];
}

export interface EntryPrefix {
  key: number;
  parentKey: number;
  /** Place in the list of kinds. */
  kind: number;
}

const ROLES: Message["role"][] = ["assistant", "tool-result", "user"];

/** Kinds with a role stand before the type alone, so that the longer match is found first. */
export function entryKinds(types: readonly SessionEntry["type"][]): EntryKind[] {
  return [...ROLES.map((role): EntryKind => ({ type: "message", role })), ...types.map((type) => ({ type }))];
}

// In these # stands for any byte and 9 for a digit.
const BEGINNING = '{"id":"########","parentId":';
const AT_AND_TYPE = ',"at":"9999-99-99T99:99:99.999Z","type":"';
const ID_PLACE = 7;
const QUOTE = 0x22;

/** The result is used again for the next line; undefined when the line has to be parsed. */
export function createPrefixReader(kinds: readonly EntryKind[]): (line: PassingLine) => EntryPrefix | undefined {
  const prefix: EntryPrefix = { key: NO_KEY, parentKey: ROOT_KEY, kind: 0 };
  const beginning = patternOf(BEGINNING);
  const child = patternOf(`"########"${AT_AND_TYPE}`);
  const root = patternOf(`null${AT_AND_TYPE}`);
  const kindPatterns = kinds.map(patternOfKind);
  const longest = beginning.length + child.length + Math.max(...kindPatterns.map(({ length }) => length));
  return (line) => {
    const { view, bytes, start } = line;
    // A match holds no line end, so it lies within the line.
    if (start + longest > bytes.length || !line.ended) return undefined;
    if (!matches(view, start, beginning)) return undefined;
    const place = start + beginning.length;
    const rest = bytes[place] === QUOTE ? child : root;
    if (!matches(view, place, rest)) return undefined;
    prefix.key = keyAt(bytes, start + ID_PLACE);
    prefix.parentKey = rest === child ? keyAt(bytes, place + 1) : ROOT_KEY;
    prefix.kind = kindAt(view, place + rest.length, kindPatterns);
    return prefix.key === NO_KEY || prefix.parentKey === NO_KEY || prefix.kind === -1 ? undefined : prefix;
  };
}

function kindAt(view: DataView, place: number, patterns: readonly Pattern[]): number {
  for (let kind = 0; kind < patterns.length; kind++) {
    const pattern = patterns[kind];
    if (pattern !== undefined && matches(view, place, pattern)) return kind;
  }
  return -1;
}

/** Compared four bytes at a time; the last four may overlap those before. */
interface Pattern {
  length: number;
  places: Int32Array;
  masks: Int32Array;
  values: Int32Array;
}

function matches(view: DataView, start: number, { places, masks, values }: Pattern): boolean {
  // Kinds differ in their ends.
  for (let word = places.length - 1; word >= 0; word--) {
    const found = view.getInt32(start + (places[word] ?? 0));
    if ((found & (masks[word] ?? 0)) !== values[word]) return false;
  }
  return true;
}

function patternOfKind({ type, role }: EntryKind): Pattern {
  return patternOf(role === undefined ? `${type}"` : `${type}","message":{"role":"${role}"`);
}

const WORD = 4;
const MASKS: Record<string, number> = { "#": 0, "9": 0xf0 };

function patternOf(text: string): Pattern {
  const bytes = new TextEncoder().encode(text);
  const mask = new DataView(Uint8Array.from(text, (character) => MASKS[character] ?? 0xff).buffer);
  const value = new DataView(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  const places = Array.from({ length: Math.ceil(text.length / WORD) }, (_, word) =>
    Math.max(0, Math.min(word * WORD, text.length - WORD)),
  ).filter((place) => mask.getInt32(place) !== 0);
  const masks = Int32Array.from(places, (place) => mask.getInt32(place));
  const values = Int32Array.from(places, (place, word) => value.getInt32(place) & (masks[word] ?? 0));
  return { length: text.length, places: Int32Array.from(places), masks, values };
}
