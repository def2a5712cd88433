import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { outcomeOf } from "../support/front-door.ts";
import { type LoopWorld, loopWorld, TASK } from "../support/loop-world.ts";
import { runRalph } from "../support/run-ralph.ts";

setDefaultTimeout(60_000);

const DONE = "echo '<promise>COMPLETE</promise>'\n";
const FILES = { "test.sh": "grep -q finished work.txt\n" };
const STORIES = [{ checks: ["sh test.sh"] }];
const WORKS = `echo finished >work.txt\n${DONE}`;

const undo = async ({ workspace }: LoopWorld, ...flags: string[]) =>
  outcomeOf(await runRalph(["run", TASK, "--undo", ...flags], { workspace }));
const commitOf = (world: LoopWorld, name: string) => world.git("rev-parse", name).trim();
const branches = (world: LoopWorld) => world.git("branch", "--format=%(refname:short)").split("\n").filter(Boolean);
const passes = (world: LoopWorld) => world.prd().userStories.map((story) => story.passes);

describe("ralph run --undo", () => {
  test("shows what it would take back, does so with --yes, and has nothing to undo the second time", async () => {
    using world = loopWorld({ stories: STORIES, task: { branchName: "ralph/demo" }, files: FILES });
    const base = commitOf(world, "HEAD");
    await world.run({ script: WORKS });
    const tip = commitOf(world, "HEAD");
    const shown = `- ${tip.slice(0, 9)} S-1: Story S-1\n  work.txt\n`;
    expect(await undo(world)).toEqual({
      code: 1,
      stdout: shown,
      stderr: "ralph: Nothing was changed. Say --yes to take it back.\n",
    });
    expect([commitOf(world, "HEAD"), passes(world)]).toEqual([tip, [true]]);
    expect(await undo(world, "--yes")).toEqual({
      code: 0,
      stdout: `${shown}demo is back at ${base.slice(0, 9)}.\n`,
      stderr: "",
    });
    expect([branches(world), commitOf(world, "main"), world.status()]).toEqual([["main"], base, []]);
    expect([passes(world), existsSync(join(world.project, "work.txt"))]).toEqual([[false], false]);
    expect(world.read(`${TASK}/progress.txt`)).toContain(`- back at ${base.slice(0, 9)}\n`);
    expect(await undo(world, "--yes")).toEqual({
      code: 1,
      stdout: "",
      stderr: "ralph: There is nothing to undo: no run of demo is known that could be taken back.\n",
    });
    expect((await world.run({ script: WORKS })).outcome).toMatchObject({ code: 0, verdict: "done", iterations: 1 });
  });

  test("is refused where others committed on top, and where files have changes of the person's", async () => {
    using world = loopWorld({ stories: STORIES, files: FILES });
    await world.run({ script: WORKS });
    world.write("work.txt", "finished by hand\n");
    expect(await undo(world, "--yes")).toEqual({
      code: 1,
      stdout: "",
      stderr: "ralph: Files of the run have uncommitted changes: work.txt. Commit or stash them, then undo again.\n",
    });
    world.git("commit", "--quiet", "--message", "by hand", "work.txt");
    const tip = commitOf(world, "HEAD");
    expect(await undo(world, "--yes")).toEqual({
      code: 1,
      stdout: "",
      stderr: `ralph: 1 commits that are not the run's are on top: ${tip.slice(0, 8)} by hand. Take them off first, or use git revert for the run's commits.\n`,
    });
    expect([commitOf(world, "HEAD"), world.read("work.txt"), passes(world)]).toEqual([
      tip,
      "finished by hand\n",
      [true],
    ]);
  });

  test("takes back what agents left uncommitted, and keeps what the person had and did", async () => {
    using world = loopWorld({ stories: STORIES, files: { ...FILES, "a.txt": "a\n", "b.txt": "b\n" } });
    world.write("a.txt", "mine\n");
    const edited = { ...world.prd(), description: "said later" };
    const script = "echo theirs >>a.txt; echo theirs >b.txt; echo half >work.txt; echo x >mine-now.txt\n";
    const run = await world.run({ script }, { flags: ["--max-iterations", "1"] });
    expect(run.outcome.verdict).toBe("budget");
    world.write("mine-now.txt", "mine now\n");
    world.write(`${TASK}/prd.json`, `${JSON.stringify(edited, null, 2)}\n`);
    expect((await undo(world, "--yes")).stdout).toStartWith("  a.txt\n  b.txt\n  work.txt\n");
    expect(world.status().sort()).toEqual([" M a.txt", ` M ${TASK}/prd.json`, "?? mine-now.txt"]);
    expect(["a.txt", "b.txt", "mine-now.txt"].map(world.read)).toEqual(["mine\n", "b\n", "mine now\n"]);
    expect(world.prd()).toEqual(edited);
  });

  test("moves a branch that is not checked out any more without touching files", async () => {
    using world = loopWorld({ stories: STORIES, task: { branchName: "ralph/demo" }, files: FILES });
    await world.run({ script: WORKS });
    world.git("stash", "--quiet", "--include-untracked");
    world.git("switch", "--quiet", "main");
    world.write("work.txt", "mine\n");
    expect((await undo(world, "--yes")).code).toBe(0);
    expect([branches(world), world.read("work.txt")]).toEqual([["main"], "mine\n"]);
  });

  test("works where the folder is no repository", async () => {
    using world = loopWorld({ stories: STORIES, files: FILES });
    world.git("config", "user.name", "x");
    await Bun.$`rm -rf ${join(world.project, ".git")}`.quiet();
    const run = await world.run({ script: WORKS });
    expect(run.outcome).toMatchObject({ code: 0, verdict: "done" });
    expect(existsSync(join(world.project, ".git"))).toBe(false);
    expect((await undo(world, "--yes")).stdout).toContain("  work.txt\ndemo is back at ");
    expect([existsSync(join(world.project, "work.txt")), passes(world)]).toEqual([false, [false]]);
  });
});
