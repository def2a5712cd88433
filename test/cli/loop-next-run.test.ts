import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { type LoopRun, loopWorld } from "../support/loop-world.ts";

// What agents committed in a run that was not done is on the branch when the next one begins. It is work nobody has proven, and
// no reason to trust a test.

setDefaultTimeout(120_000);

const DONE = "echo '<promise>COMPLETE</promise>'\n";
const TEST = { "test.sh": "grep -q finished work.txt\n" };
const CHEATS = `echo true >test.sh; git commit --quiet --all --message done; ${DONE}`;
const ONCE = { flags: ["--max-iterations", "1"] };
const NOTICE =
  "test.sh was committed by an agent of the last run; for the checks it counts as before that. If what was committed is right, `git restore` it and start with --fresh.";

const budget: Omit<LoopRun["outcome"], "reason"> = {
  code: 1,
  verdict: "budget",
  iterations: 1,
  stories: { "S-1": "open" },
};
const limit = "The limit of 1 iterations (--max-iterations) is reached. Open: S-1.";
const done: LoopRun["outcome"] = {
  code: 0,
  verdict: "done",
  reason: "The story passes, proven by its checks.",
  iterations: 1,
  stories: { "S-1": "verified" },
};

describe.concurrent("a test that an agent edited and committed", () => {
  test("counts as it was in the next run, in the one after that, and until the work is really done", async () => {
    using world = loopWorld({ stories: [{ checks: ["sh test.sh"] }], files: TEST });
    await world.run({ script: CHEATS }, ONCE);
    for (const again of ["second", "third"]) {
      const run = await world.run({ script: `echo ${again}; ${DONE}` }, ONCE);
      expect(run.outcome).toEqual({ ...budget, reason: limit });
      expect(run.notices).toEqual([NOTICE]);
    }
    const last = await world.run({ script: `echo finished >work.txt; ${DONE}` });
    expect(last.outcome).toEqual(done);
    expect([world.git("show", "HEAD:test.sh"), world.read("test.sh")]).toEqual([TEST["test.sh"], TEST["test.sh"]]);
  });

  test("also where the checks of another story passed with it", async () => {
    const stories = [{ checks: [{ exists: "one.txt" }] }, { checks: ["sh test.sh"] }];
    using world = loopWorld({ stories, files: TEST });
    const first = await world.run({ script: `echo 1 >one.txt; echo true >test.sh; ${DONE}` }, ONCE);
    expect(first.outcome.stories).toEqual({ "S-1": "verified", "S-2": "open" });
    expect(world.git("show", "HEAD:test.sh")).toBe("true\n");
    const second = await world.run({ script: DONE }, ONCE);
    expect([second.outcome.stories, second.notices]).toEqual([{ "S-1": "verified", "S-2": "open" }, [NOTICE]]);
  });

  test("as does a script of package.json", async () => {
    const manifest = (command: string) => `${JSON.stringify({ scripts: { test: command } }, null, 2)}\n`;
    const files = { "package.json": manifest("grep -q finished work.txt") };
    using world = loopWorld({ stories: [{ checks: ["npm test --silent"] }], files });
    const commit = "git commit --quiet --all --message done";
    await world.run({ script: `cat >package.json <<'END'\n${manifest("true")}END\n${commit}; ${DONE}` }, ONCE);
    const second = await world.run({ script: DONE }, ONCE);
    expect(second.outcome).toEqual({ ...budget, reason: limit });
    expect(second.notices).toEqual([NOTICE.replace("test.sh", "package.json")]);
  });

  test("counts as a person left it where they changed it since", async () => {
    using world = loopWorld({ stories: [{ checks: ["sh test.sh"] }], files: TEST });
    await world.run({ script: CHEATS }, ONCE);
    world.write("test.sh", "grep -q other work.txt\n");
    world.git("commit", "--quiet", "--all", "--message", "another test");
    const run = await world.run({ script: `echo other >work.txt; ${DONE}` });
    expect([run.outcome, run.notices, run.cheats]).toEqual([done, [], []]);
  });

  test("counts as it is where a person begins anew", async () => {
    using world = loopWorld({ stories: [{ checks: ["sh test.sh", { exists: "work.txt" }] }], files: TEST });
    await world.run({ script: CHEATS }, ONCE);
    world.git("restore", "test.sh");
    const run = await world.run({ script: `echo anything >work.txt; ${DONE}` }, { flags: ["--fresh"] });
    expect([run.outcome, run.notices, run.cheats]).toEqual([done, [], []]);
  });
});

describe.concurrent("work that an agent committed and nobody proved", () => {
  test("is proven in the next run, without an agent having to do more", async () => {
    using world = loopWorld({ stories: [{ checks: ["sh test.sh"] }], files: TEST });
    const script = `echo finished >work.txt; git add work.txt; git commit --quiet --message mine; ${DONE}`;
    const first = await world.run({ script }, { flags: ["--allowed-paths", "docs/"] });
    expect(first.outcome.verdict).toBe("failed");
    const second = await world.run({ script: DONE });
    expect([second.outcome, second.notices]).toEqual([done, []]);
    expect((await world.receipts())[0]?.checks.map(({ passesWithout }) => passesWithout)).toEqual([false]);
  });
});

describe.concurrent("checks that pass before anything is done", () => {
  test("prove nothing in the next run either, whatever an agent committed into prd.json", async () => {
    using world = loopWorld({ stories: [{ checks: ["true"] }] });
    const claims = `sed -i.old 's/"passes": false/"passes": true/' "$RALPH_TASK_DIR/prd.json"; rm "$RALPH_TASK_DIR"/*.old`;
    const first = await world.run({ script: `${claims}; git commit --quiet --all --message done; ${DONE}` });
    expect(world.git("show", "HEAD:tasks/demo/prd.json")).toContain('"passes": true');
    const second = await world.run({ script: DONE });
    expect([first.outcome.verdict, second.outcome.verdict]).toEqual(["blocked-on-human", "blocked-on-human"]);
    expect(await world.receipts()).toEqual([]);
  });

  test("prove nothing, whether git knows the task's files or not", async () => {
    using world = loopWorld({ stories: [{ checks: ["true"] }] });
    world.write(".gitignore", "tasks/\n");
    world.git("rm", "--quiet", "-r", "--cached", "tasks");
    world.git("add", ".gitignore");
    world.git("commit", "--quiet", "--message", "the task is mine alone");
    const run = await world.run({ script: "true" });
    expect(run.outcome).toEqual({
      code: 1,
      verdict: "blocked-on-human",
      reason:
        'S-1 needs an answer: its checks (true) passed before anything was done, so they prove nothing. Set "passes": true if it is done, or give a check that fails first.',
      iterations: 1,
      stories: { "S-1": "open" },
    });
    expect(await world.receipts()).toEqual([]);
  });
});

describe.concurrent("a repository that is no longer what it was", () => {
  test("ends the run with the file that is in the way where a branch cannot be moved", async () => {
    using world = loopWorld({ stories: [{ checks: ["sh test.sh"] }], files: TEST });
    const run = await world.run({ script: `echo finished >work.txt; : >.git/refs/heads/main.lock; ${DONE}` });
    const file = `${world.project}/.git/refs/heads/main.lock`;
    expect(run.outcome).toEqual({
      code: 1,
      verdict: "environment-broken",
      reason: `refs/heads/main could not be moved: fatal: update_ref failed for ref 'refs/heads/main': cannot lock ref 'refs/heads/main': Unable to create '${file}': File exists. Remove that file when no git is at work there.`,
      iterations: 1,
      stories: { "S-1": "open" },
    });
  });

  test("is said to be another one where an agent made it anew", async () => {
    using world = loopWorld({ stories: [{ checks: ["sh test.sh"] }], files: TEST });
    const base = world.git("rev-parse", "HEAD").slice(0, 12);
    const run = await world.run({ script: "rm -rf .git; git init --quiet --initial-branch=main\n" });
    expect(run.outcome).toEqual({
      code: 1,
      verdict: "environment-broken",
      reason: `${world.project}/.git is not the repository it was: the commit ${base} the run began with is gone. The files of ${world.project} are as the agent left them. Bring the repository back from a copy or a remote and start again.`,
      iterations: 1,
      stories: { "S-1": "open" },
    });
  });
});
