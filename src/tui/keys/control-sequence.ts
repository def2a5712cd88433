import { chordOf, chordOfCharacter, type Modifiers, NO_MODIFIERS } from "./chord.ts";
import type { InputEvent, KeyEvent } from "./input-event.ts";
import type { ControlSequence } from "./sequence.ts";
import { answerOfSequence } from "./terminal-answers.ts";

// What a complete CSI or SS3 sequence from the keyboard means. Mouse reports and what nobody knows mean nothing.

export function eventOfSequence(sequence: ControlSequence): InputEvent | undefined {
  const answer = answerOfSequence(sequence);
  if (answer !== undefined) return { type: "answer", answer };
  if (sequence.marker !== "" || sequence.intermediates !== "") return undefined;
  const { final } = sequence;
  if (final === "u") return unicodeKey(sequence);
  if (final === "~") return tildeKey(sequence);
  if (final === "I" || final === "O") return { type: "focus", isFocused: final === "I" };
  if (final === "Z") return keyEvent("tab", { ...modifiersOf(sequence.parameters[1]?.[0]), hasShift: true }, sequence);
  const name = LETTER_KEYS[final];
  return name === undefined ? undefined : keyEvent(name, modifiersOf(sequence.parameters[1]?.[0]), sequence);
}

/** Keys of the application keypad and F1 to F4 in the older form. */
export function eventOfSingleShift(final: string): KeyEvent | undefined {
  const name = LETTER_KEYS[final] ?? (final === "M" ? "enter" : undefined);
  return name === undefined ? undefined : { type: "key", chord: name, phase: "press" };
}

const LETTER_KEYS: Record<string, string> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  E: "begin",
  F: "end",
  H: "home",
  P: "f1",
  Q: "f2",
  R: "f3",
  S: "f4",
};

const TILDE_KEYS: Record<number, string> = {
  1: "home",
  2: "insert",
  3: "delete",
  4: "end",
  5: "page-up",
  6: "page-down",
  7: "home",
  8: "end",
  11: "f1",
  12: "f2",
  13: "f3",
  14: "f4",
  15: "f5",
  17: "f6",
  18: "f7",
  19: "f8",
  20: "f9",
  21: "f10",
  23: "f11",
  24: "f12",
  25: "f13",
  26: "f14",
  28: "f15",
  29: "menu",
  31: "f17",
  32: "f18",
  33: "f19",
  34: "f20",
};

const CONTROL_KEYS: Record<number, string> = {
  8: "backspace",
  9: "tab",
  13: "enter",
  27: "escape",
  32: "space",
  127: "backspace",
};

/** The Kitty protocol's own numbers for keys that type nothing, and for the keypad. */
const KITTY_KEYS: Record<number, string> = {
  57363: "menu",
  57409: ".",
  57410: "/",
  57411: "*",
  57412: "-",
  57413: "+",
  57414: "enter",
  57415: "=",
  57416: ",",
  57417: "left",
  57418: "right",
  57419: "up",
  57420: "down",
  57421: "page-up",
  57422: "page-down",
  57423: "home",
  57424: "end",
  57425: "insert",
  57426: "delete",
  57427: "begin",
  ...Object.fromEntries(Array.from({ length: 10 }, (_, digit) => [57399 + digit, String(digit)])),
  ...Object.fromEntries(Array.from({ length: 23 }, (_, index) => [57376 + index, `f${index + 13}`])),
};

const FIRST_PRIVATE = 57344;
const LAST_PRIVATE = 63743;

function unicodeKey(sequence: ControlSequence): KeyEvent | undefined {
  const [codes = [], modifierParts, textParts] = sequence.parameters;
  const modifiers = modifiersOf(modifierParts?.[0]);
  const code = codes[0] ?? 0;
  const name = CONTROL_KEYS[code] ?? KITTY_KEYS[code];
  if (name === undefined && (code < 0x20 || (code >= FIRST_PRIVATE && code <= LAST_PRIVATE))) return undefined;
  const text = textParts === undefined ? undefined : characters(textParts);
  if (name !== undefined) return withText(keyEvent(name, modifiers, sequence), text ?? typedBy(name, modifiers));
  const isCommand = modifiers.hasCtrl || modifiers.hasAlt || modifiers.hasSuper;
  const base = codes[2];
  const key = characters([isCommand && code > 0x7f && base !== undefined ? base : code]);
  const shown = keyEvent("", modifiers, sequence);
  const typed = isCommand ? undefined : (text ?? characters([shiftedCode(codes, modifiers)]));
  return withText({ ...shown, chord: chordOfCharacter(key, modifiers) }, typed);
}

function shiftedCode(codes: (number | undefined)[], { hasShift }: Modifiers): number {
  const code = codes[0] ?? 0;
  if (!hasShift) return code;
  return codes[1] ?? characters([code]).toUpperCase().codePointAt(0) ?? code;
}

function typedBy(name: string, { hasCtrl, hasAlt, hasSuper }: Modifiers): string | undefined {
  if (hasCtrl || hasAlt || hasSuper) return undefined;
  return name === "space" ? " " : name.length === 1 ? name : undefined;
}

/** `27;modifiers;code` is xterm's way to tell of a key that has no sequence of its own. */
function tildeKey(sequence: ControlSequence): KeyEvent | undefined {
  const [number, modifiers, code] = sequence.parameters.map((parts) => parts[0]);
  if (number === 27 && code !== undefined) {
    return unicodeKey({ ...sequence, parameters: [[code], [modifiers]], final: "u" });
  }
  const name = TILDE_KEYS[number ?? 0];
  return name === undefined ? undefined : keyEvent(name, modifiersOf(modifiers), sequence);
}

function keyEvent(name: string, modifiers: Modifiers, { parameters }: ControlSequence): KeyEvent {
  const phase = PHASES[parameters[1]?.[1] ?? 1] ?? "press";
  return { type: "key", chord: chordOf(name, modifiers), phase };
}

const PHASES: Record<number, KeyEvent["phase"]> = { 1: "press", 2: "repeat", 3: "release" };

function withText(event: KeyEvent, text: string | undefined): KeyEvent {
  return text === undefined || event.phase === "release" ? event : { ...event, text };
}

function modifiersOf(value: number | undefined): Modifiers {
  if (value === undefined || value < 2) return NO_MODIFIERS;
  const bits = value - 1;
  return {
    hasShift: (bits & 1) !== 0,
    hasAlt: (bits & (2 | 32)) !== 0,
    hasCtrl: (bits & 4) !== 0,
    hasSuper: (bits & (8 | 16)) !== 0,
  };
}

function characters(codes: readonly (number | undefined)[]): string {
  return codes.map((code) => (isCharacter(code) ? String.fromCodePoint(code) : "\ufffd")).join("");
}

function isCharacter(code: number | undefined): code is number {
  return code !== undefined && code >= 0x20 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
}
