import { readdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { holdsSomething } from "../../system/empty-folder.ts";
import { errorCode, fileFailure } from "../../system/file-failure.ts";
import { lookAt } from "../../system/look-at.ts";
import type { TaskPlace } from "./read-task.ts";

// Which task is meant, and where its agent works.

export interface TaskWish {
  /** Absolute: where the person is. */
  cwd: string;
  /** What was said besides flags: a number of iterations, a folder or a prd.json, both, or nothing. */
  words: readonly string[];
  prd?: string;
  name?: string;
  root?: string;
}

export interface FoundTask {
  ok: true;
  place: TaskPlace;
  /** Where the agent works. */
  root: string;
  isRepository: boolean;
  /** How many iterations were asked for. None at all is a look: what passes is proven, no agent is started. */
  iterations: number | undefined;
}

/** `usage` is for what was said, `missing` for what is not there; `several` comes with what there is to choose from. */
export type TaskNotFound =
  | { ok: false; reason: "usage" | "missing"; message: string }
  | { ok: false; reason: "several"; message: string; choices: readonly string[] };

export function findTask(wish: TaskWish): FoundTask | TaskNotFound {
  const said = readWords(wish.words);
  if (!said.ok) return said;
  const given = said.path ?? wish.prd;
  if (said.path !== undefined && wish.prd !== undefined)
    return usage(`Both ${said.path} and --prd ${wish.prd} name a task. Give one of them.`);
  const file = given === undefined ? usualFile(wish.cwd) : fileAt(resolve(wish.cwd, given), given);
  if (typeof file !== "string") return file;
  return placed(file, { ...wish, iterations: said.iterations });
}

const MOST_ITERATIONS = 1_000_000;

type Said = { ok: true; path?: string; iterations: number | undefined };

function readWords(words: readonly string[]): Said | TaskNotFound {
  const numbers = words.filter(isNumber);
  const paths = words.filter((word) => !isNumber(word));
  if (numbers.length > 1 || paths.length > 1)
    return usage(`At most one number and one folder are understood, not: ${words.join(" ")}. See: ralph help run`);
  const [number] = numbers;
  if (number !== undefined && !/^\d{1,7}$/.test(number))
    return usage(`The number of iterations has to be whole and not below 0, not ${number}.`);
  if (Number(number ?? 0) > MOST_ITERATIONS) return usage(`At most ${MOST_ITERATIONS} iterations are possible.`);
  const [path] = paths;
  return {
    ok: true,
    iterations: number === undefined ? undefined : Number(number),
    ...(path === undefined ? {} : { path }),
  };
}

/** A folder with such a name is written ./7. */
function isNumber(word: string): boolean {
  return /^[-+]?\d+(\.\d*)?$/.test(word);
}

function fileAt(path: string, given: string): string | TaskNotFound {
  try {
    if (!statSync(path).isDirectory()) return path;
    const file = join(path, "prd.json");
    if (isThere(file)) return file;
    return missing(`${given} has no prd.json. Make one with: ralph init ${given}`);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") return missing(fileFailure(given, error, "read").message);
    return missing(`There is no ${given}. Make a task there with: ralph init ${given}`);
  }
}

/** Looked for where the person is, then at the top of the repository. */
function usualFile(cwd: string): string | TaskNotFound {
  const top = repositoryAbove(cwd);
  for (const folder of new Set([cwd, top ?? cwd])) {
    const known = ["prd.json", join("scripts", "ralph", "prd.json")].map((name) => join(folder, name)).find(isThere);
    if (known !== undefined) return known;
    const choices = [...tasksIn(join(folder, "tasks")), ...tasksIn(join(folder, ".ralph", "tasks"))];
    const [only, ...others] = choices;
    if (only !== undefined) return others.length === 0 ? only : several(choices, cwd);
  }
  return missing(
    "There is no task here: no prd.json, scripts/ralph/prd.json, tasks/*/prd.json or .ralph/tasks/*/prd.json. Make one with: ralph init",
  );
}

const MOST_FOLDERS = 1000;

function tasksIn(folder: string): string[] {
  try {
    const names = readdirSync(folder).sort().slice(0, MOST_FOLDERS);
    return names.map((name) => join(folder, name, "prd.json")).filter(isThere);
  } catch {
    return [];
  }
}

const MOST_LISTED = 20;

function several(files: readonly string[], cwd: string): TaskNotFound {
  const choices = files.map((file) => relative(cwd, dirname(file)));
  const listed = choices.slice(0, MOST_LISTED).map((choice) => `\n  ralph run ${choice}`);
  const more = choices.length - listed.length;
  const message = `There are ${choices.length} tasks here. Name one:${listed.join("")}${more > 0 ? `\n  and ${more} more` : ""}`;
  return { ok: false, reason: "several", message, choices };
}

type Placing = TaskWish & { iterations: number | undefined };

function placed(given: string, { cwd, name, root, iterations }: Placing): FoundTask | TaskNotFound {
  let file: string;
  try {
    file = realpathSync(given);
  } catch (error) {
    return missing(fileFailure(given, error, "read").message);
  }
  const directory = realpathSync(dirname(given));
  const called = name ?? basename(directory);
  if (!TASK_NAME.test(called)) return usage(nameProblem(called, name !== undefined));
  const workplace = root === undefined ? placeOfWork(directory, cwd) : chosenRoot(resolve(cwd, root), root);
  if (typeof workplace !== "string") return workplace;
  return {
    ok: true,
    place: { name: called, directory, file },
    root: workplace,
    isRepository: repositoryAbove(workplace) !== undefined,
    iterations,
  };
}

/** Names stand in file names and addresses of sockets. */
export const TASK_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

function nameProblem(name: string, isGiven: boolean): string {
  const rule = "letters, digits, dots, dashes and underscores, 64 at most, beginning with a letter or digit";
  const remedy = isGiven ? "" : " Give the task a name: --name NAME.";
  return `${JSON.stringify(name)} cannot be the name of a task: ${rule}.${remedy}`;
}

function chosenRoot(path: string, given: string): string | TaskNotFound {
  try {
    if (statSync(path).isDirectory()) return realpathSync(path);
    return usage(`--root ${given} is not a folder.`);
  } catch (error) {
    return usage(fileFailure(`--root ${given}`, error, "read").message);
  }
}

/** The top of the repository the task lies in; without one, the folder the person is in or else the task's own. */
function placeOfWork(directory: string, cwd: string): string {
  const here = realpathSync(cwd);
  return repositoryAbove(directory) ?? (isInside(here, directory) ? here : directory);
}

/** The nearest folder at or above that holds `.git`, a folder or (in a worktree or submodule) a file. */
export function repositoryAbove(path: string): string | undefined {
  for (let folder = path; ; folder = dirname(folder)) {
    if (holdsSomething(join(folder, ".git"))) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function isThere(path: string): boolean {
  return lookAt(path) !== undefined;
}

function usage(message: string): TaskNotFound {
  return { ok: false, reason: "usage", message };
}

function missing(message: string): TaskNotFound {
  return { ok: false, reason: "missing", message };
}
