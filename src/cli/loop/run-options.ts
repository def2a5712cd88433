import type { CommandFlagRow } from "../flag-rows.ts";
import { flagText, hasFlag, type RunContext } from "../run-context.ts";
import { RUN_FLAGS } from "./run-flags.ts";

// What a person says about a run, with flags or in the environment; the flag wins.

/** A value that cannot be used, told to the person. */
export class OptionProblem extends Error {}

export interface RunOptions {
  text(name: string): string | undefined;
  isOn(name: string): boolean;
  /** Undefined where nothing is said. Throws an OptionProblem for what is no number from `least` on. */
  number(name: string, least: number): number | undefined;
  oneOf<Choice extends string>(name: string, choices: readonly Choice[]): Choice | undefined;
}

export function runOptions(context: RunContext): RunOptions {
  const text = (name: string) => flagText(context, name) ?? variableOf(context, rowOf(name));
  return {
    text,
    isOn(name) {
      if (hasFlag(context, name)) return true;
      const said = variableOf(context, rowOf(name));
      // https://no-color.org: any value counts; elsewhere 0 and false mean no.
      return said !== undefined && said !== "" && (name === "no-color" || !/^(0|false|no|off)$/i.test(said));
    },
    number(name, least) {
      const said = text(name);
      if (said === undefined || said.trim() === "") return undefined;
      const value = Number(said);
      if (Number.isFinite(value) && value >= least) return value;
      throw new OptionProblem(`${sourceOf(context, name)} is "${said}"; it should be a number from ${least} on.`);
    },
    oneOf(name, choices) {
      const said = text(name);
      if (said === undefined || said.trim() === "") return undefined;
      const choice = choices.find((one) => one === said);
      if (choice !== undefined) return choice;
      throw new OptionProblem(`${sourceOf(context, name)} is "${said}"; it should be one of ${choices.join(", ")}.`);
    },
  };
}

function rowOf(name: string): CommandFlagRow | undefined {
  return RUN_FLAGS.find((row) => row.name === name);
}

function variableOf({ environment }: RunContext, row: CommandFlagRow | undefined): string | undefined {
  return row?.variable === undefined ? undefined : environment[row.variable];
}

function sourceOf(context: RunContext, name: string): string {
  return flagText(context, name) === undefined ? (rowOf(name)?.variable ?? name) : `--${name}`;
}
