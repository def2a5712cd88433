import { pathFrom, type SimpleCommand } from "./command-words.ts";

/** A script of a `package.json` that a command runs. */
export interface NamedScript {
  /** The package.json, from the top of the checkout. */
  file: string;
  name: string;
}

interface Manager {
  /** Options that name the folder to work in. */
  folderOptions: readonly string[];
  /** Words that run the script after them. */
  runWords: readonly string[];
  /** Words that run a script of a fixed name. */
  shortWords: Readonly<Record<string, string>>;
  /** Whether any other word runs the script of that name. */
  isBareScript: boolean;
  /** Words that never are a script although any word may be. */
  ownWords: readonly string[];
}

const MANAGERS: Readonly<Record<string, Manager>> = {
  npm: {
    folderOptions: ["--prefix", "-C"],
    runWords: ["run", "run-script", "rum", "urn"],
    shortWords: { test: "test", tst: "test", t: "test", start: "start", stop: "stop", restart: "restart" },
    isBareScript: false,
    ownWords: [],
  },
  yarn: { folderOptions: ["--cwd"], runWords: ["run"], shortWords: {}, isBareScript: true, ownWords: [] },
  pnpm: {
    folderOptions: ["-C", "--dir"],
    runWords: ["run", "run-script"],
    shortWords: { t: "test" },
    isBareScript: true,
    ownWords: [],
  },
  bun: { folderOptions: ["--cwd"], runWords: ["run"], shortWords: {}, isBareScript: true, ownWords: ["test"] },
  node: { folderOptions: [], runWords: ["--run"], shortWords: {}, isBareScript: false, ownWords: [] },
};

/** The script a command runs through a package manager, if it does. */
export function namedScript({ words, folder }: SimpleCommand): NamedScript | undefined {
  const [program = "", ...rest] = words;
  const manager = Object.hasOwn(MANAGERS, program) ? MANAGERS[program] : undefined;
  if (manager === undefined) return undefined;
  const { place, plain } = withoutOptions(rest, manager);
  const home = pathFrom(folder, place ?? ".");
  const name = scriptName(plain, manager);
  if (home === undefined || name === undefined) return undefined;
  return { file: home === "" ? "package.json" : `${home}/package.json`, name };
}

function scriptName([first, second]: readonly string[], manager: Manager): string | undefined {
  if (first === undefined) return undefined;
  if (manager.runWords.includes(first)) return second;
  if (Object.hasOwn(manager.shortWords, first)) return manager.shortWords[first];
  return manager.isBareScript && !manager.ownWords.includes(first) ? first : undefined;
}

function withoutOptions(words: readonly string[], { folderOptions, runWords }: Manager) {
  const plain: string[] = [];
  let place: string | undefined;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "--") break;
    const [option = "", value] = word.split("=", 2);
    if (folderOptions.includes(option)) place = value ?? words[++at];
    else if (runWords.includes(word) || !word.startsWith("-")) plain.push(word);
  }
  return { place, plain };
}

/** Programs that read what to do from a file they are not told. */
const BUILD_FILES: Readonly<Record<string, readonly string[]>> = {
  make: ["GNUmakefile", "makefile", "Makefile"],
  gmake: ["GNUmakefile", "makefile", "Makefile"],
  just: ["justfile", "Justfile", ".justfile"],
  task: ["Taskfile.yml", "Taskfile.yaml"],
  rake: ["Rakefile", "rakefile"],
  tox: ["tox.ini"],
  nox: ["noxfile.py"],
};

/** Files that such a program may read, from the top of the checkout. */
export function buildFiles({ words, folder }: SimpleCommand): string[] {
  const [program = "", ...rest] = words;
  const names = Object.hasOwn(BUILD_FILES, program) ? BUILD_FILES[program] : undefined;
  if (names === undefined) return [];
  const at = rest.findIndex((word) => word === "-C" || word === "--directory");
  const home = pathFrom(folder, at < 0 ? "." : (rest[at + 1] ?? "."));
  return home === undefined ? [] : names.map((name) => (home === "" ? name : `${home}/${name}`));
}

/** npm and its kind run these with a script, without being asked. */
export function withCompanions(name: string): string[] {
  return [`pre${name}`, name, `post${name}`];
}
