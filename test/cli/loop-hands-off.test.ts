import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { loopWorld } from "../support/loop-world.ts";

// Agents that remove, replace or hide what is not theirs.

setDefaultTimeout(120_000);

const DONE = "echo '<promise>COMPLETE</promise>'\n";
const CHECKS = [{ checks: ["grep -q finished work.txt"] }];
const ONCE = { flags: ["--max-iterations", "1"] };
const THERE_AGAIN = (paths: string) =>
  `Uncommitted changes of yours were gone after the agent and are there again: ${paths}.`;

describe.concurrent("a person's uncommitted work", () => {
  test("is there again where an agent removed the files, tracked or not", async () => {
    using world = loopWorld({ stories: CHECKS });
    world.write("README.md", "mine\n");
    world.write("note.txt", "mine too\n");
    const run = await world.run({ script: `rm README.md note.txt; echo finished >work.txt; ${DONE}` }, ONCE);
    expect([run.outcome.verdict, run.notices]).toEqual(["done", [THERE_AGAIN("README.md, note.txt")]]);
    expect([world.read("README.md"), world.read("note.txt")]).toEqual(["mine\n", "mine too\n"]);
    expect(world.status()).toEqual([" M README.md", "?? note.txt"]);
  });

  test("is not committed by the next run where an agent of the last one worked on the same file", async () => {
    using world = loopWorld({ stories: CHECKS });
    world.write("README.md", "mine\n");
    await world.run({ script: "echo theirs >>README.md\n" }, ONCE);
    const run = await world.run({ script: `echo finished >work.txt; ${DONE}` });
    expect([run.outcome.verdict, world.git("show", "HEAD:README.md")]).toEqual(["done", "demo\n"]);
    expect([world.read("README.md"), world.status()]).toEqual(["mine\ntheirs\n", [" M README.md"]]);
  });

  test("is not written over where git was only told not to look at it", async () => {
    using world = loopWorld({ stories: CHECKS });
    world.write("README.md", "mine\n");
    world.write("note.txt", "mine too\n");
    const hides = "git update-index --skip-worktree README.md; echo note.txt >>.git/info/exclude\n";
    const run = await world.run({ script: `${hides}echo newer >>note.txt; echo finished >work.txt; ${DONE}` }, ONCE);
    expect([run.outcome.verdict, run.notices.filter((notice) => notice.includes("there again"))]).toEqual(["done", []]);
    expect([world.read("README.md"), world.read("note.txt")]).toEqual(["mine\n", "mine too\nnewer\n"]);
  });
});

describe.concurrent("prd.json", () => {
  test.each([
    [
      "a folder",
      'rm "$RALPH_TASK_DIR/prd.json"; mkdir "$RALPH_TASK_DIR/prd.json"; echo kept >"$RALPH_TASK_DIR/prd.json/x"',
    ],
    ["a pipe", 'rm "$RALPH_TASK_DIR/prd.json"; mkfifo "$RALPH_TASK_DIR/prd.json"'],
  ])("is a file again where an agent put %s in its place", async (_, replaces) => {
    using world = loopWorld({ stories: CHECKS });
    const run = await world.run({ script: `${replaces}; echo finished >work.txt; ${DONE}` });
    expect([run.outcome.verdict, run.cheats]).toEqual([
      "done",
      ["control-files-touched: In prd.json the file was taken away; it is put back."],
    ]);
    expect(world.prd().userStories.map(({ passes }) => passes)).toEqual([true]);
  });
});

describe.concurrent("a place that is gone", () => {
  test("is named where an agent removed its own worktree", async () => {
    using world = loopWorld({ stories: CHECKS });
    const run = await world.run({ script: 'cd /; rm -rf "$OLDPWD"\n' }, { flags: ["--worktree"] });
    const { worktree } = run.of("run-started")[0] ?? {};
    expect([run.outcome.verdict, run.outcome.reason]).toEqual([
      "environment-broken",
      `${worktree}, where the agent worked, was removed. What has landed is on its branch; start again for the rest.`,
    ]);
    const again = await world.run({ script: `echo finished >work.txt; ${DONE}` }, { flags: ["--worktree"] });
    expect([again.outcome.verdict, world.subjects("ralph/demo")]).toEqual(["done", ["S-1: Story S-1"]]);
  });

  test("is no bug where .git became a file that leads to the repository", async () => {
    using world = loopWorld({ stories: CHECKS });
    const moves =
      'mv .git elsewhere.git; echo "gitdir: $PWD/elsewhere.git" >.git; echo elsewhere.git >>elsewhere.git/info/exclude';
    const run = await world.run({ script: `${moves}; echo finished >work.txt; ${DONE}` }, ONCE);
    expect(run.outcome.verdict).not.toBe("done");
    expect(readFileSync(join(world.project, "work.txt"), "utf8")).toBe("finished\n");
    expect(world.git("-C", "elsewhere.git", "rev-parse", "HEAD")).toHaveLength(41);
  });
});

describe.concurrent("work that no check has seen", () => {
  test("is checked in the next iteration, even where its agent changes nothing more", async () => {
    using world = loopWorld({ stories: CHECKS });
    const ran = join(world.workspace.root, "ran");
    const quota = '@@RALPH@@ {"type":"meta","meta":{"kind":"quota","message":"used up","until":"%s"}}';
    const soon = "$(node -p 'new Date(Date.now() + 500).toISOString()')";
    const script = `test -e ${ran} && exit 0\n: >${ran}; echo finished >work.txt; printf '${quota}\\n' "${soon}"; exit 1\n`;
    const run = await world.run({ script }, { flags: ["--transcript", "rtf1"] });
    expect([run.outcome.verdict, run.records.map(({ ending, changed }) => [ending.type, changed])]).toEqual([
      "done",
      [
        ["quota", true],
        ["finished", false],
      ],
    ]);
  });

  test("is proven by the next run where the branch could not be moved", async () => {
    using world = loopWorld({ stories: CHECKS });
    const lock = join(world.project, ".git/refs/heads/main.lock");
    const first = await world.run({ script: `echo finished >work.txt; : >${lock}; ${DONE}` });
    expect(first.outcome.verdict).toBe("environment-broken");
    rmSync(lock);
    const second = await world.run({ script: "true\n" });
    expect([second.outcome.verdict, second.outcome.iterations]).toEqual(["done", 1]);
  });
});
