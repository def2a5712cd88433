import type { TerminalAnswer } from "./input-event.ts";
import type { ControlSequence } from "./sequence.ts";

// What a terminal answers to questions, told apart from keys.

export function answerOfSequence({
  marker,
  parameters,
  intermediates,
  final,
}: ControlSequence): TerminalAnswer | undefined {
  const [first = 0, second = 0] = parameters.map((parts) => parts[0] ?? 0);
  if (marker === "?" && final === "c") {
    return { type: "device-attributes", attributes: parameters.map((parts) => parts[0] ?? 0) };
  }
  if (marker === "?" && final === "u") return { type: "keyboard-protocol", flags: first };
  if (marker === "?" && final === "y" && intermediates === "$") {
    return { type: "mode", mode: first, isKnown: second !== 0 && second !== 4 };
  }
  const isPosition =
    final === "R" && parameters.length >= 2 && (marker === "?" || (marker === "" && !isModifiedF3(first, second)));
  return isPosition ? { type: "cursor-position", row: first, column: second } : undefined;
}

/** xterm sends F3 with modifiers as a cursor position in the first row would look. */
function isModifiedF3(first: number, second: number): boolean {
  return first === 1 && second >= 2 && second <= 16;
}

/** `body` is an OSC or DCS string with its introducing letter and without its end. */
export function answerOfString(body: string): TerminalAnswer | undefined {
  const background = /^\]11;(?:rgba?:)([0-9a-f]{1,4})\/([0-9a-f]{1,4})\/([0-9a-f]{1,4})/i.exec(body);
  if (background !== null)
    return { type: "background-colour", colour: `#${background.slice(1, 4).map(twoDigits).join("")}` };
  const hex = /^\]11;(#[0-9a-f]{6})$/i.exec(body)?.[1];
  if (hex !== undefined) return { type: "background-colour", colour: `#${hex.slice(1).toLowerCase()}` };
  return body.startsWith("P>|") ? { type: "name", name: body.slice(3) } : undefined;
}

/** One to four hexadecimal digits, scaled to two. */
function twoDigits(digits: string): string {
  const value = Number.parseInt(digits, 16) / (16 ** digits.length - 1);
  return Math.round(value * 255)
    .toString(16)
    .padStart(2, "0");
}
