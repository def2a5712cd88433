import { isPrintableAscii } from "./graphemes.ts";

// Text that others wrote, made safe to show: nothing in it can steer the terminal, hide other text or turn its direction.

/**
 * Control sequences go as a whole, other control characters one by one; line feed and tab stay. What turns the direction of
 * writing is named, so that a person sees it was there. A string sequence that does not end in its own line loses only
 * its escape: otherwise two bytes could hide everything after them.
 */
export function sanitise(text: string): string {
  if (isPrintableAscii(text) || !UNSAFE.test(text)) return text;
  return text
    .replace(/\r\n?/g, "\n")
    .replace(CONTROL_SEQUENCE, "")
    .replace(CONTROL_CHARACTER, "")
    .replace(TURNING, nameOf);
}

/** The same in one line: a name that others chose. */
export function sanitiseLine(text: string): string {
  if (isPrintableAscii(text)) return text;
  return BREAKING.test(text) ? sanitise(text).replace(/[\n\t\u2028\u2029]+/g, " ") : sanitise(text);
}

const UNSAFE = /(?![\n\t])[\p{Cc}\p{Bidi_Control}]/u;
const BREAKING = /[\n\r\t\u2028\u2029]/;

const [ESCAPE, BELL, CANCEL, SUBSTITUTE] = ["\x1b", "\x07", "\x18", "\x1a"];

/** CSI and the string sequences (OSC, DCS, SOS, PM, APC) in 7-bit and 8-bit form, then the short escapes. */
const CONTROL_SEQUENCE = new RegExp(
  [
    `(?:${ESCAPE}\\[|\x9b)[0-?]*[ -/]*[@-~]`,
    `(?:${ESCAPE}[\\]PX^_]|[\x90\x98\x9d-\x9f])[^\n${BELL}${ESCAPE}\x9c${CANCEL}${SUBSTITUTE}]*` +
      `(?:${BELL}|${ESCAPE}\\\\|[\x9c${CANCEL}${SUBSTITUTE}])`,
    `${ESCAPE}[ -/]+[0-~]`,
    `${ESCAPE}[0-OQ-WYZ\\\\\`-~]`,
  ].join("|"),
  "g",
);
const CONTROL_CHARACTER = /(?![\n\t])\p{Cc}/gu;
const TURNING = /\p{Bidi_Control}/gu;

function nameOf(character: string): string {
  return `<U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}>`;
}
