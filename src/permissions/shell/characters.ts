import type { Concern } from "./command-analysis.ts";

/** Characters a person does not see, or a shell reads in its own way. */
export function characterConcerns(text: string): Concern[] {
  const concerns: Concern[] = [];
  const control = CONTROL.exec(text);
  if (control !== null)
    concerns.push({ type: "control-character", detail: `holds the control character ${codePoint(control[0])}` });
  const invisible = INVISIBLE.exec(text);
  if (invisible !== null)
    concerns.push({ type: "invisible-character", detail: `holds the invisible character ${codePoint(invisible[0])}` });
  return concerns;
}

/** A command word is plain ASCII; anything else may only look like the program a person knows. */
export function isPlainName(word: string): boolean {
  return /^[\x21-\x7e]+$/.test(word);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/;
// The emoji variation selector (FE0F) is left out: it is part of everyday commit messages.
const INVISIBLE =
  /[\u00a0\u00ad\u061c\u115f\u1160\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3164\ufeff\uffa0\ufff0-\uffff]|[\u{e0000}-\u{e0fff}]|[\ud800-\udfff]|\u034f|[\ufe00-\ufe0e]|[\u180b-\u180d\u180f]|[\u17b4\u17b5]/u;

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
