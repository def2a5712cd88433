import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type LoopWorld, linesText, loopWorld, TASK } from "../support/loop-world.ts";
import { runRalph, startRalph } from "../support/run-ralph.ts";

// Branches, merging and worktrees: where the work goes, and that nothing else moves.

setDefaultTimeout(60_000);

const DONE = "echo '<promise>COMPLETE</promise>'\n";
const FILES = { "test.sh": "grep -q finished work.txt\n" };
const STORIES = [{ checks: ["sh test.sh"] }];
const WORKS = `echo finished >work.txt\n${DONE}`;
const STAYS = (branch: string) => `The work is on the branch ${branch}, which stays checked out.`;

const current = (world: LoopWorld) => world.git("branch", "--show-current").trim();
const commitOf = (world: LoopWorld, name: string) => world.git("rev-parse", name).trim();
const commitFile = (world: LoopWorld, path: string, text: string) => {
  world.write(path, text);
  world.git("add", path);
  world.git("commit", "--quiet", "--message", `add ${path}`);
};

describe("the branch of a run", () => {
  test("is made from branchName, stays checked out, and is switched to the next time", async () => {
    using world = loopWorld({ stories: STORIES, task: { branchName: "ralph/demo" }, files: FILES });
    const run = await world.run({ script: WORKS });
    expect([run.outcome.verdict, run.notices, current(world)]).toEqual(["done", [STAYS("ralph/demo")], "ralph/demo"]);
    expect([world.subjects("ralph/demo"), world.subjects("main")]).toEqual([["S-1: Story S-1"], []]);
    world.git("stash", "--quiet", "--include-untracked");
    world.git("switch", "--quiet", "main");
    const again = await world.run({ script: WORKS });
    expect([again.outcome.verdict, current(world)]).toEqual(["done", "ralph/demo"]);
    expect(again.of("run-started")[0]?.cameFrom).toBeUndefined();
  });

  test("is what --branch says, else RALPH_BRANCH, else branchName; empty stays", async () => {
    using world = loopWorld({ stories: STORIES, task: { branchName: "ralph/demo" }, files: FILES });
    const branchOf = async (flags: string[], environment: Record<string, string>) => {
      const run = await world.run("does-nothing", { flags: ["--max-iterations", "0", ...flags], environment });
      return run.of("run-started")[0]?.branch;
    };
    expect(await branchOf(["--branch", ""], {})).toBe("main");
    expect(await branchOf([], { RALPH_BRANCH: "" })).toBe("main");
    expect(await branchOf(["--branch", "from-flag"], { RALPH_BRANCH: "from-environment" })).toBe("from-flag");
    expect(await branchOf([], { RALPH_BRANCH: "from-environment" })).toBe("from-environment");
    expect(await branchOf([], {})).toBe("ralph/demo");
  });

  test("begins at --base-branch where it is new; a base that is not there is refused", async () => {
    using world = loopWorld({ stories: STORIES, files: FILES });
    const base = commitOf(world, "HEAD");
    world.git("branch", "older");
    commitFile(world, "newer.txt", "n\n");
    const flags = ["--branch", "side", "--base-branch"];
    const refused = await runRalph(["run", TASK, ...flags, "nowhere", "--agent-cmd", "true"], world);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      "ralph: There is no branch or commit nowhere to begin at (--base-branch).\n",
    ]);
    const run = await world.run({ script: WORKS }, { flags: [...flags, "older"] });
    expect([run.outcome.verdict, commitOf(world, "side~1"), current(world)]).toEqual(["done", base, "side"]);
    expect(run.of("run-started")[0]?.cameFrom).toBe("main");
  });

  test("is none where HEAD is detached: the work lands there", async () => {
    using world = loopWorld({ stories: STORIES, files: FILES });
    world.git("checkout", "--quiet", "--detach");
    const run = await world.run({ script: WORKS });
    expect([run.outcome.verdict, current(world), world.subjects("HEAD"), world.subjects("main")]).toEqual([
      "done",
      "",
      ["S-1: Story S-1"],
      [],
    ]);
  });

  test("is refused where it would overwrite changes, and nothing is begun", async () => {
    using world = loopWorld({ stories: STORIES, files: { ...FILES, "a.txt": "a\n" } });
    world.git("switch", "--quiet", "--create", "other");
    world.write("a.txt", "other\n");
    world.git("commit", "--quiet", "--all", "--message", "other");
    world.git("switch", "--quiet", "main");
    world.write("a.txt", "mine\n");
    const run = await runRalph(["run", TASK, "--branch", "other", "--agent-cmd", "true"], world);
    expect([run.code, run.stdout, run.stderr]).toEqual([
      1,
      "",
      "ralph: Switching to other would overwrite local changes: a.txt. Commit or stash them first.\n",
    ]);
    expect([current(world), world.read("a.txt")]).toEqual(["main", "mine\n"]);
    const named = await runRalph(["run", TASK, "--branch", "no..name", "--agent-cmd", "true"], world);
    expect([named.code, named.stderr]).toEqual([
      1,
      'ralph: "no..name" is no name git takes for a branch. Change branchName or --branch.\n',
    ]);
  });
});

describe("work that is meant for another branch", () => {
  const TARGET = { branchName: "ralph/demo", mergeTarget: "main" };
  const AUTO = { ...TARGET, autoMerge: true };
  const COMMAND = "git switch main && git merge ralph/demo";

  test("stays where it is without autoMerge, and the command is said", async () => {
    using world = loopWorld({ stories: STORIES, task: TARGET, files: FILES });
    const run = await world.run({ script: WORKS });
    expect([run.notices, world.subjects("main")]).toEqual([[`To merge it: ${COMMAND}`, STAYS("ralph/demo")], []]);
  });

  test("is merged by moving the branch forward; the working tree stays", async () => {
    using world = loopWorld({ stories: STORIES, task: AUTO, files: FILES });
    const run = await world.run({ script: WORKS });
    expect(run.notices).toEqual(["ralph/demo is merged into main.", STAYS("ralph/demo")]);
    expect([commitOf(world, "main"), current(world), world.status()]).toEqual([
      commitOf(world, "ralph/demo"),
      "ralph/demo",
      [],
    ]);
  });

  test("is merged beside what came there meanwhile, after the checks pass on both together", async () => {
    using world = loopWorld({ stories: STORIES, task: AUTO, files: FILES });
    world.git("branch", "ralph/demo");
    commitFile(world, "theirs.txt", "t\n");
    const run = await world.run({ script: WORKS });
    expect(run.notices).toEqual(["ralph/demo is merged into main.", STAYS("ralph/demo")]);
    expect(linesText(world.git("log", "-1", "--format=%s%n%P", "main"))[0]).toBe("Merge branch 'ralph/demo' into main");
    expect(world.git("ls-tree", "--name-only", "main").split("\n")).toContain("theirs.txt");
    expect(run.of("checks-ended").map(({ commit }) => commit)).toContain(commitOf(world, "main"));
    expect(existsSync(join(world.project, "theirs.txt"))).toBe(false);
  });

  test("is not merged where the checks would fail on both together", async () => {
    const check = { "test.sh": "grep -q finished work.txt && test ! -e forbidden.txt\n" };
    using world = loopWorld({ stories: STORIES, task: AUTO, files: check });
    world.git("branch", "ralph/demo");
    commitFile(world, "forbidden.txt", "t\n");
    const before = commitOf(world, "main");
    const run = await world.run({ script: WORKS });
    expect([run.outcome.verdict, run.notices[0], commitOf(world, "main")]).toEqual([
      "done",
      `ralph/demo was not merged into main: together with what is there, S-1 would not pass any more. To do it: ${COMMAND}`,
      before,
    ]);
  });

  test("is not merged with conflicts, into a branch that is not there, or into one somebody works on", async () => {
    using world = loopWorld({ stories: STORIES, task: AUTO, files: FILES });
    world.git("branch", "ralph/demo");
    commitFile(world, "work.txt", "theirs\n");
    const before = commitOf(world, "main");
    const conflict = await world.run({ script: WORKS });
    const elsewhere = join(world.workspace.root, "elsewhere");
    world.git("worktree", "add", "--quiet", elsewhere, "main");
    const busy = await world.run({ script: WORKS });
    world.git("worktree", "remove", elsewhere);
    world.git("branch", "--quiet", "--move", "main", "trunk");
    const gone = await world.run({ script: WORKS });
    const words = (why: string) => `ralph/demo was not merged into main: ${why}. To do it: ${COMMAND}`;
    expect([conflict, busy, gone].map(({ notices }) => notices[0])).toEqual([
      words("git cannot merge the two without conflicts"),
      words(`main is checked out in ${elsewhere}`),
      words("there is no branch main"),
    ]);
    expect(commitOf(world, "trunk")).toBe(before);
  });
});

describe("--worktree", () => {
  const placeOf = (run: { of: Awaited<ReturnType<LoopWorld["run"]>>["of"] }) =>
    run.of("run-started")[0]?.worktree ?? "";

  test("the agent works outside, the checkout is untouched, the task's files are kept up, and the worktree goes", async () => {
    using world = loopWorld({
      stories: STORIES,
      files: { ...FILES, ".gitignore": "cache\n", ".worktreeinclude": "cache\n" },
    });
    world.write("cache/part.txt", "cached\n");
    world.write("work.txt", "mine\n");
    const head = commitOf(world, "HEAD");
    const script = `cat cache/part.txt >>progress.log; echo "here: $PWD $RALPH_TASK_DIR"; rm progress.log\n${WORKS}`;
    const run = await world.run({ script }, { flags: ["--worktree"] });
    const place = placeOf(run);
    expect(run.outcome).toMatchObject({ code: 0, verdict: "done", stories: { "S-1": "verified" } });
    expect(JSON.stringify(run.transcript)).toContain(`here: ${place} ${place}/${TASK}`);
    expect(place.startsWith(world.project)).toBe(false);
    expect([commitOf(world, "HEAD"), current(world), world.read("work.txt")]).toEqual([head, "main", "mine\n"]);
    expect([world.subjects("ralph/demo"), world.prd().userStories[0]?.passes]).toEqual([["S-1: Story S-1"], true]);
    expect(world.read(`${TASK}/progress.txt`)).toContain("S-1 is proven by its checks");
    expect(run.notices).toEqual(["The work is on the branch ralph/demo; its worktree was removed."]);
    expect([existsSync(place), linesText(world.git("worktree", "list")).length]).toEqual([false, 1]);
  });

  test("one with unfinished work is kept and named, and the next run goes on in it", async () => {
    using world = loopWorld({ stories: STORIES, files: FILES });
    const half = await world.run(
      { script: "echo half >half.txt; echo fin >work.txt\n" },
      { flags: ["--worktree", "--max-iterations", "1"] },
    );
    const place = placeOf(half);
    expect([half.outcome.verdict, half.notices]).toEqual([
      "budget",
      [`The worktree is kept: ${place}, on the branch ralph/demo.`],
    ]);
    const run = await world.run({ script: `test -e half.txt && ${WORKS}` }, { flags: ["--worktree"] });
    expect([run.outcome.verdict, placeOf(run), existsSync(place)]).toEqual(["done", place, false]);
    expect(linesText(world.git("show", "--format=", "--name-only", "ralph/demo")).sort()).toEqual([
      "half.txt",
      `${TASK}/prd.json`,
      "work.txt",
    ]);
  });

  test("is undone with its branch and its place", async () => {
    using world = loopWorld({ stories: [...STORIES, { checks: ["false"] }], files: FILES });
    const run = await world.run({ script: WORKS }, { flags: ["--worktree", "--max-iterations", "2"] });
    expect(run.outcome.stories).toEqual({ "S-1": "verified", "S-2": "open" });
    const undone = await runRalph(["run", TASK, "--undo", "--yes"], world);
    expect([undone.code, undone.stderr]).toEqual([0, ""]);
    expect([existsSync(placeOf(run)), world.git("branch", "--format=%(refname:short)")]).toEqual([false, "main\n"]);
    expect(world.prd().userStories.map(({ passes }) => passes)).toEqual([false, false]);
  });

  test("a run that was killed goes on in the same place", async () => {
    using world = loopWorld({ stories: STORIES, files: FILES });
    const ready = join(world.workspace.root, "ready");
    const command = world.agent(
      `test -e ${ready} && { ${WORKS.replace("\n", "; ")} exit; }; : >${ready}; echo begun; exec sleep 3600\n`,
    );
    const args = ["run", TASK, "--worktree", "--json", "--sleep", "0", "--agent-cmd", command];
    await using live = startRalph(args, world);
    const [, place] = await live.waitForOutput(/"worktree":"([^"]+)"/);
    await live.waitForOutput("begun");
    live.kill("SIGKILL");
    await live.exited;
    const run = await runRalph(args, world);
    expect(run.code).toBe(0);
    expect(run.stdout).toContain('"type":"run-resumed"');
    expect([world.subjects("ralph/demo"), existsSync(place ?? "")]).toEqual([["S-1: Story S-1"], false]);
  });

  test("needs a repository and a commit", async () => {
    using world = loopWorld({ stories: STORIES, files: FILES });
    const base = await runRalph(["run", TASK, "--worktree", "--base-branch", "nowhere", "--agent-cmd", "true"], world);
    expect(base.stderr).toBe("ralph: There is no branch or commit nowhere to begin at (--base-branch).\n");
    await Bun.$`rm -rf ${join(world.project, ".git")}`.quiet();
    const none = await runRalph(["run", TASK, "--worktree", "--agent-cmd", "true"], world);
    expect([none.code, none.stderr]).toEqual([
      1,
      `ralph: ${world.project} is no git repository, so it cannot have a worktree.\n`,
    ]);
  });
});
