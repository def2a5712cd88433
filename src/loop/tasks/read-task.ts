import { asObject } from "../../protocol/json.ts";
import type { Task, TaskProblem } from "../../protocol/loop-tasks.ts";
import { readTextFile } from "../../system/text-file.ts";
import { branchProblem } from "./branch-name.ts";
import { type JsonDocument, parseJson, valueAt } from "./json-document.ts";
import { readStories } from "./read-stories.ts";
import { type Dialect, dialectOf, refuseUnknownKeys } from "./task-dialect.ts";
import { booleanField, type Fields, filledField, integerField, quoted, textField } from "./task-fields.ts";

export const MAX_TASK_BYTES = 4_000_000;
const MOST_PROBLEMS = 20;
const DEFAULT_FAILOVER_THRESHOLD = 3;

/** Where a task lies; see find-task.ts. */
export type TaskPlace = Pick<Task, "name" | "directory" | "file">;

/** `document` is the text the task was read from, for changes that leave the rest of it alone. */
export type ReadTask =
  | { ok: true; task: Task; document: JsonDocument }
  | { ok: false; problems: readonly TaskProblem[]; isMissing: boolean };

/** Every problem is told at once, twenty at most. */
export function readTask(place: TaskPlace): ReadTask {
  const file = readTextFile(place.file, { maxBytes: MAX_TASK_BYTES });
  if (file.ok) return parseTask(file.text, place);
  const isMissing = file.reason === "missing";
  const remedy = isMissing ? "Make one with: ralph init" : "Give a readable prd.json of at most 4 MB.";
  return { ok: false, isMissing, problems: [{ path: "", message: file.message, remedy }] };
}

export function parseTask(text: string, place: TaskPlace): ReadTask {
  const parsed = parseJson(text);
  if (!parsed.ok) {
    const remedy = "Correct it there; every other line is read once this one is JSON.";
    return refused([{ path: "", message: `is not JSON: ${parsed.message}`, remedy }]);
  }
  const { document } = parsed;
  const problems: TaskProblem[] = document.duplicates.map(({ path, line }) => ({
    path: quoted(path).slice(1, -1),
    message: `stands there twice, again in line ${line}`,
    remedy: "Keep one of them: which one counts would be a guess.",
  }));
  const values = asObject(valueAt(document, document.root));
  if (values === undefined) {
    const remedy = 'Write { "branchName": "…", "userStories": [ … ] }.';
    return refused([{ path: "", message: "holds no object in { }", remedy }]);
  }
  const top: Fields = { values, path: "", report: (problem) => void problems.push(problem) };
  const dialect = dialectOf(values, top.report);
  const task = dialect === undefined ? undefined : readTop(top, dialect, place);
  return task === undefined || problems.length > 0 ? refused(problems) : { ok: true, task, document };
}

function readTop(top: Fields, dialect: Dialect, { name, directory, file }: TaskPlace): Task {
  refuseUnknownKeys(top, dialect.topKeys);
  const model = filledField(top, "model", "optional");
  const mergeTarget = textField(top, "mergeTarget", "optional");
  const autoMerge = booleanField(top, "autoMerge", "optional");
  return {
    name,
    directory,
    file,
    dialect: dialect.name,
    branchName: readBranch(top, dialect),
    description: textField(top, "description", "optional") ?? "",
    agent: filledField(top, "agent", "optional"),
    failoverThreshold: readThreshold(top),
    setup: filledField(top, "setup", "optional"),
    ...(model === undefined ? {} : { model }),
    ...(mergeTarget === undefined || mergeTarget === "" ? {} : { mergeTarget }),
    ...(autoMerge === undefined ? {} : { autoMerge }),
    stories: readStories(top, dialect),
  };
}

/** The first version demands a name; in the others an empty one means: stay on the branch. */
function readBranch(top: Fields, { need }: Dialect): string | undefined {
  const name = textField(top, "branchName", need);
  if (name === undefined || (name === "" && need === "optional")) return undefined;
  const problem = branchProblem(name);
  if (problem === undefined) return name;
  const remedy =
    name === ""
      ? 'Name one like "ralph/checkout"; to stay on the branch you are on, run with --branch "".'
      : 'Write it like "branchName": "ralph/checkout".';
  top.report({ path: "branchName", message: problem, remedy });
  return undefined;
}

function readThreshold(top: Fields): number {
  const threshold = integerField(top, "failoverThreshold", "optional") ?? DEFAULT_FAILOVER_THRESHOLD;
  if (threshold >= 1 && threshold <= 100) return threshold;
  const remedy = 'Write it like "failoverThreshold": 3.';
  top.report({ path: "failoverThreshold", message: `has to be from 1 to 100, not ${threshold}`, remedy });
  return DEFAULT_FAILOVER_THRESHOLD;
}

function refused(problems: readonly TaskProblem[]): ReadTask {
  const more = problems.length - MOST_PROBLEMS;
  if (more <= 0) return { ok: false, isMissing: false, problems };
  const rest = { path: "", message: `and ${more} more`, remedy: "Correct these first, then look again." };
  return { ok: false, isMissing: false, problems: [...problems.slice(0, MOST_PROBLEMS), rest] };
}

/** For people: one line a problem. */
export function describeProblems(file: string, problems: readonly TaskProblem[]): string[] {
  return problems.map(({ path, message, remedy }) => {
    const subject = path === "" ? "" : `${path} `;
    const said = message.startsWith(file) ? message : `${file}: ${subject}${message}`;
    return `${said}${/[.?]$/.test(said) ? "" : "."} ${remedy}`;
  });
}
