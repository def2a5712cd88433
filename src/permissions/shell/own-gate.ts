import { baseName } from "./rules.ts";

// What a model cannot have done through its own shell: Ralph's commands and flags that widen what an agent may do.

/** Why the words would do that; undefined where they would not. Wrappers are taken off before. */
export function loosensOwnGate(words: readonly string[]): string | undefined {
  const own = ownArguments(words);
  if (own === undefined) return undefined;
  const end = own.indexOf("--");
  const given = end === -1 ? own : own.slice(0, end);
  const flag = given.find((word, index) => isWidening(word, given[index + 1]));
  if (flag !== undefined) return `ralph ${flag} would widen what an agent may do`;
  const command = commandsIn(given).find(({ name, verb }) => CHANGING[name]?.(verb, given) === false);
  return command && `ralph ${command.name} would change what agents may do, which only a person does`;
}

/** Which word is the command depends on whether a flag before it takes a value: both readings count. */
function commandsIn(words: readonly string[]): { name: string; verb: string | undefined }[] {
  const isFlag = (word: string | undefined) => word?.startsWith("-") === true;
  const isPrompt = (index: number) => words[index - 1] === "-p" || words[index - 1] === "--print";
  const first = words.findIndex((word, index) => !isFlag(word) && !isPrompt(index));
  const second = words.findIndex((word, index) => !isFlag(word) && !isFlag(words[index - 1]));
  return [first, second].map((at) => ({ name: words[at] ?? "", verb: words[at + 1] }));
}

/** Commands that change what agents may do → the forms of them that only look. */
const CHANGING: Record<string, (verb: string | undefined, words: readonly string[]) => boolean> = {
  trust: (_, words) => words.includes("--list"),
  setup: () => false,
  login: () => false,
  logout: () => false,
  config: (verb) => verb === undefined || verb === "list" || verb === "why",
  permissions: (verb) => verb === "check" || verb === "path" || verb === "simulate",
};

function isWidening(word: string, next: string | undefined): boolean {
  const [name = "", value = next] = word.split("=", 2);
  if (name === "--sandbox") return value !== "auto";
  return WIDENING.has(name);
}

const WIDENING: ReadonlySet<string> = new Set([
  ...["--yolo", "--trust", "--allow", "--allow-category"],
  ...["--login", "--logout"],
]);

const OWN_PROGRAM = /^ralph(\.mjs|\.js|\.exe|@.*)?$/i;
const LAUNCHERS = /^(node|nodejs|bun|bunx|deno|npx|pnpx|npm|pnpm|yarn|tsx|ts-node)[\d.]*$/;

/** What stands behind the name of Ralph, started by itself or by a program that runs others. */
function ownArguments(words: readonly string[]): readonly string[] | undefined {
  const [program = ""] = words;
  if (OWN_PROGRAM.test(baseName(program))) return words.slice(1);
  if (!LAUNCHERS.test(baseName(program))) return undefined;
  const at = words.findIndex((word, index) => index > 0 && (OWN_PROGRAM.test(baseName(word)) || isOwnSource(word)));
  return at === -1 ? undefined : withoutDashes(words.slice(at + 1));
}

/** `npm exec ralph -- trust` hands on what stands behind the dashes. */
function withoutDashes(words: readonly string[]): readonly string[] {
  return words[0] === "--" ? words.slice(1) : words;
}

function isOwnSource(word: string): boolean {
  return /(^|\/)src\/cli\/main\.ts$/.test(word);
}
