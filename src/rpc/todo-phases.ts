import type { ListedTask } from "../protocol/listed-tasks.ts";
import type { TodoPhase } from "./command-shapes.ts";

// A list of things to do in phases, over Ralph's list of tasks: a phase is a task with others below it. Tasks that stand alone
// are shown in a phase of their own.

export const MAX_LISTED = 100;
export const MAX_ID_CHARACTERS = 64;
const LOOSE: Pick<TodoPhase, "id" | "name"> = { id: "todos", name: "Todos" };

export function phasesOf(tasks: readonly ListedTask[]): TodoPhase[] {
  const roots = rootsOf(tasks);
  const below = Map.groupBy(tasks, (task) => roots.get(task.id) ?? task.id);
  const top = tasks.filter((task) => roots.get(task.id) === task.id);
  const isPhase = (task: ListedTask) => (below.get(task.id)?.length ?? 0) > 1;
  const phases = top.filter(isPhase).map(({ id, content }) => ({
    id,
    name: content,
    tasks: (below.get(id) ?? []).filter((task) => task.id !== id).map(shown),
  }));
  const loose = top.filter((task) => !isPhase(task)).map(shown);
  return loose.length === 0 ? phases : [...phases, { ...LOOSE, tasks: loose }];
}

/** The task at the top of each. */
function rootsOf(tasks: readonly ListedTask[]): Map<string, string> {
  const known = new Map(tasks.map((task) => [task.id, task]));
  return new Map(
    tasks.map((task) => {
      let root = task;
      // Where tasks stand in a circle, each counts as the top of itself.
      for (let step = 0; step < tasks.length; step++) root = known.get(root.parent_id ?? "") ?? root;
      return [task.id, known.has(root.parent_id ?? "") ? task.id : root.id];
    }),
  );
}

function shown({ id, content, status }: ListedTask): TodoPhase["tasks"][number] {
  return { id, content, status };
}

export type ReadPhases = { ok: true; tasks: ListedTask[] } | { ok: false; message: string };

/**
 * The list the phases stand for: what was given up is not in it, nor are phases with nothing to do. Ids that stand there twice
 * get a number behind them.
 */
export function tasksOf(phases: readonly TodoPhase[]): ReadPhases {
  const taken = new Set<string>();
  const tasks = phases.flatMap((phase) => {
    const kept = phase.tasks.flatMap(({ status, ...task }) => (status === "abandoned" ? [] : [{ ...task, status }]));
    if (kept.length === 0) return [];
    const isLoose = phase.id === LOOSE.id && phase.name === LOOSE.name;
    const parent = isLoose ? undefined : freeId(phase.id, taken);
    const children = kept.map((task) => listed(task, freeId(task.id, taken), parent));
    return parent === undefined ? children : [phaseTask(parent, phase.name, children), ...children];
  });
  if (tasks.length <= MAX_LISTED) return { ok: true, tasks };
  return { ok: false, message: `The list would have ${tasks.length} tasks and phases; the limit is ${MAX_LISTED}.` };
}

function freeId(wanted: string, taken: Set<string>): string {
  let id = wanted;
  for (let number = 2; taken.has(id); number++) {
    const suffix = `-${number}`;
    id = wanted.slice(0, MAX_ID_CHARACTERS - suffix.length) + suffix;
  }
  taken.add(id);
  return id;
}

function listed(
  { content, status }: Pick<ListedTask, "content" | "status">,
  id: string,
  parent: string | undefined,
): ListedTask {
  return {
    id,
    content: oneLine(content),
    status,
    priority: "medium",
    ...(parent === undefined ? {} : { parent_id: parent }),
  };
}

function phaseTask(id: string, name: string, children: readonly ListedTask[]): ListedTask {
  const isDone = children.every(({ status }) => status === "completed");
  const isBegun = children.some(({ status }) => status !== "pending");
  const status = isDone ? "completed" : isBegun ? "in_progress" : "pending";
  return { id, content: oneLine(name), status, priority: "medium" };
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
