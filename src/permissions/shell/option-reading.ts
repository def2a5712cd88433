import type { Concern } from "./command-analysis.ts";
import type { ReadWord } from "./read-word.ts";

// How options are described, and what reading them gives.

/**
 * What an operand or an option's value is to the program: plain text; a path it reads, writes, enters or runs;
 * `code` it runs (asks unless a rule spells it out); `danger` (asks always).
 */
export type ValueKind = "text" | "read" | "look" | "write" | "enter" | "execute" | "code" | "danger";

export interface OptionRules {
  /**
   * `-a --all` are switches, `-n= --lines=` take a value, `--color=?` may take one behind `=`, `-i=?` one glued to it.
   * A word behind `=` is the kind of the value: `-f=read --output=write --pre=danger`. `--delete=!` is a dangerous switch.
   * What is not listed is unknown and asks: that is how abbreviations of long options end.
   */
  options: string;
  /** `-20` is a number, not options. */
  numbers?: boolean;
  /** Options end at the first operand. */
  strictOrder?: boolean;
  /** Options are long words behind one dash (`go`, `java`): no clusters. */
  singleDash?: boolean;
  /** Options that are not listed are harmless: for build tools, whose rule means "run the project's code". */
  lenient?: boolean;
}

export interface OptionUse {
  name: string;
  /** Undefined when it has none. */
  value: ReadWord | undefined;
  kind: ValueKind;
  /** Index of the word the option stands in. */
  word: number;
}

export interface OperandUse {
  word: ReadWord;
  index: number;
}

export interface CommandReading {
  words: readonly ReadWord[];
  options: OptionUse[];
  operands: OperandUse[];
  concerns: Concern[];
  /** Index of the word behind `--`, when there is one. */
  afterDashes: number | undefined;
}
