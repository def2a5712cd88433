import { describe, expect, test } from "bun:test";
import { createTaskStore, type Task } from "../../src/tools/task-list.ts";
import { createTodoRead } from "../../src/tools/todo-read.ts";
import { createTodoWrite } from "../../src/tools/todo-write.ts";
import { createUpdatePlan } from "../../src/tools/update-plan.ts";
import { callTool, failedWith, said } from "../support/call-tool.ts";

const task = (id: string, more: Partial<Task> = {}): Task => ({
  id,
  content: `do ${id}`,
  status: "pending",
  priority: "medium",
  ...more,
});

function session(initial: Task[] = []) {
  const written: (readonly Task[])[] = [];
  const store = createTaskStore(initial, (tasks) => written.push(tasks));
  return {
    store,
    written,
    write: (input: Record<string, unknown>) => callTool(createTodoWrite(store), input),
    read: (input: Record<string, unknown>) => callTool(createTodoRead(store), input),
    plan: (input: Record<string, unknown>) => callTool(createUpdatePlan(store), input),
  };
}

describe("TodoWrite", () => {
  test("a whole list replaces the old one and is shown", async () => {
    const { write, store } = session([task("9")]);
    const tasks = [task("1", { content: "a", status: "in_progress" }), task("2", { content: "b" })];
    expect(
      await write({
        todos: [
          { content: "a", status: "in_progress" },
          { title: "b", id: 2 },
        ],
      }),
    ).toEqual(said("0 of 2 done, 1 in progress\n[>] 1. a\n[ ] 2. b", { tasks }));
    expect(store.read()).toEqual(tasks);
  });

  test("an empty list clears", async () => {
    expect(await session([task("1")]).write({ todos: [] })).toEqual(said("The task list is empty.", { tasks: [] }));
  });

  test("items that only name ids change those tasks and keep the rest", async () => {
    const { write, store } = session([task("1"), task("2"), task("3")]);
    await write({ todos: [{ id: "2", status: "completed" }] });
    await write({ todos: [{ id: "3", content: "other words" }] });
    await write({ todos: [], delete: [1] });
    expect(store.read()).toEqual([task("2", { status: "completed" }), task("3", { content: "other words" })]);
  });

  test("naming every task in another order is a whole list", async () => {
    const { write, store } = session([task("1"), task("2", { priority: "high" })]);
    await write({
      todos: [
        { id: "2", content: "b" },
        { id: "1", content: "a" },
      ],
    });
    expect(store.read()).toEqual([task("2", { content: "b", priority: "high" }), task("1", { content: "a" })]);
  });

  test("a mistake changes nothing", async () => {
    const { write, written } = session([task("1")]);
    expect([
      await write({ todos: [{ id: "7", status: "completed" }] }),
      await write({ todos: [{ content: "a", status: "done" }] }),
    ]).toEqual([
      failedWith('The tasks were not changed: task "7" is new and needs content.'),
      { refused: '"todos" entry 1 "status" must be one of pending, in_progress, completed' },
    ]);
    expect(written).toEqual([]);
  });
});

describe("TodoRead", () => {
  test("reads all or some of the same list", async () => {
    const { read } = session([task("1", { status: "completed" }), task("2")]);
    expect([await read({}), await read({ status: "pending" }), await read({ priority: "high" })]).toEqual([
      said("1 of 2 done\n[x] 1. do 1\n[ ] 2. do 2", { tasks: [task("1", { status: "completed" }), task("2")] }),
      said("1 of 2 done\n[ ] 2. do 2", { tasks: [task("2")] }),
      said("No task matches (1 of 2 done).", { tasks: [] }),
    ]);
  });

  test("says when there is nothing", async () => {
    expect(await session().read({})).toEqual(said("The task list is empty.", { tasks: [] }));
  });
});

describe("update_plan", () => {
  test("answers in one line, and steps with the words of a task stay that task", async () => {
    const { plan, store } = session([task("4", { priority: "high", parent_id: "5" }), task("5")]);
    const tasks = [
      task("4", { priority: "high", status: "completed" }),
      task("1", { content: "new", status: "in_progress" }),
    ];
    const steps = [
      { step: "do 4", status: "completed" },
      { step: "new", status: "in_progress" },
    ];
    expect(await plan({ explanation: "found more", plan: steps })).toEqual(
      said("Plan updated: 1 of 2 done, 1 in progress.", { tasks, explanation: "found more" }),
    );
    expect(store.read()).toEqual(tasks);
  });

  test("two steps in progress are an error that changes nothing", async () => {
    const { plan, written } = session();
    const steps = ["a", "b"].map((step) => ({ step, status: "in_progress" }));
    expect(await plan({ plan: steps })).toEqual(
      failedWith("The plan was not changed: 2 steps are in_progress; at most one may be."),
    );
    expect(written).toEqual([]);
  });
});
