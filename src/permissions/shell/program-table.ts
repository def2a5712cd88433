import type { Concern, ProgramEffect } from "./command-analysis.ts";
import type { CommandReading, OptionRules, ValueKind } from "./option-reading.ts";
import type { ReadWord } from "./read-word.ts";

// What a table says about a program. Rows are data; only what no row can say is a function.

/** A command inside the command: `find -exec …`, `xargs …`. */
export interface InnerCommand {
  words: ReadWord[];
  /** More words follow that another program chose. */
  fed: boolean;
}

export interface ProgramTable extends OptionRules {
  effect: ProgramEffect;
  /** The last one stands for all that follow. Default: read. */
  operands?: readonly ValueKind[];
  /** When one of these options is given, the first operand kind falls away: `grep -e PATTERN FILE`. */
  insteadOfFirst?: string;
  /** No option of it writes or runs anything, so words chosen by file names cannot do harm. */
  careless?: boolean;
  /** Operands only get printed: a harmless variable may stand there. */
  inert?: boolean;
  /** Operands may be `revision:path`. */
  revisions?: boolean;
  network?: boolean;
  runsCode?: boolean;
  /** Needs no rule: it changes nothing. */
  neutral?: boolean;
  /** An effect that depends on the operands: `git branch` lists, `git branch NAME` creates. */
  effectOf?(reading: CommandReading): ProgramEffect;
  /** Operand kinds that depend on the options. */
  operandKinds?(reading: CommandReading): ValueKind[] | undefined;
  /** What rows cannot say. */
  check?(reading: CommandReading, words: readonly ReadWord[]): Concern[];
  /** Blanks words that belong to an inner command, before options are read; their number stays. */
  mask?(words: readonly ReadWord[]): ReadWord[];
  inner?(words: readonly ReadWord[]): InnerCommand[];
}

export interface SubcommandTable {
  /** Options before the subcommand. */
  globals: string;
  subcommands: Readonly<Record<string, ProgramTable>>;
  /** For a subcommand without a row; undefined: it asks unless a rule spells it out. */
  others?: ProgramTable;
  /** For the program alone, or with global options only. */
  bare: ProgramTable;
}

export type AnyTable = ProgramTable | SubcommandTable;

/** Rows for many programs at once: `rows("cat tac nl", table)`. */
export function rows<Table>(names: string, table: Table): Record<string, Table> {
  return Object.fromEntries(names.split(" ").map((name) => [name, table]));
}
