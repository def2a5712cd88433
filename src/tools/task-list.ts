import type { ListedTask } from "../protocol/listed-tasks.ts";

// The one list of tasks of a session. TodoWrite, TodoRead and update_plan are views of it; every operation gives a new list.

export const TASK_STATUSES = ["pending", "in_progress", "completed"] as const;
export const TASK_PRIORITIES = ["low", "medium", "high"] as const;
export const MAX_TASKS = 100;
export const MAX_TASK_CHARACTERS = 512;
const MAX_ID_CHARACTERS = 64;

export type TaskStatus = (typeof TASK_STATUSES)[number];
export type TaskPriority = (typeof TASK_PRIORITIES)[number];

export type Task = ListedTask;

/** What is said about a task; what is left out stays as it was, or is the default of a new one. */
export type TaskDraft = { [Name in keyof Task]?: Task[Name] | undefined };

export type TaskListResult = { ok: true; tasks: Task[] } | { ok: false; message: string };

export interface TaskStore {
  read(): readonly Task[];
  write(tasks: readonly Task[]): void;
}

/** `changed` is called with every list that was written. */
export function createTaskStore(initial: readonly Task[], changed: (tasks: readonly Task[]) => void): TaskStore {
  let tasks = initial;
  return {
    read: () => tasks,
    write: (next) => {
      tasks = next;
      changed(next);
    },
  };
}

/** The drafts become the whole list. One with the id of a task that was there keeps what it leaves out. */
export function replaceTasks(tasks: readonly Task[], drafts: readonly TaskDraft[]): TaskListResult {
  const before = byId(tasks);
  const taken = new Set(drafts.flatMap(({ id }) => id ?? []));
  const next = drafts.map((draft) => completed(draft, before, taken));
  return checked(next);
}

/** Tasks named by id change where they stand, drafts without a known id are added at the end, all others stay. */
export function updateTasks(tasks: readonly Task[], drafts: readonly TaskDraft[]): TaskListResult {
  const before = byId(tasks);
  const taken = new Set([...before.keys(), ...drafts.flatMap(({ id }) => id ?? [])]);
  const repeated = firstRepeated(drafts.flatMap(({ id }) => id ?? []));
  if (repeated !== undefined) return refused(`the id "${repeated}" is there twice`);
  const changes = new Map(drafts.flatMap((draft) => (draft.id === undefined ? [] : [[draft.id, draft] as const])));
  const kept = tasks.map((task) => completed(changes.get(task.id) ?? task, before, taken));
  const added = drafts.filter(({ id }) => id === undefined || !before.has(id));
  return checked([...kept, ...added.map((draft) => completed(draft, before, taken))]);
}

/** Tasks below a deleted one move to the top level. */
export function deleteTasks(tasks: readonly Task[], ids: readonly string[]): TaskListResult {
  const known = byId(tasks);
  const missing = ids.find((id) => !known.has(id));
  if (missing !== undefined) return refused(`there is no task with the id "${missing}" to delete`);
  const gone = new Set(ids);
  const left = tasks.filter(({ id }) => !gone.has(id));
  return { ok: true, tasks: left.map((task) => (gone.has(task.parent_id ?? "") ? withoutParent(task) : task)) };
}

export function filterTasks(
  tasks: readonly Task[],
  { status, priority }: { status?: TaskStatus | undefined; priority?: TaskPriority | undefined },
): Task[] {
  return tasks.filter(
    (task) =>
      (status === undefined || task.status === status) && (priority === undefined || task.priority === priority),
  );
}

const BOXES: Record<TaskStatus, string> = { pending: "[ ]", in_progress: "[>]", completed: "[x]" };

/** One line per task, in the order of the list; tasks below others are indented. A priority shows unless it is medium. */
export function checklist(tasks: readonly Task[]): string {
  const known = byId(tasks);
  const line = (task: Task) => {
    const priority = task.priority === "medium" ? "" : ` (${task.priority})`;
    return `${"  ".repeat(levelOf(task, known))}${BOXES[task.status]} ${task.id}. ${task.content}${priority}`;
  };
  return tasks.map(line).join("\n");
}

/** For example "1 of 3 done, 1 in progress". */
export function progressOf(tasks: readonly Task[]): string {
  const count = (status: TaskStatus) => filterTasks(tasks, { status }).length;
  const working = count("in_progress");
  return `${count("completed")} of ${tasks.length} done${working === 0 ? "" : `, ${working} in progress`}`;
}

function byId(tasks: readonly Task[]): Map<string, Task> {
  return new Map(tasks.map((task) => [task.id, task]));
}

function completed(draft: TaskDraft, before: Map<string, Task>, taken: Set<string>): Task {
  const old = draft.id === undefined ? undefined : before.get(draft.id);
  const parent = draft.parent_id ?? old?.parent_id;
  return {
    id: draft.id ?? freeId(taken),
    content: (draft.content ?? old?.content ?? "").replace(/\s+/g, " ").trim(),
    status: draft.status ?? old?.status ?? "pending",
    priority: draft.priority ?? old?.priority ?? "medium",
    ...(parent === undefined || parent === "" ? {} : { parent_id: parent }),
  };
}

/** The smallest number nobody has, which is then taken. */
function freeId(taken: Set<string>): string {
  let number = 1;
  while (taken.has(String(number))) number += 1;
  taken.add(String(number));
  return String(number);
}

function checked(tasks: Task[]): TaskListResult {
  if (tasks.length > MAX_TASKS) return refused(`there would be ${tasks.length} tasks; the limit is ${MAX_TASKS}`);
  const repeated = firstRepeated(tasks.map(({ id }) => id));
  if (repeated !== undefined) return refused(`the id "${repeated}" is there twice`);
  const known = byId(tasks);
  for (const task of tasks) {
    const mistake = mistakeOf(task, known);
    if (mistake !== undefined) return refused(`task "${task.id.slice(0, MAX_ID_CHARACTERS)}" ${mistake}`);
  }
  return { ok: true, tasks };
}

function mistakeOf(task: Task, known: Map<string, Task>): string | undefined {
  if (task.id === "" || task.id.length > MAX_ID_CHARACTERS)
    return `needs an id of 1 to ${MAX_ID_CHARACTERS} characters`;
  if (task.content === "") return "is new and needs content";
  if (task.content.length > MAX_TASK_CHARACTERS)
    return `has ${task.content.length} characters of content; the limit is ${MAX_TASK_CHARACTERS}`;
  if (task.parent_id === undefined) return undefined;
  if (!known.has(task.parent_id)) return `names the parent "${task.parent_id}", which is not in the list`;
  return levelOf(task, known) >= known.size ? "is its own ancestor" : undefined;
}

/** How many tasks stand above this one; in a circle it is the size of the list. */
function levelOf(task: Task, known: Map<string, Task>): number {
  let level = 0;
  let parent = known.get(task.parent_id ?? "");
  while (parent !== undefined && level < known.size) {
    level += 1;
    parent = known.get(parent.parent_id ?? "");
  }
  return level;
}

function withoutParent({ parent_id: _, ...task }: Task): Task {
  return task;
}

function firstRepeated(ids: string[]): string | undefined {
  return ids.find((id, index) => ids.indexOf(id) !== index);
}

function refused(message: string): TaskListResult {
  return { ok: false, message: `The tasks were not changed: ${message}.` };
}
