import type { Tool } from "../protocol/tool-runs.ts";
import { defineTool, failedOutput, textOutput } from "./define-tool.ts";
import { type Field, listOf, named, objectOf, oneOf, optional, text } from "./input-fields.ts";
import {
  checklist,
  deleteTasks,
  MAX_TASKS,
  progressOf,
  replaceTasks,
  TASK_PRIORITIES,
  TASK_STATUSES,
  type Task,
  type TaskDraft,
  type TaskListResult,
  type TaskStore,
  updateTasks,
} from "./task-list.ts";
import description from "./todo-write.md" with { type: "text" };

export function createTodoWrite(store: TaskStore): Tool {
  return defineTool({
    name: "TodoWrite",
    aliases: ["todo_write", "set_todos"],
    description,
    fields: {
      todos: listOf(
        objectOf(
          {
            content: optional(named(text("What to do"), "title")),
            id: optional(identifier("Known id, or a new one")),
            status: optional(oneOf(TASK_STATUSES, "Default pending")),
            priority: optional(oneOf(TASK_PRIORITIES, "Default medium")),
            parent_id: optional(identifier("Id of the task this belongs to")),
          },
          "A task",
        ),
        "The tasks in order",
        MAX_TASKS,
      ),
      delete: optional(listOf(identifier("Id"), "Ids to delete", MAX_TASKS)),
    },
    isReadOnly: false,
    asks: () => [],
    run: async ({ todos, delete: deleted }) => {
      const written = writeTodos(store.read(), todos, deleted);
      if (!written.ok) return failedOutput(written.message);
      store.write(written.tasks);
      const list = checklist(written.tasks);
      return textOutput(list === "" ? "The task list is empty." : `${progressOf(written.tasks)}\n${list}`, {
        tasks: written.tasks,
      });
    },
  });
}

/**
 * Whole items are the new list. They are changes instead when one leaves its content out, when all of them name known tasks
 * and some tasks are not named, or when something is deleted.
 */
function writeTodos(
  tasks: readonly Task[],
  todos: readonly TaskDraft[],
  deleted: readonly string[] | undefined,
): TaskListResult {
  const known = new Set(tasks.map(({ id }) => id));
  const namesSome =
    todos.length > 0 && todos.length < tasks.length && todos.every(({ id }) => id !== undefined && known.has(id));
  const isChange = deleted !== undefined || namesSome || todos.some(({ content }) => content === undefined);
  if (!isChange) return replaceTasks(tasks, todos);
  const updated = updateTasks(tasks, todos);
  return updated.ok && deleted !== undefined ? deleteTasks(updated.tasks, deleted) : updated;
}

/** Models write ids with and without quotes. */
function identifier(description: string): Field<string> {
  const plain = text(description);
  return { ...plain, parse: (value) => plain.parse(typeof value === "number" ? String(value) : value) };
}
