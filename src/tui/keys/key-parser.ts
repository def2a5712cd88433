import { chordOf, chordOfCharacter, NO_MODIFIERS } from "./chord.ts";
import { eventOfSequence, eventOfSingleShift } from "./control-sequence.ts";
import type { InputEvent, KeyEvent } from "./input-event.ts";
import { readSequence } from "./sequence.ts";
import { answerOfString } from "./terminal-answers.ts";
import { decodeUtf8, NO_BYTES } from "./utf8.ts";

// Bytes from a terminal into events. However the bytes are cut into pieces, the events are the same.

export interface KeyState {
  bytes: Uint8Array;
  /** The start of a sequence whose end has not come yet, or in a paste what may be the start of its end. */
  pending: string;
  paste: Paste | undefined;
}

interface Paste {
  parts: readonly string[];
  length: number;
}

export interface KeyStep {
  state: KeyState;
  events: InputEvent[];
}

export const INITIAL_KEYS: KeyState = { bytes: NO_BYTES, pending: "", paste: undefined };

export function stepKeys(state: KeyState, given: Uint8Array): KeyStep {
  const { text, rest } = decodeUtf8(state.bytes, given);
  const events: InputEvent[] = [];
  let { paste } = state;
  let left = state.pending + text;
  while (left !== "") {
    const taken = paste === undefined ? takeKeys(left, events) : takePaste(left, paste, events);
    paste = taken.paste;
    if (taken.isWaiting) return { state: { bytes: rest, pending: taken.left, paste }, events };
    left = taken.left;
  }
  return { state: { bytes: rest, pending: "", paste }, events };
}

/** Whether a key may be held back: an Escape could still become the start of a sequence. */
export function isWaiting({ pending, paste }: KeyState): boolean {
  return paste === undefined && AMBIGUOUS.test(pending);
}

/** Nothing followed in time: what looked like the start of a sequence was a key. A longer start keeps waiting for its end. */
export function settleKeys(state: KeyState): KeyStep {
  if (!isWaiting(state)) return { state, events: [] };
  const escapes = [...state.pending].filter((character) => character === ESCAPE).length;
  const last = state.pending.at(-1) ?? "";
  const events: InputEvent[] = Array.from({ length: last === ESCAPE ? escapes : escapes - 1 }, () => press("escape"));
  if (last !== ESCAPE) events.push(altered(last));
  return { state: { ...state, pending: "" }, events };
}

/** The end of a paste got lost: what has come of it is all there is. */
export function settlePaste({ bytes, pending, paste }: KeyState): KeyStep {
  const state = { bytes, pending: "", paste: undefined };
  return { state, events: paste === undefined ? [] : [pasteEvent(paste, pending)] };
}

const ESCAPE = "\x1b";
const AMBIGUOUS = new RegExp(`^${ESCAPE}+[\\[O\\]PX^_]?$`);
const PASTE_START = `${ESCAPE}[200~`;
const PASTE_END = `${ESCAPE}[201~`;

/** A paste may have this many characters; what is beyond is left out and the event says so. */
export const MAXIMUM_PASTE = 16 * 1024 * 1024;
/** So many characters without an end are no sequence; they are left out. */
const MAXIMUM_SEQUENCE = 65_536;

interface Taken {
  left: string;
  paste: Paste | undefined;
  isWaiting: boolean;
}

function takePaste(text: string, paste: Paste, events: InputEvent[]): Taken {
  const end = text.indexOf(PASTE_END);
  const until = end >= 0 ? end : text.length - startedEnd(text);
  const room = Math.max(0, MAXIMUM_PASTE - paste.length);
  const part = text.slice(0, Math.min(until, room));
  const grown: Paste = {
    parts: part === "" ? paste.parts : [...paste.parts, part],
    length: paste.length + until,
  };
  if (end < 0) return { left: text.slice(until), paste: grown, isWaiting: true };
  events.push(pasteEvent(grown));
  return { left: text.slice(end + PASTE_END.length), paste: undefined, isWaiting: false };
}

function pasteEvent({ parts, length }: Paste, rest = ""): InputEvent {
  return { type: "paste", text: (parts.join("") + rest).replace(/\r\n?/g, "\n"), isCut: length > MAXIMUM_PASTE };
}

/** How many characters at the end could be the start of the paste's end. */
function startedEnd(text: string): number {
  for (let length = Math.min(PASTE_END.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(PASTE_END.slice(0, length))) return length;
  }
  return 0;
}

/** Takes keys until the text ends, a paste begins or a sequence is not complete. */
function takeKeys(text: string, events: InputEvent[]): Taken {
  let at = 0;
  while (at < text.length) {
    if (text.startsWith(PASTE_START, at)) {
      return {
        left: text.slice(at + PASTE_START.length),
        paste: { parts: [], length: 0 },
        isWaiting: text.length === at + PASTE_START.length,
      };
    }
    const item = text[at] === ESCAPE ? readEscape(text, at) : readCharacter(text, at);
    if (item === "incomplete") return { left: text.slice(at), paste: undefined, isWaiting: true };
    if (item.event !== undefined) events.push(item.event);
    at = item.end;
  }
  return { left: "", paste: undefined, isWaiting: false };
}

type Item = { event: InputEvent | undefined; end: number } | "incomplete";

function readEscape(text: string, at: number): Item {
  const next = text[at + 1];
  if (next === undefined) return "incomplete";
  if (next === "[") return readControlSequence(text, at);
  if (next === "O") return readSingleShift(text, at);
  if ("]PX^_".includes(next)) return readString(text, at);
  if (next === ESCAPE) return readDoubleEscape(text, at);
  const item = readCharacter(text, at + 1);
  return item === "incomplete" ? item : { ...item, event: altered(text.slice(at + 1, item.end)) };
}

/** Some terminals put an Escape before a whole sequence for Alt; otherwise the first one is a key of its own. */
function readDoubleEscape(text: string, at: number): Item {
  const third = text[at + 2];
  if (third === undefined) return "incomplete";
  if (third !== "[" && third !== "O") return { event: press("escape"), end: at + 1 };
  const item = readEscape(text, at + 1);
  if (item === "incomplete" || item.event?.type !== "key") {
    return item === "incomplete" ? item : { event: press("escape"), end: at + 1 };
  }
  return { event: { ...item.event, chord: withAlt(item.event.chord) }, end: item.end };
}

function readControlSequence(text: string, at: number): Item {
  const first = text[at + 2];
  if (first === undefined) return "incomplete";
  if (first === "[") return readConsoleKey(text, at);
  const limit = Math.min(text.length, at + MAXIMUM_SEQUENCE);
  let end = at + 2;
  while (end < limit && isParameter(text.charCodeAt(end))) end++;
  if (end - at === MAXIMUM_SEQUENCE) return { event: undefined, end };
  if (end === text.length) return "incomplete";
  if (!isFinal(text.charCodeAt(end))) return { event: undefined, end };
  const body = text.slice(at + 2, end + 1);
  if (body === "M") return end + 3 < text.length ? { event: undefined, end: end + 4 } : "incomplete";
  return { event: eventOfSequence(readSequence(body)), end: end + 1 };
}

/** F1 to F5 of the Linux console. */
function readConsoleKey(text: string, at: number): Item {
  const letter = text[at + 3];
  if (letter === undefined) return "incomplete";
  const number = "ABCDE".indexOf(letter) + 1;
  return { event: number > 0 ? press(`f${number}`) : undefined, end: at + 4 };
}

function readSingleShift(text: string, at: number): Item {
  const final = text[at + 2];
  if (final === undefined) return "incomplete";
  const event = eventOfSingleShift(final);
  return event === undefined ? { event: altered("O"), end: at + 2 } : { event, end: at + 3 };
}

/** Ends at BEL or ST. A control character ends it too, as it does in a terminal: then it was a key with Alt. */
function readString(text: string, at: number): Item {
  const limit = Math.min(text.length, at + MAXIMUM_SEQUENCE);
  let end = at + 2;
  while (end < limit && text.charCodeAt(end) >= 0x20) end++;
  if (end - at === MAXIMUM_SEQUENCE) return { event: undefined, end };
  const stop = text[end];
  if (stop === undefined || (stop === ESCAPE && end + 1 === text.length)) return "incomplete";
  const isEnded = stop === "\x07" || text.startsWith(`${ESCAPE}\\`, end);
  if (!isEnded) return { event: altered(text[at + 1] ?? ""), end: at + 2 };
  const answer = answerOfString(text.slice(at + 1, end));
  return { event: answer === undefined ? undefined : { type: "answer", answer }, end: end + (stop === ESCAPE ? 2 : 1) };
}

const CONTROLS: Record<number, string> = {
  0: "ctrl+space",
  8: "ctrl+backspace",
  9: "tab",
  13: "enter",
  28: "ctrl+\\",
  29: "ctrl+]",
  30: "ctrl+^",
  31: "ctrl+_",
  127: "backspace",
};

function readCharacter(text: string, at: number): Item {
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  return { event: keyOfCharacter(character), end: at + character.length };
}

function keyOfCharacter(character: string): KeyEvent | undefined {
  const code = character.codePointAt(0) ?? 0;
  const named = CONTROLS[code];
  if (named !== undefined) return press(named);
  if (code < 0x20) return press(`ctrl+${String.fromCharCode(code + 0x60)}`);
  if (code >= 0x80 && code < 0xa0) return undefined;
  return { type: "key", chord: chordOfCharacter(character), text: character, phase: "press" };
}

function altered(character: string): KeyEvent {
  const key = keyOfCharacter(character);
  return press(withAlt(key?.chord ?? chordOf("escape", NO_MODIFIERS)));
}

/** Alt stands after Ctrl in a chord. */
function withAlt(chord: string): string {
  if (/(^|\+)alt\+/.test(chord)) return chord;
  return chord.startsWith("ctrl+") ? `ctrl+alt+${chord.slice(5)}` : `alt+${chord}`;
}

function press(chord: string): KeyEvent {
  return { type: "key", chord, phase: "press" };
}

function isParameter(code: number): boolean {
  return code >= 0x20 && code <= 0x3f;
}

function isFinal(code: number): boolean {
  return code >= 0x40 && code <= 0x7e;
}
