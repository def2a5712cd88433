// Signs that stand for text that was left out. In new text they mean that a model repeats what it never saw.

const MARKS: readonly RegExp[] = [
  /\[… (?:lines )?\d[^\]\n]* left out[^\]\n]*…\]/,
  /\[?\.{3} ?(?:\d+ (?:lines|characters|bytes) )?(?:truncated|omitted) ?\.{3}\]?/i,
  /(?:\.{3}|…) ?(?:existing|rest of(?: the)?|remaining|unchanged) (?:code|file|lines)(?: (?:here|unchanged|remains unchanged))? ?(?:\.{3}|…)/i,
];

/** The first sign in `words` that the file itself does not contain. */
export function strangeMark(words: readonly string[], fileText: string): string | undefined {
  for (const word of words) {
    for (const mark of MARKS) {
      const found = mark.exec(word)?.[0];
      if (found !== undefined && !fileText.includes(found)) return found;
    }
  }
  return undefined;
}
