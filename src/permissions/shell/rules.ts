import type { Concern, Segment } from "./command-analysis.ts";

// Rules are token prefixes of the decoded words.
//
// An allow rule matches the words exactly: the bare name only, because that is the program the person meant. `/tmp/git` and `./git` are
// other programs and need their own rule. Wrappers are matched by what they start; a rule that begins with a wrapper must reach into
// the command behind it.
// A deny rule is matched as widely as its words allow: every layer, every tail that may be a command, by the last part of a program's
// path, with options in between, options in any order, clusters taken apart.

export interface CommandRule {
  words: readonly string[];
  action: "allow" | "deny";
}

/** Any of these forms in `allow_rules`: an array of words, or an object for one tool. Everything else is no rule. */
export function readRule(value: unknown): CommandRule | undefined {
  if (Array.isArray(value)) return ruleOf(value, "allow");
  if (typeof value !== "object" || value === null) return undefined;
  const { tool, pattern, command, action = "allow" } = value as Record<string, unknown>;
  if (tool !== "shell" || (action !== "allow" && action !== "deny")) return undefined;
  return ruleOf(pattern ?? command, action);
}

function ruleOf(pattern: unknown, action: CommandRule["action"]): CommandRule | undefined {
  if (!Array.isArray(pattern) || pattern.length === 0) return undefined;
  const words = pattern.filter((word): word is string => typeof word === "string");
  return words.length === pattern.length && words[0] !== "" ? { words, action } : undefined;
}

export interface AllowMatch {
  rule: CommandRule;
  /** Concerns the rule does not answer. */
  left: Concern[];
}

/** The rule that leaves the fewest concerns. */
export function allowMatch(segment: Segment, rules: readonly CommandRule[]): AllowMatch | undefined {
  let best: AllowMatch | undefined;
  for (const rule of rules) {
    if (rule.action !== "allow") continue;
    const covered = coveredWords(segment, rule.words);
    if (covered === 0) continue;
    const left = segment.concerns.filter(({ word }) => word === undefined || word >= covered);
    if (best === undefined || left.length < best.left.length) best = { rule, left };
  }
  return best;
}

/** How many of the segment's words the rule spells out; 0 when it does not match. */
function coveredWords({ words, layers, shorter }: Segment, rule: readonly string[]): number {
  if (startsWith(words, rule)) return rule.length;
  if (shorter !== undefined && startsWith(shorter, rule)) return words.length - shorter.length + rule.length;
  for (const layer of layers.slice(0, -1)) {
    const inside = rule.length - (layer.length - words.length);
    if (inside > 0 && startsWith(layer, rule)) return inside;
  }
  return 0;
}

function startsWith(words: readonly string[], prefix: readonly string[]): boolean {
  return prefix.length <= words.length && prefix.every((word, index) => words[index] === word);
}

export function denyMatch(segment: Segment, rules: readonly CommandRule[]): CommandRule | undefined {
  const lists = [...segment.layers, segment.words, ...segment.candidates];
  return rules.find(({ action, words }) => action === "deny" && lists.some((list) => denies(list, words)));
}

function denies(words: readonly string[], rule: readonly string[]): boolean {
  const [program = "", ...rest] = words;
  const [denied = "", ...more] = rule;
  if (program !== denied && (denied.includes("/") || baseName(program) !== denied)) return false;
  const options = more.filter((word) => word.startsWith("-"));
  const plain = more.filter((word) => !word.startsWith("-"));
  return plainFollows(rest, plain) && options.every((option) => hasOption(rest, option));
}

/** The plain words of the rule come first among the plain words; a word behind an option may be its value or not. */
function plainFollows(words: readonly string[], plain: readonly string[]): boolean {
  const [wanted, ...others] = plain;
  if (wanted === undefined) return true;
  for (const [index, word] of words.entries()) {
    if (word === wanted && plainFollows(words.slice(index + 1), others)) return true;
    const behindOption = words[index - 1]?.startsWith("-") === true;
    if (!word.startsWith("-") && !behindOption) return false;
  }
  return false;
}

function hasOption(words: readonly string[], option: string): boolean {
  if (option.startsWith("--")) {
    const name = option.split("=")[0] ?? option;
    return words.some(
      (word) =>
        word === option || (word.startsWith("--") && word.length > 3 && name.startsWith(word.split("=")[0] ?? word)),
    );
  }
  if (words.includes(option)) return true;
  const letters = words.filter((word) => /^-[^-]/.test(word)).join("");
  return [...option.slice(1)].every((letter) => letters.includes(letter));
}

export function baseName(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1);
}

export function describeRule({ words, action }: CommandRule): string {
  return `${action} ${JSON.stringify(words)}`;
}
