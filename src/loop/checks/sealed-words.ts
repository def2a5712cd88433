import { expandBraces, globExpression } from "../../system/glob-pattern.ts";
import { pathFrom, readCommands, type SimpleCommand } from "./command-words.ts";
import { buildFiles, type NamedScript, namedScript, withCompanions } from "./named-scripts.ts";
import { belongsToCheck } from "./test-paths.ts";

/** What the commands of checks rely on, found in their text. */
export interface SealedWords {
  paths: ReadonlySet<string>;
  /** With their companions; the value is undefined where the package has no such script. */
  scripts: ReadonlyMap<string, NamedScript & { value: string | undefined }>;
  /** Names of programs that are started, without those given by path. */
  programs: ReadonlySet<string>;
}

export interface SealSources {
  /** Commands of the checks. */
  commands: readonly string[];
  /** Patterns of the story: all they match is sealed. */
  patterns: readonly string[];
  /** Every path of the base. */
  paths: readonly string[];
  /** The scripts of a package.json of the base. */
  scriptsOf(file: string): Readonly<Record<string, string>> | undefined;
}

const MOST_SCRIPTS = 50;

export function sealedWords({ commands, patterns, paths, scriptsOf }: SealSources): SealedWords {
  const known = new Set(paths);
  const found = {
    paths: new Set(patterns.flatMap((pattern) => matchingPaths(pattern, paths))),
    scripts: new Map<string, NamedScript & { value: string | undefined }>(),
    programs: new Set<string>(),
  };
  const open = commands.flatMap((command) => readCommands(command));
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const [program = ""] = next.words;
    if (program !== "" && !program.includes("/")) found.programs.add(program);
    for (const path of namedPaths(next, { paths, known })) found.paths.add(path);
    const script = namedScript(next);
    const scripts = script === undefined ? undefined : scriptsOf(script.file);
    if (script === undefined || scripts?.[script.name] === undefined || found.scripts.size >= MOST_SCRIPTS) continue;
    for (const name of withCompanions(script.name)) {
      const key = `${script.file}\0${name}`;
      if (found.scripts.has(key)) continue;
      const value = scripts[name];
      found.scripts.set(key, { file: script.file, name, value });
      if (value !== undefined) open.push(...readCommands(value, folderOf(script.file)));
    }
  }
  return found;
}

interface KnownPaths {
  paths: readonly string[];
  known: ReadonlySet<string>;
}

/** Files of the base that a command names and that are part of the check, not what is checked. */
function namedPaths(command: SimpleCommand, { paths, known }: KnownPaths): string[] {
  const words = [...withoutSubcommand(command.words), ...command.redirected].flatMap(wordsWithin);
  const places = words.flatMap((word) => pathFrom(command.folder, word) ?? []);
  const named = places.flatMap((place) => {
    if (known.has(place)) return [place];
    if (/[*?[{]/.test(place)) return matchingPaths(place, paths);
    return place === "" ? [] : paths.filter((path) => path.startsWith(`${place}/`));
  });
  return [...named.filter(belongsToCheck), ...buildFiles(command).filter((path) => known.has(path))];
}

/** Programs whose first plain word says what to do: the `test` of `bun test` is no folder, that of `pytest test` is. */
const WITH_SUBCOMMANDS =
  /^(bun|npm|pnpm|yarn|deno|go|cargo|make|gmake|just|task|rake|mix|dotnet|swift|gradlew?|mvn|lerna|nx|turbo|cypress|playwright|vitest)$/;

function withoutSubcommand(words: readonly string[]): readonly string[] {
  if (!WITH_SUBCOMMANDS.test(words[0] ?? "")) return words;
  const at = words.findIndex((word, index) => index > 0 && !word.startsWith("-"));
  return words.filter((word, index) => index !== at || word.includes("/") || word.includes("."));
}

/** `--config=x` names x as well. */
function wordsWithin(word: string): string[] {
  const at = word.indexOf("=");
  return at > 0 ? [word, word.slice(at + 1)] : [word];
}

/** A pattern that ends in `/` means all below it. */
function matchingPaths(pattern: string, paths: readonly string[]): string[] {
  const whole = pattern.replace(/^\.\//, "").replace(/\/$/, "/**");
  const tests = expandBraces(whole).flatMap((one) => globExpression(one) ?? []);
  const asFolder = `${whole}/`;
  return paths.filter((path) => tests.some((test) => test.test(path)) || path.startsWith(asFolder));
}

function folderOf(file: string): string {
  return file.slice(0, Math.max(0, file.lastIndexOf("/")));
}
