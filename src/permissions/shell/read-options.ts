import type { CommandReading, OptionRules, OptionUse, ValueKind } from "./option-reading.ts";
import type { ReadWord } from "./read-word.ts";

// Options the way GNU getopt reads them: clusters, `=`, values in the next word, options behind operands, `--`.

interface OptionRow {
  value: "none" | "required" | "optional";
  kind: ValueKind;
}

export function readOptions(words: readonly ReadWord[], rules: OptionRules, from = 1): CommandReading {
  const reading: CommandReading = { words, options: [], operands: [], concerns: [], afterDashes: undefined };
  const table = optionRows(rules.options);
  let index = from;
  while (index < words.length) {
    const word = words[index];
    if (word === undefined) break;
    if (word.text === "--" && word.soft === undefined) {
      reading.afterDashes = index + 1;
      takeOperands(reading, index + 1);
      break;
    }
    if (rules.numbers === true && /^-\d+$/.test(word.text)) {
      index += 1;
      continue;
    }
    if (!isOption(word)) {
      if (rules.strictOrder === true) {
        takeOperands(reading, index);
        break;
      }
      reading.operands.push({ word, index });
      index += 1;
      continue;
    }
    index = new OptionWord(reading, table, rules).read(word, index);
  }
  return reading;
}

function takeOperands(reading: CommandReading, from: number): void {
  reading.words.slice(from).forEach((word, offset) => {
    reading.operands.push({ word, index: from + offset });
  });
}

function isOption({ text }: ReadWord): boolean {
  return text.startsWith("-") && text !== "-";
}

/** One word that starts with a dash. `read` gives the index of the word to go on with. */
class OptionWord {
  readonly #reading: CommandReading;
  readonly #table: ReadonlyMap<string, OptionRow>;
  readonly #rules: OptionRules;

  constructor(reading: CommandReading, table: ReadonlyMap<string, OptionRow>, rules: OptionRules) {
    this.#reading = reading;
    this.#table = table;
    this.#rules = rules;
  }

  read(word: ReadWord, index: number): number {
    if (word.text.startsWith("--") || this.#rules.singleDash === true) return this.#long(word, index);
    return this.#cluster(word, index);
  }

  #long(word: ReadWord, index: number): number {
    const equals = word.text.indexOf("=");
    const given = equals < 0 ? word.text : word.text.slice(0, equals);
    // Programs with long options behind one dash take two as well.
    const name = this.#rules.singleDash === true ? given.replace(/^--/, "-") : given;
    const row = this.#table.get(name);
    if (row === undefined) return this.#unknown(name, word, index);
    if (equals >= 0) {
      if (row.value === "none") this.#worry(name, index);
      this.#take(name, row, { value: part(word, equals + 1), word: index });
      return index + 1;
    }
    return this.#spaced(name, row, index);
  }

  #cluster(word: ReadWord, index: number): number {
    for (let at = 1; at < word.text.length; at += 1) {
      const name = `-${word.text[at]}`;
      const row = this.#table.get(name);
      if (row === undefined) return this.#unknown(name, word, index);
      const glued = at + 1 < word.text.length;
      if (row.value !== "none" && glued) {
        this.#take(name, row, { value: part(word, at + 1), word: index });
        return index + 1;
      }
      if (row.value === "required") return this.#spaced(name, row, index);
      this.#take(name, row, { value: undefined, word: index });
    }
    return index + 1;
  }

  /** The value is the next word, when the option needs one. */
  #spaced(name: string, row: OptionRow, index: number): number {
    if (row.value !== "required") {
      this.#take(name, row, { value: undefined, word: index });
      return index + 1;
    }
    const value = this.#reading.words[index + 1];
    if (value === undefined) this.#worry(name, index);
    this.#take(name, row, { value, word: index });
    return index + 2;
  }

  #take(name: string, row: OptionRow, use: Pick<OptionUse, "value" | "word">): void {
    this.#reading.options.push({ name, kind: row.kind, ...use });
  }

  #unknown(name: string, word: ReadWord, index: number): number {
    const listed = [...this.#table.keys()].filter((each) => this.#mayMean(name, each));
    const dangerous = listed.some((each) => this.#table.get(each)?.kind !== "text");
    if (this.#rules.lenient !== true || dangerous) this.#worry(name, index);
    else this.#reading.options.push({ name, kind: "text", value: lenientValue(word), word: index });
    return index + 1;
  }

  /** An abbreviation of a long option, or a letter with its value glued to it. */
  #mayMean(name: string, listed: string): boolean {
    if (listed.startsWith(name) && name.length > 2) return true;
    return this.#rules.singleDash === true && listed.length === 2 && name.startsWith(listed);
  }

  #worry(name: string, word: number): void {
    this.#reading.concerns.push({ type: "unknown-option", detail: `the option ${name} is not known`, word });
  }
}

/** What an unlisted option carries behind `=`, or glued to its letter, may be a path. */
function lenientValue(word: ReadWord): ReadWord | undefined {
  const equals = word.text.indexOf("=");
  if (equals >= 0) return part(word, equals + 1);
  return /^-[A-Za-z][/~.]/.test(word.text) ? part(word, 2) : undefined;
}

function part(word: ReadWord, from: number): ReadWord {
  return { ...word, text: word.text.slice(from), loose: false };
}

const parsed = new Map<string, ReadonlyMap<string, OptionRow>>();

function optionRows(text: string): ReadonlyMap<string, OptionRow> {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const table = new Map(text.split(/\s+/).filter(Boolean).map(optionRow));
  parsed.set(text, table);
  return table;
}

function optionRow(token: string): [string, OptionRow] {
  const [, name = token, equals, optional, kind = ""] = /^([^=]+)(=)?(\?)?(.*)$/.exec(token) ?? [];
  if (equals === undefined) return [name, { value: "none", kind: "text" }];
  if (kind === "!") return [name, { value: "none", kind: "danger" }];
  return [name, { value: optional === undefined ? "required" : "optional", kind: kindOf(kind) }];
}

const KINDS: Readonly<Record<string, ValueKind>> = {
  read: "read",
  look: "look",
  write: "write",
  enter: "enter",
  execute: "execute",
  code: "code",
  danger: "danger",
};

function kindOf(name: string): ValueKind {
  return KINDS[name] ?? "text";
}
