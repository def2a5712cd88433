import type { Tool } from "../protocol/tool-runs.ts";
import { defineTool, textOutput } from "./define-tool.ts";
import { oneOf, optional } from "./input-fields.ts";
import { checklist, filterTasks, progressOf, TASK_PRIORITIES, TASK_STATUSES, type TaskStore } from "./task-list.ts";
import description from "./todo-read.md" with { type: "text" };

export function createTodoRead(store: TaskStore): Tool {
  return defineTool({
    name: "TodoRead",
    aliases: ["todo_read"],
    description,
    fields: {
      status: optional(oneOf(TASK_STATUSES, "Only these")),
      priority: optional(oneOf(TASK_PRIORITIES, "Only these")),
    },
    isReadOnly: true,
    asks: () => [],
    run: async (filters) => {
      const all = store.read();
      const tasks = filterTasks(all, filters);
      if (all.length === 0) return textOutput("The task list is empty.", { tasks });
      if (tasks.length === 0) return textOutput(`No task matches (${progressOf(all)}).`, { tasks });
      return textOutput(`${progressOf(all)}\n${checklist(tasks)}`, { tasks });
    },
  });
}
