import type { Signs } from "./signs.ts";

// Colours for plain lines in a terminal. They are put on lines that are clean already, and only repeat what a sign or a word says.

const BOLD = "1";
const DIM = "2";
const RED = "31";
const GREEN = "32";
const YELLOW = "33";

/** The same text with colours; `text` has whole lines. */
export function paintLines(text: string, signs: Signs): string {
  return text
    .split("\n")
    .map((line) => paintLine(line, signs))
    .join("\n");
}

function paintLine(line: string, signs: Signs): string {
  if (line.startsWith(`${signs.rule} `) || VERDICT.test(line)) return painted(BOLD, line);
  const [, before = "", rest = ""] = TAGGED.exec(line) ?? [];
  const colour = colourOf(rest, signs);
  const tag = before.trim() === "" ? before : painted(DIM, before);
  if (colour === undefined) return `${tag}${rest}`;
  const end = rest.indexOf(" ");
  return `${tag}${painted(colour, rest.slice(0, end))}${rest.slice(end)}`;
}

/** A tag of the transcript or some blanks, and what follows. */
const TAGGED = /^((?:AI|THINK|SYS|PROMPT|TOOL|GIT|PLAN|ACTIONS|REPORT) +|\s*)(.*)$/s;
const VERDICT = /^(?:done|[a-z]+(?:-[a-z]+)*): \S/;

function colourOf(text: string, { passed, failed, warning }: Signs): string | undefined {
  const rows: [sign: string, colour: string][] = [
    [passed, GREEN],
    [failed, RED],
    [warning, YELLOW],
  ];
  return rows.find(([sign]) => text.startsWith(`${sign} `))?.[1];
}

function painted(code: string, text: string): string {
  return `\u001b[${code}m${text}\u001b[0m`;
}
