import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import {
  checklist,
  deleteTasks,
  filterTasks,
  MAX_TASKS,
  progressOf,
  replaceTasks,
  TASK_PRIORITIES,
  TASK_STATUSES,
  type Task,
  type TaskDraft,
  type TaskListResult,
  updateTasks,
} from "../../src/tools/task-list.ts";

const task = (id: string, more: Partial<Task> = {}): Task => ({
  id,
  content: `do ${id}`,
  status: "pending",
  priority: "medium",
  ...more,
});

const refused = (message: string): TaskListResult => ({
  ok: false,
  message: `The tasks were not changed: ${message}.`,
});

describe("replacing the list", () => {
  test("new tasks get the smallest free numbers and the defaults", () => {
    expect(
      replaceTasks([], [{ content: " a\n " }, { id: "1", content: "b", priority: "high" }, { content: "c" }]),
    ).toEqual({
      ok: true,
      tasks: [
        { id: "2", content: "a", status: "pending", priority: "medium" },
        { id: "1", content: "b", status: "pending", priority: "high" },
        { id: "3", content: "c", status: "pending", priority: "medium" },
      ],
    });
  });

  test("a known id keeps what the draft leaves out", () => {
    expect(replaceTasks([task("7", { priority: "high", status: "completed" })], [{ id: "7", content: "new" }])).toEqual(
      {
        ok: true,
        tasks: [task("7", { content: "new", priority: "high", status: "completed" })],
      },
    );
  });

  test("every limit is named", () => {
    const many = Array.from({ length: MAX_TASKS + 1 }, () => ({ content: "x" }));
    expect([
      replaceTasks([], many),
      replaceTasks([], [{ content: "x".repeat(513) }]),
      replaceTasks([], [{ content: "  " }]),
      replaceTasks(
        [],
        [
          { id: "a", content: "x" },
          { id: "a", content: "y" },
        ],
      ),
      replaceTasks([], [{ id: "", content: "x" }]),
      replaceTasks([], [{ id: "a", content: "x", parent_id: "b" }]),
    ]).toEqual([
      refused("there would be 101 tasks; the limit is 100"),
      refused('task "1" has 513 characters of content; the limit is 512'),
      refused('task "1" is new and needs content'),
      refused('the id "a" is there twice'),
      refused('task "" needs an id of 1 to 64 characters'),
      refused('task "a" names the parent "b", which is not in the list'),
    ]);
  });

  test("a task cannot stand above itself, directly or through others", () => {
    expect([
      replaceTasks([], [{ id: "a", content: "x", parent_id: "a" }]),
      replaceTasks(
        [],
        [
          { id: "a", content: "x", parent_id: "b" },
          { id: "b", content: "y", parent_id: "a" },
        ],
      ),
    ]).toEqual([refused('task "a" is its own ancestor'), refused('task "a" is its own ancestor')]);
  });
});

describe("changing by id", () => {
  test("tasks change where they stand, new ones come last, the rest stays", () => {
    const tasks = [task("1"), task("2"), task("3")];
    expect(updateTasks(tasks, [{ id: "2", status: "completed" }, { content: "more" }])).toEqual({
      ok: true,
      tasks: [task("1"), task("2", { status: "completed" }), task("3"), task("4", { content: "more" })],
    });
  });

  test("an id nobody has needs content, and an id twice is refused", () => {
    expect([
      updateTasks([task("1")], [{ id: "9", status: "completed" }]),
      updateTasks(
        [task("1")],
        [
          { id: "1", status: "completed" },
          { id: "1", status: "pending" },
        ],
      ),
    ]).toEqual([refused('task "9" is new and needs content'), refused('the id "1" is there twice')]);
  });
});

test("deleting a task moves those below it to the top", () => {
  const tasks = [task("1"), task("2", { parent_id: "1" }), task("3", { parent_id: "2" })];
  expect([deleteTasks(tasks, ["1"]), deleteTasks(tasks, ["8"])]).toEqual([
    { ok: true, tasks: [task("2"), task("3", { parent_id: "2" })] },
    refused('there is no task with the id "8" to delete'),
  ]);
});

test("the views show boxes, levels, priorities and progress", () => {
  const tasks = [
    task("1", { status: "completed" }),
    task("2", { status: "in_progress", priority: "high", parent_id: "1" }),
    task("3", { priority: "low", parent_id: "2" }),
  ];
  expect([checklist(tasks), progressOf(tasks), filterTasks(tasks, { status: "pending", priority: "low" })]).toEqual([
    "[x] 1. do 1\n  [>] 2. do 2 (high)\n    [ ] 3. do 3 (low)",
    "1 of 3 done, 1 in progress",
    [task("3", { priority: "low", parent_id: "2" })],
  ]);
});

const someId = fc.constantFrom("1", "2", "3", "a", "", "__proto__");
const draft: fc.Arbitrary<TaskDraft> = fc.record(
  {
    id: someId,
    content: fc.string({ maxLength: 20, unit: "binary" }),
    status: fc.constantFrom(...TASK_STATUSES),
    priority: fc.constantFrom(...TASK_PRIORITIES),
    parent_id: someId,
  },
  { requiredKeys: [] },
);

test("whatever is done, ids stay unique, parents exist, and views are total", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), fc.array(draft, { maxLength: 6 }))), (steps) => {
      let tasks: Task[] = [];
      for (const [replaces, drafts] of steps) {
        const result = replaces ? replaceTasks(tasks, drafts) : updateTasks(tasks, drafts);
        if (result.ok) tasks = result.tasks;
        const ids = tasks.map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
        expect(tasks.every(({ parent_id }) => parent_id === undefined || ids.includes(parent_id))).toBe(true);
        expect(checklist(tasks).split("\n").length).toBe(Math.max(1, tasks.length));
        expect(deleteTasks(tasks, ids)).toEqual({ ok: true, tasks: [] });
      }
    }),
  );
});
