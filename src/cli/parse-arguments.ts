import { editDistance, nearestChoices } from "../system/nearest.ts";
import { COMMANDS, type CommandRow } from "./command-line.ts";
import type { CommandFlagRow, FlagRow } from "./flag-rows.ts";
import { FLAGS } from "./flags.ts";

export interface Arguments {
  /** Absent when there is only a prompt. */
  command?: CommandRow;
  words: string[];
  flags: Map<string, string | true>;
}

export type Parsed = { ok: true; arguments: Arguments } | { ok: false; message: string };

/** Reads argv by the tables. The first word that is a command is the command; without one, the words are a prompt. */
export function parseArguments(argv: string[]): Parsed {
  const words: string[] = [];
  const flags = new Map<string, string | true>();
  const rest = [...argv];
  let wordsBeforeDashes: number | undefined;
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === "--") {
      wordsBeforeDashes = words.length;
      words.push(...rest.splice(0));
    } else if (word.startsWith("-") && word !== "-" && !/^-\d/.test(word)) {
      const rows = flags.has("print") ? FLAGS : [...ownFlags(words[0]), ...FLAGS];
      const problem = readFlag(word, rest, { flags, rows });
      if (problem !== undefined) return { ok: false, message: problem };
    } else {
      words.push(word);
    }
  }
  return flags.has("print") ? asking(words, flags) : withCommand(words, flags, wordsBeforeDashes === 1);
}

function ownFlags(command: string | undefined): readonly CommandFlagRow[] {
  return COMMANDS.find(({ name }) => name === command)?.ownFlags ?? [];
}

interface FlagReading {
  flags: Map<string, string | true>;
  rows: readonly Omit<FlagRow, "group">[];
}

function readFlag(word: string, rest: string[], { flags, rows }: FlagReading): string | undefined {
  if (/^-[a-z]{2,}$/.test(word)) {
    rest.unshift(...[...word.slice(1)].map((letter) => `-${letter}`));
    return undefined;
  }
  const equals = word.indexOf("=");
  const name = equals < 0 ? word : word.slice(0, equals);
  const row = rows.find((flag) => `--${flag.name}` === name || (flag.short !== undefined && `-${flag.short}` === name));
  if (row === undefined)
    return unknown(
      "flag",
      name,
      rows.map((flag) => `--${flag.name}`),
    );
  const value = equals >= 0 ? word.slice(equals + 1) : takeValue(row, rest);
  if (row.value === undefined && equals >= 0) return `${name} takes no value.`;
  const isMissing = row.mayBeEmpty === true ? value === undefined : !value;
  if (row.value !== undefined && isMissing && row.optionalValue === undefined)
    return `${name} needs a value: ${name} ${row.value}.`;
  if (typeof value === "string" && row.choices !== undefined && !row.choices.includes(value))
    return unknown(name, value, row.choices);
  const before = row.repeats === true ? flags.get(row.name) : undefined;
  flags.set(row.name, typeof before === "string" ? `${before}\n${value}` : (value ?? true));
  return undefined;
}

function takeValue(row: Omit<FlagRow, "group">, rest: string[]): string | undefined {
  if (row.value === undefined) return undefined;
  const next = rest[0];
  if (next === undefined || (next.startsWith("-") && next !== "-" && row.optionalValue !== undefined)) return undefined;
  return rest.shift();
}

/** Without a command, a flag that only commands know would be believed to do something. */
function asking(words: string[], flags: Map<string, string | true>): Parsed {
  const stray = FLAGS.find(({ name, group }) => group === "With a command" && flags.has(name));
  if (stray === undefined) return { ok: true, arguments: { words, flags } };
  return { ok: false, message: `--${stray.name} only means something with a command. See: ralph --help` };
}

function withCommand(words: string[], flags: Map<string, string | true>, hasDashes: boolean): Parsed {
  const [first, ...others] = words;
  if (first === undefined) return asking(words, flags);
  const command = COMMANDS.find(
    (row) => row.name === first && (hasDashes || flags.has("help") || row.behindDashes !== true),
  );
  if (command === undefined) return misspelt(words) ?? asking(words, flags);
  const [word] = others;
  if (command.words !== undefined && word !== undefined && !command.words.includes(word)) {
    return { ok: false, message: unknown(`argument of ralph ${command.name}`, word, command.words) };
  }
  const own = command.ownFlags?.map(({ name }) => name) ?? [];
  const stray = [...flags.keys()].find((name) => !["help", "debug", ...own, ...command.flags].includes(name));
  if (stray !== undefined)
    return { ok: false, message: `ralph ${command.name} does not take --${stray}. See: ralph help ${command.name}` };
  return { ok: true, arguments: { command, words: others, flags } };
}

/** One word that almost is a command is more likely a slip than a prompt, and a prompt costs money. */
function misspelt(words: string[]): Parsed | undefined {
  const [word = "", ...others] = words;
  if (others.length > 0 || /\s/.test(word)) return undefined;
  const within = word.length < 6 ? 1 : 2;
  const close = COMMANDS.filter((row) => row.behindDashes !== true)
    .map((row) => row.name)
    .find((name) => editDistance(word.toLowerCase(), name) <= within);
  if (close === undefined) return undefined;
  return {
    ok: false,
    message: `Unknown command "${word}". Did you mean "ralph ${close}"? To ask a model: ralph -p "${word}"`,
  };
}

/** One line that says what is wrong and the nearest valid choice. */
export function unknown(what: string, given: string, valid: readonly string[]): string {
  const [close] = nearestChoices(given, valid, 1);
  const choices = close === undefined ? `Valid: ${valid.join(", ")}.` : `Did you mean ${close}?`;
  return what === "flag"
    ? `Unknown flag ${given}. ${close === undefined ? "See: ralph --help" : choices}`
    : `Unknown ${what} "${given}". ${choices}`;
}
