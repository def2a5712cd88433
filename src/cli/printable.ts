/**
 * Text that others wrote, as a terminal may show it: without the characters that steer a terminal (all control characters but
 * line feed and tab) or turn the direction of writing. It works piece by piece, wherever a sequence was cut.
 */
export function printable(text: string): string {
  return text.replace(STEERING, "");
}

const STEERING = /(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu;

/** The same with a sign for each of those characters, where a person should see that something was there. */
export function visible(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(STEERING, signOf);
}

/** The same for what must stay in one line: a name that others chose. */
export function inOneLine(text: string): string {
  return text.replace(LINE_BREAKING, signOf);
}

const LINE_BREAKING = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu;

/** Unicode has pictures for the old control characters; the others are named. */
function signOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return code === 0x7f ? "␡" : `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}

/** One line of JSON that a terminal may show and a program reads as the same value. */
export function printableJson(value: unknown): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return `${JSON.stringify(value).replace(STEERING, escaped)}\n`;
}
