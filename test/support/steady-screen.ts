// What differs from run to run on a screen, made the same: spinners, times, and how much the instructions take of the context.

const STEADY: readonly (readonly [RegExp, string])[] = [
  [/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/g, "⠋"],
  [/^([✓✗⊘•] .*?) (?:\d+ ms|[\d.]+ s)$/, "$1"],
  [/(⠋(?: [a-z_ ]+)?) \d+ s\b/, "$1 0 s"],
  [/context [\d.]+k? \(\d+%\)/, "context 1k (0%)"],
  [/(· (?:context )?)\d+%/, "$10%"],
  [/^ralph \d\S* /, "ralph 0.0.0 "],
];

export function steadyRow(row: string): string {
  return STEADY.reduce((text, [pattern, steady]) => text.replace(pattern, steady), row.trimEnd());
}
