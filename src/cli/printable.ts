/**
 * Text that others wrote, as a terminal may show it: without the characters that steer a terminal (all control characters but
 * line feed and tab) or turn the direction of writing. It works piece by piece, wherever a sequence was cut.
 */
export function printable(text: string): string {
  return text.replace(STEERING, "");
}

const STEERING = /(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu;
