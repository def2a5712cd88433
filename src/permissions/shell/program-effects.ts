import type { Concern, PathUse, PathUseKind, ProgramEffect } from "./command-analysis.ts";
import {
  fixedFolder,
  hasParentComponent,
  isHarmlessDevice,
  matchesHidden,
  matchesSecret,
  resolveFrom,
} from "./lexical-path.ts";
import type { CommandReading, ValueKind } from "./option-reading.ts";
import type { InnerCommand, ProgramTable, SubcommandTable } from "./program-table.ts";
import { HARMLESS_GIT_SETTINGS } from "./programs/git.ts";
import { readOptions } from "./read-options.ts";
import type { ReadWord } from "./read-word.ts";
import { tableOf } from "./tables.ts";

// What one command does, as far as the table of its program knows.

export interface ProgramEffects {
  paths: PathUse[];
  concerns: Concern[];
  inner: InnerCommand[];
  network: boolean;
  runsCode: boolean;
  neutral: boolean;
  effect: ProgramEffect | undefined;
  /** The same command without options that change nothing about what it is: `git --no-pager log`. */
  shorter: string[] | undefined;
}

export interface EffectPlace {
  cwds: readonly string[] | undefined;
  /** Words follow that another program chose. */
  fed: boolean;
  /** That other program lists files inside checked folders. */
  listing: boolean;
}

export function programEffects(words: readonly ReadWord[], place: EffectPlace): ProgramEffects {
  const table = tableOf(words[0]?.text ?? "");
  if (table === undefined) return new EffectReading(words, place, UNKNOWN_PROGRAM).plain();
  if ("subcommands" in table) return subcommandEffects(words, place, table);
  return new EffectReading(words, place, table).read(1);
}

/** A program nobody described: its words are taken as they are, every one of them may be a path. */
const UNKNOWN_PROGRAM: ProgramTable = { effect: "code", options: "", lenient: true, operands: ["read"] };

function subcommandEffects(words: readonly ReadWord[], place: EffectPlace, table: SubcommandTable): ProgramEffects {
  const globals = readOptions(words, { options: table.globals, strictOrder: true });
  const [command] = globals.operands;
  if (command === undefined) return new EffectReading(words, place, table.bare).read(1);
  const name = command.word.text;
  const row = Object.hasOwn(table.subcommands, name) ? table.subcommands[name] : table.others;
  const reading = new EffectReading(words, place, row ?? { ...UNKNOWN_PROGRAM, operands: ["text"] });
  reading.globals(globals);
  if (row === undefined)
    reading.worry({ type: "unknown-option", detail: `the subcommand ${name} is not known`, word: command.index });
  const effects = reading.read(command.index + 1);
  const shorter = [words[0], ...words.slice(command.index)].flatMap((word) => word?.text ?? []);
  return { ...effects, shorter: command.index > 1 ? shorter : undefined };
}

class EffectReading {
  readonly #words: readonly ReadWord[];
  readonly #place: EffectPlace;
  readonly #table: ProgramTable;
  readonly #paths: PathUse[] = [];
  readonly #concerns: Concern[] = [];

  constructor(words: readonly ReadWord[], place: EffectPlace, table: ProgramTable) {
    this.#words = words;
    this.#place = place;
    this.#table = table;
  }

  read(from: number): ProgramEffects {
    const table = this.#table;
    const masked = table.mask?.(this.#words) ?? this.#words;
    const reading = readOptions(masked, table, from);
    this.#concerns.push(...reading.concerns, ...(table.check?.(reading, this.#words) ?? []));
    this.#options(reading);
    this.#operands(reading);
    if (this.#place.fed) this.#fedWords(reading);
    return this.#result({
      effect: table.effectOf?.(reading) ?? table.effect,
      inner: table.inner?.(this.#words) ?? [],
    });
  }

  /** Without a table. */
  plain(): ProgramEffects {
    const reading = readOptions(this.#words, UNKNOWN_PROGRAM);
    this.#options(reading);
    this.#operands(reading);
    if (this.#place.fed) this.#fedWords(reading);
    return this.#result({ effect: undefined, inner: [] });
  }

  globals(reading: CommandReading): void {
    this.#concerns.push(...reading.concerns);
    this.#options(reading);
    for (const { name, value, word } of reading.options) {
      if (name === "-c" && !HARMLESS_GIT_SETTINGS.test(value?.text ?? ""))
        this.worry({ type: "dangerous-option", detail: `-c ${value?.text ?? ""} changes what git runs`, word });
    }
  }

  worry(concern: Concern): void {
    this.#concerns.push(concern);
  }

  #result(part: Pick<ProgramEffects, "effect" | "inner">): ProgramEffects {
    const { network = false, runsCode = false, neutral = false } = this.#table;
    return { paths: this.#paths, concerns: this.#concerns, network, runsCode, neutral, shorter: undefined, ...part };
  }

  #options({ options }: CommandReading): void {
    for (const { name, value, kind, word } of options) {
      if (kind === "danger" || kind === "code") this.#refuse(kind, { name, word });
      else if (value !== undefined) this.#optionValue(value, kind, { name, word });
    }
  }

  #refuse(kind: "danger" | "code", { name, word }: { name: string; word: number }): void {
    if (kind === "code") this.worry({ type: "runs-code", detail: `${name} runs the code behind it`, word });
    else this.worry({ type: "dangerous-option", detail: `${name} writes or runs something`, word });
  }

  #optionValue(value: ReadWord, kind: ValueKind, { name, word }: { name: string; word: number }): void {
    const writesAnyway = this.#table.effect === "write" || this.#table.effect === "build";
    const nowhere = value.text === "-" || isHarmlessDevice(value.text);
    if (kind === "write" && !writesAnyway && !nowhere) this.#refuse("danger", { name, word });
    this.#use(value, kind, word);
  }

  #operands(reading: CommandReading): void {
    const kinds = this.#operandKinds(reading);
    reading.operands.forEach(({ word, index }, position) => {
      const fixed = this.#table.strictOrder === true && position > 0;
      const kind = kinds[Math.min(position, kinds.length - 1)] ?? "read";
      this.#use(fixed ? { ...word, loose: false } : word, kind, index);
    });
  }

  #operandKinds(reading: CommandReading): readonly ValueKind[] {
    const { operands = ["read"], insteadOfFirst, operandKinds } = this.#table;
    const special = operandKinds?.(reading);
    if (special !== undefined && special.length > 0) return special;
    const instead = insteadOfFirst?.split(" ") ?? [];
    const given = reading.options.some(({ name }) => instead.includes(name));
    return given ? operands.slice(1) : operands;
  }

  /** Names that come through a pipe are looked at by a program that cannot do anything with them but read. */
  #fedWords(reading: CommandReading): void {
    const kinds = this.#operandKinds(reading);
    const kind = kinds[Math.min(reading.operands.length, kinds.length - 1)] ?? "read";
    const harmless =
      this.#table.inert === true || (this.#table.careless === true && (kind === "read" || kind === "look"));
    if (!harmless) this.worry({ type: "expansion", detail: "words that come through a pipe cannot be checked" });
    else if (!this.#place.listing && this.#table.inert !== true)
      this.worry({ type: "expansion", detail: "file names that come through a pipe cannot be checked" });
  }

  #use(word: ReadWord, kind: ValueKind, index: number): void {
    if (word.loose === true && !this.#mayBeLoose())
      this.worry({
        type: word.soft === "glob" ? "glob" : "expansion",
        detail: `${word.source} may turn into an option`,
        word: index,
      });
    if (kind === "text") this.#text(word, index);
    else if (kind === "danger" || kind === "code") this.#refuse(kind, { name: word.text, word: index });
    else this.#path(word, kind, index);
  }

  #mayBeLoose(): boolean {
    return this.#table.inert === true || this.#table.careless === true;
  }

  #text(word: ReadWord, index: number): void {
    if (this.#table.lenient === true && this.#table.inert !== true) return this.#perhapsPath(word, index);
    if (word.soft === undefined || word.soft === "number" || this.#table.inert === true) return;
    if (word.soft === "glob" && word.loose !== true && this.#table.careless === true) return;
    this.worry({
      type: word.soft === "glob" ? "glob" : "expansion",
      detail: `${word.source} is only known when it runs`,
      word: index,
    });
  }

  /** For tools whose arguments are not described: what looks like a path is one. */
  #perhapsPath(word: ReadWord, index: number): void {
    const looks = /^[/~]/.test(word.text) || hasParentComponent(word.text) || /[:=,]\/|[:=,]~/.test(word.text);
    if (word.soft !== undefined || (looks && !/^[a-z][a-z0-9+.-]*:\/\//i.test(word.text)))
      this.#path(word, "read", index);
    else if (word.text.startsWith(".")) this.#path(word, "read", index);
  }

  #path(word: ReadWord, kind: PathUseKind, index: number): void {
    const { text, soft } = word;
    if (text === "-" || text === "" || isHarmlessDevice(text)) return;
    if (soft === "number") return;
    if (soft === "listed" && (kind === "read" || kind === "look") && (word.loose !== true || this.#place.listing))
      return;
    if (soft === "glob" && kind !== "enter") return this.#pattern(word, kind, index);
    if (soft !== undefined) {
      this.worry({
        type: soft === "glob" ? "glob" : "expansion",
        detail: `${word.source} cannot be checked as a path`,
        word: index,
      });
      return this.#add({ kind, path: undefined, text: word.source });
    }
    if (kind !== "enter" && hasParentComponent(text))
      this.worry({ type: "parent-path", detail: `${text} goes through a parent folder`, word: index });
    const behind = /[:=,]([/~].*)$/.exec(text)?.[1];
    if (behind !== undefined && this.#table.lenient === true) this.#resolve(kind, behind);
    const inRevision = this.#table.revisions === true ? /^[^:/]+:(.+)$/.exec(text)?.[1] : undefined;
    if (inRevision !== undefined) this.#resolve(kind, inRevision.replace(/^\/+/, ""));
    this.#resolve(kind, text);
  }

  #pattern({ text, source }: ReadWord, kind: PathUseKind, index: number): void {
    const folder = fixedFolder(text);
    if (kind !== "read" && kind !== "look" && folder === "")
      this.worry({ type: "glob", detail: `${source} may name anything here`, word: index });
    if (kind !== "look" && matchesSecret(text))
      this.worry({ type: "glob", detail: `${source} may name a key`, word: index });
    if (matchesHidden(text, folder))
      this.worry({ type: "glob", detail: `${source} may name hidden files`, word: index });
    if (hasParentComponent(text))
      this.worry({ type: "parent-path", detail: `${source} goes through a parent folder`, word: index });
    for (const cwd of this.#place.cwds ?? [])
      this.#add({ kind, path: resolveFrom(cwd, folder === "" ? "." : folder), text: source, pattern: true });
    if (this.#place.cwds === undefined) this.#add({ kind, path: undefined, text: source });
  }

  #resolve(kind: PathUseKind, text: string): void {
    if (this.#place.cwds === undefined && !text.startsWith("/")) return this.#add({ kind, path: undefined, text });
    for (const cwd of this.#place.cwds ?? ["/"]) this.#add({ kind, path: resolveFrom(cwd, text), text });
  }

  #add(use: PathUse): void {
    if (!this.#paths.some(({ kind, path, text }) => kind === use.kind && path === use.path && text === use.text))
      this.#paths.push(use);
  }
}
