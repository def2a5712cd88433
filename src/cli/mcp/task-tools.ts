import { existsSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { chooseRunners } from "../../loop/runners/choose-runner.ts";
import { RUNNER_NAMES } from "../../loop/runners/runner.ts";
import { type FoundTask, findTask } from "../../loop/tasks/find-task.ts";
import { initTask, taskTextFrom } from "../../loop/tasks/init-task.ts";
import { MAX_TASK_BYTES, readTask } from "../../loop/tasks/read-task.ts";
import { type ServedTool, serveTool, type ToolHints } from "../../mcp/server/served-tools.ts";
import type { Task, TaskProblem } from "../../protocol/loop-tasks.ts";
import { readTextFile } from "../../system/text-file.ts";
import { runOptions } from "../loop/run-options.ts";
import initText from "./descriptions/init.md" with { type: "text" };
import validateText from "./descriptions/validate.md" with { type: "text" };
import { READS } from "./loop-tools.ts";
import { folderWord, outside, taskFolder } from "./served-folders.ts";
import type { Found, McpWorld } from "./served-loops.ts";

/** Makes tasks and says what is wrong with them. */
export function taskTools(world: McpWorld): ServedTool[] {
  return [initTool(world), validateTool(world)];
}

/** Nothing is ever written over. */
const MAKES: ToolHints = { ...READS, readOnlyHint: false };

const problemView = z.strictObject({
  path: z.string().describe("In prd.json; empty for the whole of it"),
  message: z.string(),
  remedy: z.string(),
});

function initTool(world: McpWorld): ServedTool {
  return serveTool({
    name: "ralph_init",
    title: "Make a task",
    description: initText.trim(),
    hints: MAKES,
    input: z.strictObject({
      folder: folderWord.optional().describe("Of the task, made where it is missing (scripts/ralph, with its prompts)"),
      from: folderWord.optional().describe("A file with stories: a prd.json, or a list in Markdown"),
    }),
    output: z.strictObject({
      folder: z.string(),
      created: z.array(z.string()),
      kept: z.array(z.string()),
      problems: z.array(problemView),
    }),
    async run({ folder, from }) {
      const named = folder ?? join("scripts", "ralph");
      const directory = world.roots.place(named);
      if (directory === undefined) return outside(world, named);
      if (!world.roots.holds(join(directory, "prd.json"))) return outside(world, join(named, "prd.json"));
      const source = from === undefined ? undefined : storiesOf(world, from, directory);
      if (source?.ok === false) return source;
      const prd = source?.value;
      const none = { created: [], kept: [] };
      if (prd?.ok === false) return { ok: true, value: { folder: directory, ...none, problems: [...prd.problems] } };
      const layout = folder === undefined ? "project" : "task";
      const made = await initTask({ directory, layout, ...(prd && { prd: prd.text }) });
      if (!made.ok) return made;
      const { created, kept, problems } = made;
      return {
        ok: true,
        value: { folder: directory, created: [...created], kept: [...kept], problems: [...problems] },
      };
    },
  });
}

function storiesOf(world: McpWorld, from: string, directory: string): Found<ReturnType<typeof taskTextFrom>> {
  const prd = join(directory, "prd.json");
  if (existsSync(prd))
    return { ok: false, message: `Nothing was written: ${prd} is there already. Name another folder.` };
  const path = world.roots.place(from);
  if (path === undefined) return outside(world, from);
  const file = readTextFile(path, { maxBytes: MAX_TASK_BYTES });
  return file.ok ? { ok: true, value: taskTextFrom(file.text, directory) } : file;
}

function validateTool(world: McpWorld): ServedTool {
  return serveTool({
    name: "ralph_validate",
    title: "Check a task",
    description: validateText.trim(),
    hints: READS,
    input: z.strictObject({
      task: folderWord.describe("Folder of the task, absolute or in the first served folder"),
    }),
    output: z.strictObject({
      folder: z.string(),
      valid: z.boolean(),
      problems: z.array(problemView),
      stories: z.strictObject({ all: z.number(), passing: z.number() }).optional(),
    }),
    async run({ task }) {
      const folder = taskFolder(world, task);
      if (!folder.ok) return folder;
      const found = findTask({ cwd: world.roots.folders[0], words: [folder.value] });
      if (found.ok && !world.roots.holds(found.place.file)) return outside(world, found.place.file);
      const read = found.ok ? readFound(world, found) : { problems: [notFound(found)] };
      return { ok: true, value: { folder: folder.value, valid: read.problems.length === 0, ...read } };
    },
  });
}

function notFound({ message, reason }: Exclude<ReturnType<typeof findTask>, FoundTask>): TaskProblem {
  const remedy = reason === "missing" ? "Make one with ralph_init." : "Give the folder such a name.";
  return { path: "", message, remedy };
}

interface Checked {
  problems: TaskProblem[];
  stories?: { all: number; passing: number };
}

function readFound({ context }: McpWorld, { place }: FoundTask): Checked {
  const read = readTask(place);
  if (!read.ok) return { problems: [...read.problems] };
  const { stories } = read.task;
  const options = runOptions(context);
  // What the person chose goes before what the task says.
  const isChosen = Boolean(options.text("agent") ?? options.text("agent-cmd"));
  return {
    problems: isChosen ? [] : agentProblems(read.task),
    stories: { all: stories.length, passing: stories.filter(({ passes }) => passes).length },
  };
}

const EVERY_AGENT = { codex: true, claude: true, ralph: true };

/** Names of agents nobody knows, or that need something this task cannot give them. */
function agentProblems({ agent: task, stories }: Task): TaskProblem[] {
  const said = [
    { path: "agent", wish: task === undefined ? {} : { task } },
    ...stories.map(({ agent: story }, index) => ({
      path: `userStories[${index}].agent`,
      wish: story === undefined ? {} : { story },
    })),
  ];
  return said.flatMap(({ path, wish }) => {
    const order = chooseRunners({ hasAgentCommand: false, ...wish }, EVERY_AGENT);
    const remedy = `Name one of ${RUNNER_NAMES.filter((name) => name !== "custom").join(", ")}, or take it out.`;
    return order.ok ? [] : [{ path, message: order.message, remedy }];
  });
}
