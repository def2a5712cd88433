import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { type LoopWorld, loopWorld, TASK } from "../support/loop-world.ts";
import { runRalph } from "../support/run-ralph.ts";

// What a person is told before anything is spent: a repository in the middle of something, checks that cannot see their files.

setDefaultTimeout(120_000);

const FINISHES = "echo finished >work.txt; echo '<promise>COMPLETE</promise>'\n";

/** Two branches that cannot be put together, and the operation that tries. */
function halfway(words: string[]): LoopWorld {
  const world = loopWorld({ stories: [{ checks: ["grep -q finished work.txt"] }] });
  world.git("switch", "--quiet", "--create", "other");
  world.write("README.md", "theirs\n");
  world.git("commit", "--quiet", "--all", "--message", "theirs");
  world.git("switch", "--quiet", "main");
  world.write("README.md", "ours\n");
  world.git("commit", "--quiet", "--all", "--message", "ours");
  expect(() => world.git(...words, "other")).toThrow();
  return world;
}

describe.concurrent("a repository in the middle of something", () => {
  test.each([["merge"], ["rebase"], ["cherry-pick"]])("is not worked in: %s", async (operation) => {
    using world = halfway([operation]);
    const before = world.status();
    const refused = await runRalph(["run", TASK, "--agent-cmd", world.agent(FINISHES)], world);
    expect([refused.code, refused.stdout, refused.stderr]).toEqual([
      1,
      "",
      `ralph: A ${operation} is not finished in ${world.project}. Finish it with \`git ${operation} --continue\`, give it up with \`git ${operation} --abort\`, or use --worktree.\n`,
    ]);
    expect(world.status()).toEqual(before);
  });

  test("is no hindrance for a worktree", async () => {
    using world = halfway(["merge"]);
    const run = await world.run({ script: FINISHES }, { flags: ["--worktree"] });
    expect([run.outcome.verdict, world.subjects("ralph/demo")]).toEqual(["done", ["ours", "S-1: Story S-1"]]);
  });
});

describe.concurrent("files of checks that are not committed", () => {
  test("are named when a run begins, new or changed, scripts and sealed ones too", async () => {
    const checks = ["sh test/new.sh", "npm run --silent prove", "grep -q finished work.txt"];
    const files = { "acceptance/one.txt": "1\n", "package.json": '{"scripts":{"prove":"true"}}\n' };
    using world = loopWorld({ stories: [{ checks, sealed: ["acceptance/**"] }], files });
    for (const path of ["test/new.sh", "acceptance/one.txt", "work.txt", "notes.txt"]) world.write(path, "mine\n");
    world.write("package.json", '{"scripts":{"prove":"false"}}\n');
    const run = await world.run("does-nothing", { flags: ["--max-iterations", "1"] });
    expect(run.notices.slice(0, 1)).toEqual([
      "The checks use acceptance/one.txt, package.json, test/new.sh, but what you have there is not committed, so they do not see it. Commit it and start again.",
    ]);
  });

  test("are all of them in a repository without a commit", async () => {
    using world = loopWorld({ stories: [{ checks: ["sh test/all.sh"] }], files: { "test/all.sh": "true\n" } });
    world.git("update-ref", "-d", "HEAD");
    world.git("rm", "--quiet", "-r", "--cached", ".");
    const run = await world.run("does-nothing", { flags: ["--max-iterations", "1"] });
    expect(run.notices).toEqual([
      "The checks use test/all.sh, but what you have there is not committed, so they do not see it. Commit it and start again.",
    ]);
  });

  test("are no matter where everything is committed", async () => {
    using world = loopWorld({ stories: [{ checks: ["sh test/all.sh"] }], files: { "test/all.sh": "false\n" } });
    world.write("notes.txt", "mine\n");
    const run = await world.run("does-nothing", { flags: ["--max-iterations", "1"] });
    expect(run.notices).toEqual([]);
  });
});

describe.concurrent("a run that waits for a person", () => {
  test("is answered after it has ended, and the next agent hears it first", async () => {
    using world = loopWorld({ stories: [{ checks: ["grep -q finished work.txt"] }] });
    const inject = (...words: string[]) => runRalph(["inject", "demo", ...words], { workspace: world.workspace });
    const first = await world.run({ script: "echo '<promise>BLOCKED: which port?</promise>'\n" });
    expect(first.outcome.verdict).toBe("blocked-on-human");
    const told = await inject("port", "80");
    expect([told.code, told.stdout, told.stderr]).toEqual([
      0,
      `demo is not running. Its next agent is told first: port 80\nGo on: ralph run ${world.project}/${TASK}\n`,
      "",
    ]);
    const second = await world.run({ script: `head -n 4 | grep -q 'port 80' && ${FINISHES}` });
    expect([second.outcome.verdict, second.of("iteration-started")[0]?.injected]).toEqual(["done", ["port 80"]]);
    const late = await inject("too", "late");
    expect([late.code, late.stdout, late.stderr]).toEqual([
      1,
      "",
      "ralph: No loop named demo is running. The last run of demo is completed. What it did: ralph receipts demo\n",
    ]);
    const long = await runRalph(["inject", "demo"], { workspace: world.workspace, stdin: "x".repeat(100_001) });
    expect([long.code, long.stderr]).toEqual([
      1,
      "ralph: The text is longer than 100000 characters. Name a file in it instead.\n",
    ]);
  });

  test("is told its own name in what can be done", async () => {
    using world = loopWorld({ stories: [{ checks: ["false"] }] });
    const asks = world.agent("echo '<promise>BLOCKED</promise>'\n");
    const run = await runRalph(["run", TASK, "--agent-cmd", asks, "--sleep", "0"], world);
    expect(run.stdout.split("\n").slice(-6)).toEqual([
      "",
      "blocked-on-human: S-1 needs an answer: The agent says it is blocked, but not by what.",
      "  ○ S-1 open",
      "  1 iteration",
      '  What is needed: answer with `ralph inject demo "…"` or in progress.txt, then run it again.',
      "",
    ]);
  });
});
