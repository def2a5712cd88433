// What a row about a flag says.

export interface FlagRow {
  /** Long name without dashes. */
  name: string;
  short?: string;
  /** What the value is called in help; absent for switches. */
  value?: string;
  /** The value may be left out. */
  optionalValue?: true;
  /** An empty value says something. */
  mayBeEmpty?: true;
  /** What a value can be; anything else is refused. */
  choices?: readonly string[];
  /** May be given several times; the values are kept as lines. */
  repeats?: true;
  description: string;
  group: FlagGroup;
}

/** A flag of one command alone; the environment can say the same where `variable` names how. */
export type CommandFlagRow = Omit<FlagRow, "group"> & { variable?: string };

export type FlagGroup = "Asking" | "Model" | "Output" | "With a command" | "Other";
