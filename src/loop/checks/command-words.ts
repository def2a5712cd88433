import { posix } from "node:path";
import { type Command, forEachChild, parse, type Redirection, type SyntaxNode } from "unbash";

/** One program with its arguments, where it is started as far as the text tells. */
export interface SimpleCommand {
  /** Relative to the top of the checkout; `""` is the top. */
  folder: string;
  words: readonly string[];
  /** Files it reads or writes by redirection. */
  redirected: readonly string[];
}

const DEEPEST = 5;

/** The programs a shell command starts, in their order, through `cd`, wrappers like `timeout 5`, and `sh -c "…"`. */
export function readCommands(text: string, folder = "", depth = 0): SimpleCommand[] {
  const found: SimpleCommand[] = [];
  let current = folder;
  const visit = (node: SyntaxNode): void => {
    if (node.type === "Command") {
      const command = simpleCommand(node, current);
      current = folderAfter(command) ?? current;
      found.push(command, ...innerCommands(command, depth));
    }
    forEachChild(node, visit);
  };
  const script = parse(text);
  for (const statement of script.commands) visit(statement);
  return found;
}

/** A path as a word names it, from the top of the checkout; undefined when it leads out of it. */
export function pathFrom(folder: string, word: string): string | undefined {
  if (word === "" || word.startsWith("/") || word.startsWith("~") || word.includes("\0")) return undefined;
  const path = posix.normalize(posix.join(folder, word)).replace(/\/$/, "");
  return path === ".." || path.startsWith("../") ? undefined : path === "." ? "" : path;
}

function simpleCommand(node: Command, folder: string): SimpleCommand {
  const words = [node.name, ...node.args].flatMap((word) => (word?.type === "Word" ? [word.value] : []));
  const redirected = node.redirects.flatMap(redirectedFile);
  return { folder, words: withoutWrappers(words), redirected };
}

function redirectedFile(redirection: Redirection): string[] {
  return redirection.type === "Redirect" && redirection.target ? [redirection.target.value] : [];
}

/** Programs that start the program behind them, and how many arguments of theirs come first. */
const WRAPPERS: Readonly<Record<string, number>> = {
  command: 0,
  exec: 0,
  env: 0,
  nice: 0,
  nohup: 0,
  time: 0,
  xvfb_run: 0,
  stdbuf: 0,
  npx: 0,
  bunx: 0,
  timeout: 1,
};

function withoutWrappers(words: readonly string[]): readonly string[] {
  let rest = words;
  for (let left = 4; left > 0; left--) {
    const skipped = WRAPPERS[rest[0] ?? ""];
    if (skipped === undefined || !Object.hasOwn(WRAPPERS, rest[0] ?? "")) return rest;
    const start = rest.findIndex((word, at) => at > 0 && !/^-|^[A-Za-z_]\w*=/.test(word));
    if (start < 0) return rest;
    rest = rest.slice(start + skipped);
  }
  return rest;
}

function folderAfter({ words, folder }: SimpleCommand): string | undefined {
  const [program, target] = words;
  return program === "cd" && target !== undefined ? pathFrom(folder, target) : undefined;
}

/** `bash -c "…"` and `eval "…"`. */
function innerCommands({ words, folder }: SimpleCommand, depth: number): SimpleCommand[] {
  if (depth >= DEEPEST) return [];
  const [program = ""] = words;
  const at = words.findIndex((word) => /^-[a-z]*c[a-z]*$/.test(word));
  const inner = /^(.*\/)?(ba|z|da|k)?sh$/.test(program) && at > 0 ? words[at + 1] : undefined;
  if (inner !== undefined) return readCommands(inner, folder, depth + 1);
  return program === "eval" ? readCommands(words.slice(1).join(" "), folder, depth + 1) : [];
}
