// The commands of checks in the rule language Ralph and Claude Code share: `Bash(npm test)` and, for first words, `Bash(npm test:*)`.

export interface CommandRule {
  words: readonly string[];
}

/**
 * The simple commands these command lines are made of, each once. Both agents judge the parts of `a && b` one by one. A line that
 * holds more than plain words (quotes, expansions, redirections) cannot be written as rules and is left out whole: the harness
 * runs it anyway.
 */
export function commandRules(commandLines: readonly string[]): CommandRule[] {
  const rules = new Map<string, CommandRule>();
  for (const line of commandLines) {
    for (const words of simpleCommands(line) ?? []) rules.set(words.join(" "), { words });
  }
  return [...rules.values()];
}

const BETWEEN_COMMANDS = /&&|\|\||[;|\n]/;
/** Words every shell takes as they are. */
const PLAIN_WORD = /^[\w@%+=:,./-]+$/;

/** A program with a leading slash would make a rule about a place of it, one with `=` is an assignment. */
function simpleCommands(line: string): string[][] | undefined {
  const commands: string[][] = [];
  for (const part of line.split(BETWEEN_COMMANDS)) {
    const words = part.trim().split(/[ \t]+/);
    if (words.join("") === "") continue;
    const [program = ""] = words;
    const isPlain = words.every((word) => PLAIN_WORD.test(word));
    if (!isPlain || program.startsWith("/") || program.includes("=")) return undefined;
    commands.push(words);
  }
  return commands;
}

/** This command and no other. */
export function exactRule({ words }: CommandRule): string {
  return `Bash(${words.join(" ")})`;
}

/** Commands that begin with these words. A program alone says too little for that: it stays exact. */
export function prefixRule(rule: CommandRule): string {
  return rule.words.length < 2 ? exactRule(rule) : `Bash(${rule.words.join(" ")}:*)`;
}
