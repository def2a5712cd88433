import { basename, join } from "node:path";
import type { TaskProblem } from "../../protocol/loop-tasks.ts";
import { createFile } from "../../system/create-file.ts";
import { ensureDirectory } from "../../system/files.ts";
import { lookAt } from "../../system/look-at.ts";
import { TASK_NAME } from "./find-task.ts";
import { printTask } from "./new-task.ts";
import prdPrompt from "./prd-prompt.md" with { type: "text" };
import { EMPTY_PROGRESS } from "./progress-file.ts";
import prompt from "./prompt.md" with { type: "text" };
import { parseTask, readTask, type TaskPlace } from "./read-task.ts";
import { storiesFromMarkdown } from "./stories-markdown.ts";
import understandPrompt from "./understand-prompt.md" with { type: "text" };

/** `project` is the layout of scripts/ralph with all its prompts; a `task` has only what it cannot do without. */
export type TaskLayout = "project" | "task";

export interface InitOptions {
  directory: string;
  layout: TaskLayout;
  /** The text of the prd.json to make; without it one with no stories is made. */
  prd?: string;
}

/** Names of files in the folder. The problems are those of a prd.json that was there. */
export interface InitializedTask {
  ok: true;
  created: readonly string[];
  kept: readonly string[];
  problems: readonly TaskProblem[];
}

/** Makes what is missing, each file whole or not at all, and looks at what was there. Nothing is ever written over. */
export async function initTask(options: InitOptions): Promise<InitializedTask | { ok: false; message: string }> {
  const { directory } = options;
  const made = await ensureDirectory(directory, 0o777);
  if (!made.ok) return made;
  const created: string[] = [];
  const kept: string[] = [];
  for (const { name, text } of filesOf(options)) {
    const result = await createFile(join(directory, name), text);
    if (!result.ok) return result;
    (result.isNew ? created : kept).push(name);
  }
  return { ok: true, created, kept, problems: kept.flatMap((name) => problemsWith(directory, name)) };
}

export type TaskText = { ok: true; text: string } | { ok: false; problems: readonly TaskProblem[] };

/** A prd.json of any dialect stays as it is; a list of stories in Markdown becomes one. Either is refused where it has problems. */
export function taskTextFrom(given: string, directory: string): TaskText {
  const place = placeOf(directory);
  const isJson = /^\uFEFF?\s*[{[]/.test(given);
  const stories = isJson ? undefined : storiesFromMarkdown(given, { branchName: defaultBranch(directory) });
  if (stories?.ok === false) return stories;
  const text = stories === undefined ? given : printTask(stories.task);
  const read = parseTask(text, place);
  return read.ok ? { ok: true, text } : { ok: false, problems: read.problems };
}

export function defaultBranch(directory: string): string {
  const name = basename(directory);
  return TASK_NAME.test(name) && !/\.\.|\.$|\.lock$/.test(name) && name !== "ralph" ? `ralph/${name}` : "ralph/work";
}

function filesOf({ directory, layout, prd }: InitOptions): { name: string; text: string }[] {
  const empty = { branchName: defaultBranch(directory), description: "", stories: [] };
  const files = [
    { name: "prd.json", text: prd ?? printTask(empty) },
    { name: "progress.txt", text: EMPTY_PROGRESS },
  ];
  if (layout === "task") return files;
  return [
    ...files,
    { name: "prompt.md", text: prompt },
    { name: "prd_prompt.txt", text: prdPrompt },
    { name: "understand_prompt.md", text: understandPrompt },
    { name: "codebase_map.md", text: EMPTY_MAP },
  ];
}

const EMPTY_MAP = "# Codebase map\n\nNothing is described yet. `ralph understand` fills this in.\n";

function problemsWith(directory: string, name: string): readonly TaskProblem[] {
  if (lookAt(join(directory, name))?.isDirectory() === true) {
    return [
      { path: "", message: `${join(directory, name)} is a folder`, remedy: "Move it away; a file belongs there." },
    ];
  }
  const read = name === "prd.json" ? readTask(placeOf(directory)) : undefined;
  return read?.ok === false ? read.problems : [];
}

function placeOf(directory: string): TaskPlace {
  return { name: basename(directory), directory, file: join(directory, "prd.json") };
}
