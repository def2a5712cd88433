import { existsSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { repositoryAbove, TASK_NAME } from "../../loop/tasks/find-task.ts";
import { type InitializedTask, initTask, type TaskLayout, taskTextFrom } from "../../loop/tasks/init-task.ts";
import { describeProblems, MAX_TASK_BYTES } from "../../loop/tasks/read-task.ts";
import type { TaskProblem } from "../../protocol/loop-tasks.ts";
import { readTextFile } from "../../system/text-file.ts";
import { EXIT } from "../exit-codes.ts";
import { print } from "../output.ts";
import { hasPerson } from "../print/answer-in-terminal.ts";
import { printableJson } from "../printable.ts";
import { flagText, hasFlag, type RunContext } from "../run-context.ts";
import { askForTask } from "./init-questions.ts";

/** `ralph init [DIR]`: makes what a task needs and is not there yet, and says what is wrong with what is. */
export async function init(context: RunContext): Promise<number> {
  const [given, ...others] = context.arguments.words;
  if (others.length > 0) return refuse(context, "Name one folder: ralph init [DIR]", EXIT.usage);
  const target = targetOf(context.cwd, given);
  const source = await sourceOf(context, target);
  if (typeof source === "number") return source;
  const result = await initTask({ ...target, ...source });
  if (!result.ok) return refuse(context, result.message, EXIT.failed);
  tell(context, target, result);
  return result.problems.length > 0 ? EXIT.failed : EXIT.done;
}

interface Target {
  directory: string;
  layout: TaskLayout;
}

/** Without a folder it is the project's own: scripts/ralph at the top of the repository. */
function targetOf(cwd: string, given: string | undefined): Target {
  if (given !== undefined) return { directory: resolve(cwd, given), layout: "task" };
  return { directory: join(repositoryAbove(cwd) ?? cwd, "scripts", "ralph"), layout: "project" };
}

/** What the new prd.json holds; the exit code where there cannot be one. */
async function sourceOf(context: RunContext, { directory }: Target): Promise<{ prd?: string } | number> {
  const from = flagText(context, "from");
  const isThere = existsSync(join(directory, "prd.json"));
  if (from === undefined) {
    if (isThere || hasFlag(context, "json") || !hasPerson()) return {};
    const answered = await askForTask(context, directory);
    return answered ?? refuse(context, "Nothing was written.", EXIT.failed);
  }
  const shown = shownPath(context, join(directory, "prd.json"));
  if (isThere)
    return refuse(
      context,
      `Nothing was written: ${shown} is there already. Move it away, or name another folder.`,
      EXIT.failed,
    );
  const file = readTextFile(resolve(context.cwd, from), { maxBytes: MAX_TASK_BYTES });
  if (!file.ok) return refuse(context, file.message, EXIT.usage);
  const text = taskTextFrom(file.text, directory);
  if (text.ok) return { prd: text.text };
  if (hasFlag(context, "json")) print(printableJson(summary(directory, { problems: text.problems })));
  for (const line of describeProblems(from, text.problems)) context.note(line);
  return refuse(context, "Nothing was written.", EXIT.failed);
}

function tell(context: RunContext, { directory }: Target, result: InitializedTask): void {
  const { created, kept, problems } = result;
  if (hasFlag(context, "json")) return void print(printableJson(summary(directory, result)));
  const rows = [...created.map((name) => ({ name, what: "made" })), ...kept.map((name) => ({ name, what: "kept" }))];
  print(rows.map(({ name, what }) => `${what}  ${shownPath(context, join(directory, name))}\n`).join(""));
  const file = shownPath(context, join(directory, "prd.json"));
  for (const line of describeProblems(file, problems)) context.note(line);
  if (problems.length === 0) print(`${nextStep(context, directory, result)}\n`);
}

function nextStep(context: RunContext, directory: string, { created }: InitializedTask): string {
  const shown = shownPath(context, directory);
  const name = TASK_NAME.test(basename(directory)) ? "" : " --name NAME";
  const run = `ralph run ${asWord(shown)}${name}`;
  const isEmpty = created.includes("prd.json") && !hasStories(directory);
  return isEmpty ? `Put your stories into ${join(shown, "prd.json")}, then: ${run}` : `Next: ${run}`;
}

/** As a shell reads it. */
function asWord(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

function hasStories(directory: string): boolean {
  const file = readTextFile(join(directory, "prd.json"), { maxBytes: MAX_TASK_BYTES });
  return file.ok && taskTextFrom(file.text, directory).ok;
}

interface Summary {
  created?: readonly string[];
  kept?: readonly string[];
  problems: readonly TaskProblem[];
}

function summary(directory: string, { created = [], kept = [], problems }: Summary) {
  return { directory, created, kept, problems };
}

function shownPath({ cwd }: RunContext, path: string): string {
  const way = relative(cwd, path);
  return way === "" ? "." : way.startsWith("..") ? path : way;
}

function refuse({ note }: RunContext, message: string, code: number): number {
  note(message);
  return code;
}
