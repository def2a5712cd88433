import type { Concern } from "./command-analysis.ts";
import type { CommandReading } from "./option-reading.ts";
import { readOptions } from "./read-options.ts";
import type { ReadWord } from "./read-word.ts";

// Programs that only change how another one is started are taken off, one after the other.

export interface Unwrapped {
  words: ReadWord[];
  layers: string[][];
  /** Assignments made by `env`. */
  assignments: { name: string; value: ReadWord }[];
  /** Folders entered by `env -C`. */
  enters: ReadWord[];
  concerns: Concern[];
  /** `xargs` adds words of its own. */
  fed: boolean;
  /** The rest could start at any of its words. */
  unclear: boolean;
}

interface WrapperRow {
  options: string;
  /** Operands of its own before the command. */
  own?: number;
  numbers?: boolean;
  assignments?: boolean;
  feeds?: boolean;
  /** These options mean it starts nothing. */
  alone?: RegExp;
}

const WRAPPERS: Readonly<Record<string, WrapperRow>> = {
  env: {
    options:
      "-i -v -u=danger -C=enter --ignore-environment --unset=danger --chdir=enter --debug -S=danger --split-string=danger -0 --null -P=danger",
    assignments: true,
  },
  timeout: { options: "-k= -s= -v -f -p --kill-after= --signal= --preserve-status --foreground --verbose", own: 1 },
  nohup: { options: "" },
  nice: { options: "-n= --adjustment=", numbers: true },
  ionice: { options: "-c= -n= -t --class= --classdata= --ignore" },
  stdbuf: { options: "-i= -o= -e= --input= --output= --error=" },
  setsid: { options: "-c -f -w --ctty --fork --wait" },
  time: { options: "-p -v -l -h" },
  command: { options: "-p", alone: /^-[pvV]*[vV]/ },
  builtin: { options: "" },
  exec: { options: "" },
  xargs: {
    options:
      "-0 -r -t -x -o=! -p=! -a=danger -d= -E= -I= -i=? -L= -l=? -n= -P= -s= -J= -R= --null --no-run-if-empty --verbose --exit --arg-file=danger --delimiter= --eof=? --replace=? --max-lines=? --max-args= --max-procs= --max-chars= --process-slot-var=danger",
    feeds: true,
  },
};

const MAXIMUM_LAYERS = 8;

export function unwrap(words: readonly ReadWord[]): Unwrapped {
  const result: Unwrapped = {
    words: [...words],
    layers: [],
    assignments: [],
    enters: [],
    concerns: [],
    fed: false,
    unclear: false,
  };
  while (takeOff(result)) {
    if (result.layers.length >= MAXIMUM_LAYERS) {
      result.concerns.push({ type: "too-deep", detail: `more than ${MAXIMUM_LAYERS} wrappers around one command` });
      result.unclear = true;
      break;
    }
  }
  result.layers.push(result.words.map(({ text }) => text));
  return result;
}

/** False when there is no wrapper in front. */
function takeOff(result: Unwrapped): boolean {
  const { words } = result;
  const program = words[0]?.text ?? "";
  const name = program.slice(program.lastIndexOf("/") + 1);
  const row = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
  if (row === undefined || row.alone?.test(words[1]?.text ?? "") === true) return false;
  const reading = readOptions(words, { ...row, strictOrder: true });
  const inner = innerWords(reading, row, result);
  if (inner.length === 0) return ownWordsOnly(result, reading);
  if (program !== name) result.concerns.push({ type: "dynamic-command", detail: `${program} is started by its path` });
  result.concerns.push(...reading.concerns.map(unworded), ...dangers(reading, name));
  result.unclear ||= reading.concerns.length > 0 || dangers(reading, name).length > 0;
  result.enters.push(...reading.options.flatMap(({ kind, value }) => (kind === "enter" && value ? [value] : [])));
  result.layers.push(words.map(({ text }) => text));
  result.words = row.feeds === true ? fedWords(inner, reading, result) : inner;
  return true;
}

/** Nothing behind the wrapper: it stays what it is, except that options like `env -S` still name a command. */
function ownWordsOnly(result: Unwrapped, reading: CommandReading): boolean {
  result.concerns.push(...dangers(reading, reading.words[0]?.text ?? ""));
  return false;
}

function innerWords({ operands }: CommandReading, row: WrapperRow, result: Unwrapped): ReadWord[] {
  let index = row.own ?? 0;
  while (row.assignments === true) {
    const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(operands[index]?.word.text ?? "") ?? [];
    const word = operands[index]?.word;
    if (name === undefined || value === undefined || word === undefined) break;
    result.assignments.push({ name, value: { ...word, text: value } });
    index += 1;
  }
  return operands.slice(index).map(({ word }) => word);
}

function dangers({ options }: CommandReading, name: string): Concern[] {
  return options
    .filter(({ kind }) => kind === "danger")
    .map((option) => ({ type: "dangerous-option", detail: `${name} ${option.name} cannot be checked` }));
}

function unworded({ type, detail }: Concern): Concern {
  return { type, detail };
}

/** `-I {}` puts names where `{}` stands, otherwise they follow. */
function fedWords(inner: readonly ReadWord[], { options }: CommandReading, result: Unwrapped): ReadWord[] {
  const replace = options.find(({ name }) => /^(-I|-i|-J|--replace)$/.test(name));
  if (replace === undefined) {
    result.fed = true;
    return [...inner];
  }
  const mark = replace.value?.text ?? "{}";
  if (mark === "") result.concerns.push({ type: "dynamic-command", detail: "xargs replaces every word" });
  return inner.map((word): ReadWord => {
    if (word.text === mark) return { ...word, soft: "listed", loose: true };
    if (mark === "" || !word.text.includes(mark)) return word;
    return { ...word, soft: "value", loose: word.text.startsWith(mark) };
  });
}
