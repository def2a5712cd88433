import { describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findTask, repositoryAbove, type TaskWish } from "../../../src/loop/tasks/find-task.ts";
import { temporaryDirectories } from "../../support/temporary-directory.ts";

const directory = temporaryDirectories();

function project(...files: string[]) {
  const top = join(directory(), "shop");
  for (const file of [".git/HEAD", ...files]) {
    mkdirSync(dirname(join(top, file)), { recursive: true });
    writeFileSync(join(top, file), "");
  }
  const find = (words: string[] = [], rest: Partial<TaskWish> = {}) => {
    const found = findTask({ cwd: top, words, ...rest });
    return JSON.parse(JSON.stringify(found).replaceAll(top, "TOP"));
  };
  return { top, find };
}

const found = (folder: string, name: string, rest: object = {}) => ({
  ok: true,
  place: { name, directory: folder, file: `${folder}/prd.json` },
  root: "TOP",
  isRepository: true,
  ...rest,
});

describe("which task is meant", () => {
  test("is looked for in the usual places, one after the other, also from a folder below", () => {
    const places = ["prd.json", "scripts/ralph/prd.json", "tasks/pay/prd.json"];
    for (const [index, place] of places.entries()) {
      const { top, find } = project(...places.slice(index), "src/deep/file");
      const folder = join("TOP", dirname(place));
      const name = ["shop", "ralph", "pay"][index] ?? "";
      expect(find()).toEqual(found(folder, name));
      expect(find([], { cwd: join(top, "src/deep") })).toEqual(found(folder, name));
    }
    expect(project(".ralph/tasks/pay/prd.json").find()).toEqual(found("TOP/.ralph/tasks/pay", "pay"));
  });

  test("is asked back where there are several or none", () => {
    expect(project("tasks/a/prd.json", "tasks/b/prd.json", ".ralph/tasks/c/prd.json", "tasks/d/x").find()).toEqual({
      ok: false,
      reason: "several",
      message:
        "There are 3 tasks here. Name one:\n  ralph run tasks/a\n  ralph run tasks/b\n  ralph run .ralph/tasks/c",
      choices: ["tasks/a", "tasks/b", ".ralph/tasks/c"],
    });
    expect(project().find()).toEqual({
      ok: false,
      reason: "missing",
      message:
        "There is no task here: no prd.json, scripts/ralph/prd.json, tasks/*/prd.json or .ralph/tasks/*/prd.json. Make one with: ralph init",
    });
  });

  test("is the folder or the file that is named, and a number is how many iterations", () => {
    const { find } = project("tasks/a/prd.json", "tasks/b/prd.json", "tasks/b/other.json", "7/prd.json");
    expect(find(["tasks/a"])).toEqual(found("TOP/tasks/a", "a"));
    expect(find(["tasks/a/prd.json", "0"])).toEqual(found("TOP/tasks/a", "a", { iterations: 0 }));
    expect(find(["7", "tasks/a"])).toEqual(found("TOP/tasks/a", "a", { iterations: 7 }));
    expect(find(["./7"])).toEqual(found("TOP/7", "7"));
    const other = find(["12"], { prd: "tasks/b/other.json", name: "mine" });
    const place = { name: "mine", directory: "TOP/tasks/b", file: "TOP/tasks/b/other.json" };
    expect(other).toEqual({ ...found("", ""), place, iterations: 12 });
  });

  test("is refused where the words make no sense", () => {
    const { find } = project("tasks/a/prd.json", "tasks/b/prd.json", "tasks/my task/prd.json", "empty/x");
    const message = (words: string[], rest?: Partial<TaskWish>) => {
      const { reason, message: text } = find(words, rest);
      return `${reason}: ${text}`;
    };
    expect([
      message(["-3"]),
      message(["1.5"]),
      message(["9999999"]),
      message(["1", "2"]),
      message(["tasks/a", "tasks/b"]),
      message(["tasks/a"], { prd: "tasks/b/prd.json" }),
      message(["tasks/my task"]),
      message(["tasks/a"], { name: "../x" }),
      message(["empty"]),
      message(["nowhere"]),
      message(["tasks/a"], { root: "empty/x" }),
    ]).toEqual([
      "usage: The number of iterations has to be whole and not below 0, not -3.",
      "usage: The number of iterations has to be whole and not below 0, not 1.5.",
      "usage: At most 1000000 iterations are possible.",
      "usage: At most one number and one folder are understood, not: 1 2. See: ralph help run",
      "usage: At most one number and one folder are understood, not: tasks/a tasks/b. See: ralph help run",
      "usage: Both tasks/a and --prd tasks/b/prd.json name a task. Give one of them.",
      'usage: "my task" cannot be the name of a task: letters, digits, dots, dashes and underscores, 64 at most, beginning with a letter or digit. Give the task a name: --name NAME.',
      'usage: "../x" cannot be the name of a task: letters, digits, dots, dashes and underscores, 64 at most, beginning with a letter or digit.',
      "missing: empty has no prd.json. Make one with: ralph init empty",
      "missing: There is no nowhere. Make a task there with: ralph init nowhere",
      "usage: --root empty/x is not a folder.",
    ]);
  });
});

describe("where its agent works", () => {
  test("is the top of the repository, of a worktree too, or the root that is named", () => {
    const { top, find } = project("tasks/a/prd.json", "packages/web/prd.json");
    writeFileSync(join(top, "packages/web/.git"), "gitdir: elsewhere");
    expect(find(["packages/web"])).toEqual({ ...found("TOP/packages/web", "web"), root: "TOP/packages/web" });
    expect(find(["tasks/a"], { root: "packages" })).toEqual({ ...found("TOP/tasks/a", "a"), root: "TOP/packages" });
  });

  test("is the folder the person is in where there is no repository, or the task's own if that lies elsewhere", () => {
    const [here, there] = [directory(), directory()];
    for (const folder of [join(here, "a"), there]) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "prd.json"), "");
    }
    expect(repositoryAbove(here)).toBeUndefined();
    expect(findTask({ cwd: here, words: ["a"] })).toMatchObject({ root: here, isRepository: false });
    expect(findTask({ cwd: here, words: [there], name: "x" })).toMatchObject({ root: there, isRepository: false });
  });

  test("has no links in it, and neither has the file", () => {
    const { top, find } = project("tasks/a/real.json");
    symlinkSync("real.json", join(top, "tasks/a/prd.json"));
    symlinkSync("a", join(top, "tasks/alias"));
    const place = { name: "a", directory: "TOP/tasks/a", file: "TOP/tasks/a/real.json" };
    expect(find(["tasks/alias"])).toEqual({ ...found("", ""), place });
  });
});
