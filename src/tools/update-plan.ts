import type { Tool } from "../protocol/tool-runs.ts";
import { defineTool, failedOutput, textOutput } from "./define-tool.ts";
import { listOf, objectOf, oneOf, optional, text } from "./input-fields.ts";
import {
  MAX_TASKS,
  progressOf,
  replaceTasks,
  TASK_STATUSES,
  type Task,
  type TaskDraft,
  type TaskStatus,
  type TaskStore,
} from "./task-list.ts";
import description from "./update-plan.md" with { type: "text" };

export function createUpdatePlan(store: TaskStore): Tool {
  return defineTool({
    name: "update_plan",
    description,
    fields: {
      explanation: optional(text("Why the plan changed")),
      plan: listOf(
        objectOf({ step: text("What to do"), status: oneOf(TASK_STATUSES, "State") }, "A step"),
        "All steps in order",
        MAX_TASKS,
      ),
    },
    isReadOnly: false,
    asks: () => [],
    run: async ({ explanation, plan }) => {
      const working = plan.filter(({ status }) => status === "in_progress").length;
      if (working > 1)
        return failedOutput(`The plan was not changed: ${working} steps are in_progress; at most one may be.`);
      const written = replaceTasks(store.read(), draftsOf(plan, store.read()));
      if (!written.ok) return failedOutput(written.message);
      store.write(written.tasks);
      return textOutput(`Plan updated: ${progressOf(written.tasks)}.`, {
        tasks: written.tasks,
        ...(explanation === undefined ? {} : { explanation }),
      });
    },
  });
}

/** A step with the words of a task is that task, so its id and priority stay; a plan is flat. */
function draftsOf(plan: readonly { step: string; status: TaskStatus }[], tasks: readonly Task[]): TaskDraft[] {
  const left = [...tasks];
  return plan.map(({ step, status }) => {
    const index = left.findIndex(({ content }) => content === step.trim());
    const [old] = index === -1 ? [] : left.splice(index, 1);
    return { id: old?.id, content: step, status, parent_id: "" };
  });
}
