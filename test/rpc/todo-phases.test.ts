import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { ListedTask } from "../../src/protocol/listed-tasks.ts";
import { type TodoPhase, todoPhase } from "../../src/rpc/command-shapes.ts";
import { MAX_LISTED, phasesOf, tasksOf } from "../../src/rpc/todo-phases.ts";

const id = fc.stringMatching(/^[a-z]{1,3}$/);
const content = fc.stringMatching(/^[A-Z][a-z]{0,9}( [a-z]{1,5})?$/);
const phase = fc.record({
  id,
  name: content,
  tasks: fc.array(
    fc.record({ id, content, status: fc.constantFrom("pending", "in_progress", "completed", "abandoned") }),
    { maxLength: 4 },
  ),
}) as fc.Arbitrary<TodoPhase>;

describe("phases of things to do", () => {
  test("come back as they were kept, with what was given up left out", () => {
    const phases: TodoPhase[] = [
      {
        id: "phase-1",
        name: "Evaluation",
        tasks: [
          { id: "task-1", content: "Map the  read tool\nsurface", status: "completed" },
          { id: "task-2", content: "Exercise edits", status: "pending" },
          { id: "task-3", content: "Old idea", status: "abandoned" },
        ],
      },
      { id: "phase-2", name: "Nothing", tasks: [] },
      { id: "phase-3", name: "Report", tasks: [{ id: "task-1", content: "Write it", status: "pending" }] },
    ];
    const tasks: ListedTask[] = [
      { id: "phase-1", content: "Evaluation", status: "in_progress", priority: "medium" },
      task("task-1", "Map the read tool surface", { status: "completed", parent_id: "phase-1" }),
      task("task-2", "Exercise edits", { parent_id: "phase-1" }),
      { id: "phase-3", content: "Report", status: "pending", priority: "medium" },
      task("task-1-2", "Write it", { parent_id: "phase-3" }),
    ];
    expect(tasksOf(phases)).toEqual({ ok: true, tasks });
    expect(phasesOf(tasks)).toEqual([
      {
        id: "phase-1",
        name: "Evaluation",
        tasks: [
          { id: "task-1", content: "Map the read tool surface", status: "completed" },
          { id: "task-2", content: "Exercise edits", status: "pending" },
        ],
      },
      { id: "phase-3", name: "Report", tasks: [{ id: "task-1-2", content: "Write it", status: "pending" }] },
    ]);
  });

  test("hold tasks that stand alone in a phase of their own", () => {
    const tasks = [task("1", "Look"), task("2", "Build"), task("3", "Walls", { parent_id: "2" })];
    const phases: TodoPhase[] = [
      { id: "2", name: "Build", tasks: [{ id: "3", content: "Walls", status: "pending" }] },
      { id: "todos", name: "Todos", tasks: [{ id: "1", content: "Look", status: "pending" }] },
    ];
    expect(phasesOf(tasks)).toEqual(phases);
    expect(tasksOf(phases)).toEqual({ ok: true, tasks: [tasks[1], tasks[2], tasks[0]] as ListedTask[] });
  });

  test("show tasks that stand in a circle, or below one that is missing", () => {
    const tasks = [
      task("a", "A", { parent_id: "b" }),
      task("b", "B", { parent_id: "a" }),
      task("c", "C", { parent_id: "z" }),
    ];
    expect(phasesOf(tasks)).toEqual([
      {
        id: "todos",
        name: "Todos",
        tasks: ["a", "b", "c"].map((each) => ({ id: each, content: each.toUpperCase(), status: "pending" as const })),
      },
    ]);
  });

  test("do not change any more once they were kept", () => {
    fc.assert(
      fc.property(fc.array(phase, { maxLength: 5 }), (phases) => {
        const kept = tasksOf(phases);
        if (!kept.ok) throw new Error(kept.message);
        const shown = phasesOf(kept.tasks);
        expect(shown.map((each) => todoPhase.safeParse(each).error)).toEqual(shown.map(() => undefined));
        const again = tasksOf(shown);
        expect(again.ok && phasesOf(again.tasks)).toEqual(shown);
        const ids = kept.tasks.map((each) => each.id);
        expect(new Set(ids).size).toBe(ids.length);
      }),
    );
  });

  test("are refused where there are too many", () => {
    const tasks = Array.from({ length: MAX_LISTED }, (_, index) => ({
      id: `t${index}`,
      content: "x",
      status: "pending" as const,
    }));
    expect(tasksOf([{ id: "p", name: "P", tasks }])).toEqual({
      ok: false,
      message: "The list would have 101 tasks and phases; the limit is 100.",
    });
  });
});

function task(taskId: string, text: string, more: Partial<ListedTask> = {}): ListedTask {
  return { id: taskId, content: text, status: "pending", priority: "medium", ...more };
}
