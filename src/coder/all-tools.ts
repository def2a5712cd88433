import { pinPlace } from "../permissions/paths/pin-place.ts";
import type { Tool } from "../protocol/tool-runs.ts";
import { systemClock } from "../system/clock.ts";
import { appendFileTool } from "../tools/append-file.ts";
import { applyDeltaTool } from "../tools/apply-delta.ts";
import { type AskUser, createAskUser } from "../tools/ask-user.ts";
import { chosenSearch } from "../tools/chosen-search.ts";
import { copyFileTool } from "../tools/copy-file.ts";
import { createDirectoryTool } from "../tools/create-directory.ts";
import { deleteDirectoryTool } from "../tools/delete-directory.ts";
import { deleteFileTool } from "../tools/delete-file.ts";
import { editFileTool } from "../tools/edit-file.ts";
import { fileInfoTool } from "../tools/file-info.ts";
import { globFilesTool } from "../tools/glob-files.ts";
import { jobKillTool } from "../tools/job-kill.ts";
import { jobListTool } from "../tools/job-list.ts";
import { jobOutputTool } from "../tools/job-output.ts";
import { createJobs, type Jobs } from "../tools/jobs.ts";
import { listDirTool } from "../tools/list-dir.ts";
import { moveFileTool } from "../tools/move-file.ts";
import { readFileTool } from "../tools/read-file.ts";
import { searchFilesTool } from "../tools/search-files.ts";
import { shellTool } from "../tools/shell.ts";
import type { TaskStore } from "../tools/task-list.ts";
import { createTodoRead } from "../tools/todo-read.ts";
import { createTodoWrite } from "../tools/todo-write.ts";
import type { ToolWorld } from "../tools/tool-world.ts";
import { createUpdatePlan } from "../tools/update-plan.ts";
import { viewImageTool } from "../tools/view-image.ts";
import { createWebFetch } from "../tools/web-fetch.ts";
import { writeFileTool } from "../tools/write-file.ts";
import { PAGE_ACCESS } from "./page-access.ts";

/** The tools of a workspace. `core` is what a model sees from the start; the rest it finds with `search_tools`. */
export interface ToolKit {
  tools: Tool[];
  core: readonly string[];
  jobs: Jobs;
  /** Ends what tools left running. */
  stop(): Promise<void>;
}

export interface ToolKitOptions {
  world: ToolWorld;
  tasks: TaskStore;
  askUser: AskUser;
  /** A command beside the conversation has begun or ended. */
  onJobs?: () => void;
  /** The path of an `rg`, where there is one; asked for at the first search. */
  findRipgrep(): Promise<string | undefined>;
}

const CORE = [
  "read_file",
  "search_files",
  "glob_files",
  "list_dir",
  "edit_file",
  "write_file",
  "shell",
  "search_tools",
];

export function createTools({ world, tasks, askUser, findRipgrep, onJobs }: ToolKitOptions): ToolKit {
  const jobs = createJobs(world, onJobs);
  const engine = chosenSearch({ findRipgrep, environment: world.environment });
  const tools = [
    readFileTool(world),
    searchFilesTool(world, engine),
    globFilesTool(world),
    listDirTool(world),
    editFileTool(world),
    writeFileTool(world),
    shellTool(world, jobs),
    appendFileTool(world),
    applyDeltaTool(world),
    fileInfoTool(world),
    createDirectoryTool(world),
    moveFileTool(world),
    copyFileTool(world),
    deleteFileTool(world),
    deleteDirectoryTool(world),
    jobListTool(jobs),
    jobOutputTool(world, jobs),
    jobKillTool(jobs),
    createTodoWrite(tasks),
    createTodoRead(tasks),
    createUpdatePlan(tasks),
    viewImageTool(world),
    createWebFetch({ ...PAGE_ACCESS, clock: world.clock }),
    createAskUser(askUser),
  ];
  return { tools, core: CORE, jobs, stop: () => jobs.close() };
}

/** Every name a tool answers to. */
export function toolSpellings(): string[] {
  return describedTools().flatMap(({ name, aliases }) => [name, ...aliases]);
}

/** All tools as they describe themselves; in no world, so that none of them can run. */
export function describedTools(): Omit<Tool, "prepare">[] {
  const seen = { remember: () => {}, hashOf: () => undefined, contentOf: () => undefined, forget: () => {} };
  const world: ToolWorld = {
    root: "/",
    clock: systemClock,
    environment: {},
    artifacts: "/",
    pin: pinPlace,
    seen,
    beforeChange: async () => undefined,
  };
  const tasks = { read: () => [], write: () => {} };
  const askUser: AskUser = async () => ({ type: "nobody-there" });
  return createTools({ world, tasks, askUser, findRipgrep: async () => undefined }).tools;
}
