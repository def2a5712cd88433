import { COMMANDS, type CommandRow, EXAMPLES } from "./command-line.ts";
import type { FlagGroup, FlagRow } from "./flag-rows.ts";
import { FLAGS } from "./flags.ts";

const GROUPS: FlagGroup[] = ["Asking", "Model", "Output", "With a command", "Other"];

export function helpText(): string {
  const sections = [
    'Ralph: a terminal coding agent.\n\nUsage:\n  ralph -p "PROMPT"          print one answer\n  ralph COMMAND [ARGUMENTS]',
    section(
      "Commands",
      COMMANDS.map((row) => [`${row.name} ${row.arguments}`.trim(), row.description]),
    ),
    ...GROUPS.map((group) => section(group, FLAGS.filter((row) => row.group === group).map(flagLine))),
    section("Examples", EXAMPLES),
    "Exit codes: 0 done, 1 failed, 2 usage, 3 no usable key, 4 provider,\n5 a limit was reached, 130 interrupted.",
  ];
  return `${sections.join("\n\n")}\n`;
}

export function commandHelp(command: CommandRow): string {
  const flags = FLAGS.filter((row) => ["help", "debug", ...command.flags].includes(row.name)).map((row) =>
    row.name === "json" ? { ...row, description: "print JSON for a program" } : row,
  );
  const own = (command.ownFlags ?? []).map((row) => ({
    ...row,
    description: row.variable === undefined ? row.description : `${row.description} [${row.variable}]`,
  }));
  return `Usage: ralph ${command.name} ${command.arguments}\n\n  ${command.description}\n\n${section("Flags", [...own, ...flags].map(flagLine))}\n`;
}

function flagLine(row: Omit<FlagRow, "group">): [string, string] {
  const short = row.short === undefined ? "    " : `-${row.short}, `;
  const value = row.value === undefined ? "" : row.optionalValue === undefined ? ` ${row.value}` : ` [${row.value}]`;
  return [`${short}--${row.name}${value}`, row.description];
}

const COLUMNS = 80;
const WIDEST_LEFT = 30;

/** Two columns; what does not fit beside goes below, so that nothing is wider than a small terminal. */
function section(title: string, rows: [string, string][]): string {
  const width = Math.min(WIDEST_LEFT, Math.max(...rows.map(([left]) => left.length)) + 2);
  return `${title}:\n${rows.map((row) => entry(row, width)).join("\n")}`;
}

function entry([left, right]: [string, string], width: number): string {
  const lines = wrapped(right, COLUMNS - width - 2);
  const first = left.length < width ? `  ${left.padEnd(width)}${lines.shift() ?? ""}` : `  ${left}`;
  return [first, ...lines.map((line) => `  ${" ".repeat(width)}${line}`)].join("\n");
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
