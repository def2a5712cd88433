export type Flags = ReadonlyMap<string, string | true>;

export interface ForkFlags {
  flags: Map<string, string | true>;
  /** Flags of the recorded run that would allow something or read a file, and were not said again. */
  left: string[];
}

/** What a recording says of the run: how much, how long, in which form. None of it allows anything. */
const TAKEN = [
  ...["safe", "tools", "no-session", "no-compact", "max-turns", "max-tokens", "max-cost", "max-minutes"],
  ...["append-system-prompt", "effort", "models", "max-output-tokens", "no-stream"],
  ...["plain", "json", "mode", "output-format", "output-schema"],
];

/** What only the person at the keyboard can say: a recording may come from anybody, and a fork is live. */
export const SAID_AGAIN = ["yolo", "allow", "allow-category", "sandbox", "trust", "system-prompt-file"] as const;

/** The flags of a fork: those of the recorded run that are harmless, and those that are given now. */
export function forkFlags(recorded: Readonly<Record<string, string | true>>, given: Flags): ForkFlags {
  const flags = new Map(Object.entries(recorded).filter(([name]) => TAKEN.includes(name)));
  for (const name of SAID_AGAIN) {
    const value = given.get(name);
    if (value !== undefined) flags.set(name, value);
  }
  const left = SAID_AGAIN.filter((name) => Object.hasOwn(recorded, name) && !given.has(name));
  return { flags, left };
}
