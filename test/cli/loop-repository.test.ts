import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type LoopRun, linesText, loopWorld } from "../support/loop-world.ts";

// What an agent may do to a repository, and what must never happen to the person's own work in it.

setDefaultTimeout(120_000);

const DONE = "echo '<promise>COMPLETE</promise>'\n";
const TEST = { "test.sh": "grep -q finished work.txt\n" };
const STORIES = [{ checks: ["sh test.sh"] }];
const WORKS = `echo finished >work.txt\n${DONE}`;
const VERIFIED: LoopRun["outcome"] = {
  code: 0,
  verdict: "done",
  reason: "The story passes, proven by its checks.",
  iterations: 1,
  stories: { "S-1": "verified" },
};

const filesOf = (text: string) => linesText(text).sort();

describe.concurrent("the person's own work", () => {
  test("changed, staged and untracked files stay as they are and are in no commit", async () => {
    using world = loopWorld({ stories: STORIES, files: { ...TEST, "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n" } });
    world.write("a.txt", "mine\n");
    world.write("b.txt", "mine\n");
    world.git("add", "b.txt");
    world.git("rm", "--quiet", "c.txt");
    world.write("new.txt", "mine\n");
    const before = world.status();
    const index = world.git("diff", "--cached");
    const run = await world.run({ script: WORKS });
    expect(run.outcome).toEqual(VERIFIED);
    expect(filesOf(world.git("show", "--format=", "--name-only", "HEAD"))).toEqual(["tasks/demo/prd.json", "work.txt"]);
    expect([world.status(), world.git("diff", "--cached")]).toEqual([before, index]);
    expect(["a.txt", "b.txt", "new.txt"].map(world.read)).toEqual(["mine\n", "mine\n", "mine\n"]);
    expect(run.notices).toEqual([]);
  });

  test("a file that both changed is held out and named, and keeps what stands in it", async () => {
    using world = loopWorld({ stories: STORIES, files: { ...TEST, "a.txt": "a\n" } });
    world.write("a.txt", "mine\n");
    const run = await world.run({ script: `echo theirs >>a.txt\n${WORKS}` });
    expect(run.outcome).toEqual(VERIFIED);
    expect(run.notices).toEqual([
      "a.txt is not part of the work that is checked: it had changes of yours before the run and was changed by the agent. Commit or stash it, or use --worktree.",
    ]);
    expect([world.status(), world.read("a.txt")]).toEqual([[" M a.txt"], "mine\ntheirs\n"]);
  });

  test("it stays out of the history also where the agent commits everything", async () => {
    using world = loopWorld({ stories: STORIES, files: { ...TEST, "a.txt": "a\n" } });
    world.write("a.txt", "mine\n");
    world.write("secret.txt", "mine\n");
    const run = await world.run({ script: `echo finished >work.txt; git add -A; git commit -qm all\n${DONE}` });
    expect(run.outcome).toEqual(VERIFIED);
    expect(world.subjects()).toEqual(["all", "S-1: Story S-1"]);
    expect(filesOf(world.git("diff", "--name-only", "HEAD~2", "HEAD"))).toEqual(["tasks/demo/prd.json", "work.txt"]);
    expect(["a.txt", "secret.txt"].map(world.read)).toEqual(["mine\n", "mine\n"]);
    expect(world.status().sort()).toEqual([" M a.txt", "?? secret.txt"]);
  });
});

const LEFT = "The agent left main for elsewhere; main is checked out again, with what was done there.";

describe.concurrent("an agent that uses git", () => {
  test("commits by itself: its commits stay, and the proven one is on top", async () => {
    using world = loopWorld({ stories: STORIES, files: TEST });
    const script = `echo one >one.txt; git add one.txt; git commit -qm 'one by the agent'; echo finished >work.txt\n${DONE}`;
    const run = await world.run({ script });
    expect(run.outcome).toEqual(VERIFIED);
    expect([world.subjects(), world.status()]).toEqual([["one by the agent", "S-1: Story S-1"], []]);
    const [receipt] = await world.receipts();
    expect(receipt?.commit).toBe(world.git("rev-parse", "HEAD").trim());
  });

  test("switches to another branch: the loop goes back to its own, and the work comes along", async () => {
    using world = loopWorld({ stories: STORIES, files: TEST });
    const run = await world.run({ script: `git switch -qc elsewhere\n${WORKS}` });
    expect(run.outcome).toEqual(VERIFIED);
    expect(run.notices).toEqual([LEFT]);
    expect(world.git("branch", "--show-current").trim()).toBe("main");
    expect([world.subjects("main"), world.subjects("elsewhere"), world.status()]).toEqual([["S-1: Story S-1"], [], []]);
  });

  test("commits to another branch and leaves it checked out: the work counts on the loop's own branch", async () => {
    using world = loopWorld({ stories: STORIES, files: TEST });
    const script = `git switch -qc elsewhere; echo finished >work.txt; git add work.txt; git commit -qm there\n${DONE}`;
    const run = await world.run({ script });
    expect(run.outcome).toEqual(VERIFIED);
    expect(run.notices).toEqual([LEFT]);
    expect(world.git("branch", "--show-current").trim()).toBe("main");
    expect([world.subjects("main"), world.subjects("elsewhere")]).toEqual([["there", "S-1: Story S-1"], ["there"]]);
    expect(world.status()).toEqual([]);
  });

  test("detaches HEAD: the same", async () => {
    using world = loopWorld({ stories: STORIES, files: TEST });
    const run = await world.run({ script: `git checkout -q --detach\n${WORKS}` });
    expect(run.outcome).toEqual(VERIFIED);
    expect(run.notices).toEqual([
      "The agent left main for a HEAD without branch; main is checked out again, with what was done there.",
    ]);
    expect([world.git("branch", "--show-current").trim(), world.subjects("main")]).toEqual([
      "main",
      ["S-1: Story S-1"],
    ]);
  });

  test("goes to an older branch that has gone another way: the loop stops and says so", async () => {
    using world = loopWorld({ stories: STORIES, files: TEST });
    world.git("switch", "--quiet", "--create", "other");
    world.write("theirs.txt", "x\n");
    world.git("add", "theirs.txt");
    world.git("commit", "--quiet", "--message", "other way");
    world.git("switch", "--quiet", "main");
    world.write("mine.txt", "x\n");
    world.git("add", "mine.txt");
    world.git("commit", "--quiet", "--message", "mine");
    const run = await world.run({ script: `git switch -q other\n${WORKS}` });
    expect(run.outcome).toEqual({
      code: 1,
      verdict: "environment-broken",
      reason:
        "The agent left main for other, which does not build on it. Nothing can be proven there: see what is worth keeping, then `git switch main` and start again.",
      iterations: 1,
      stories: { "S-1": "open" },
    });
    expect([world.subjects("main"), world.subjects("other")]).toEqual([["mine"], ["other way"]]);
    expect(world.read("work.txt")).toBe("finished\n");
  });

  test("commits on the branch and on another that has gone another way: the same", async () => {
    using world = loopWorld({ stories: STORIES, files: TEST });
    const commit = (name: string) => `echo x >${name}; git add ${name}; git commit -qm ${name}`;
    const run = await world.run({
      script: `git switch -qc elsewhere; ${commit("there")}; git switch -q main; ${commit("here")}; git switch -q elsewhere\n${WORKS}`,
    });
    expect(run.outcome.reason).toStartWith("The agent left main for elsewhere, and both have commits of their own.");
    expect([world.subjects("main"), world.subjects("elsewhere")]).toEqual([["here"], ["there"]]);
  });

  test("resets the branch below where the run began: it is brought back, with the files, and the work counts", async () => {
    using world = loopWorld({ stories: STORIES, files: { ...TEST, "a.txt": "old\n" } });
    world.write("mine.txt", "x\n");
    world.write("a.txt", "new\n");
    world.git("add", "--all");
    world.git("commit", "--quiet", "--message", "mine");
    const before = world.git("rev-parse", "HEAD").trim();
    const run = await world.run({ script: `git reset -q --hard HEAD~1\n${WORKS}` });
    expect(run.outcome).toEqual(VERIFIED);
    expect(run.notices).toEqual([
      `The agent took main back behind ${before.slice(0, 12)} or rewrote it; it names that commit again and these files are put back: a.txt, mine.txt.`,
    ]);
    expect([world.subjects(), world.status()]).toEqual([["mine", "S-1: Story S-1"], []]);
    expect(["mine.txt", "a.txt"].map(world.read)).toEqual(["x\n", "new\n"]);
  });

  test("rewrites history below where the run began: the branch has the old history, and the work on top", async () => {
    using world = loopWorld({ stories: STORIES, files: TEST });
    const before = world.git("rev-parse", "HEAD").trim();
    const script = `echo finished >work.txt; git add work.txt; git commit -q --amend -m rewritten\n${DONE}`;
    const run = await world.run({ script });
    expect(run.outcome).toEqual(VERIFIED);
    expect(run.notices).toEqual([
      `The agent took main back behind ${before.slice(0, 12)} or rewrote it; it names that commit again.`,
    ]);
    expect(world.git("log", "--format=%s").split("\n").filter(Boolean)).toEqual(["S-1: Story S-1", "base"]);
    expect(world.status()).toEqual([]);
  });

  test("takes back what an earlier story had landed: it is brought back, and its receipt stays true", async () => {
    using world = loopWorld({ stories: [...STORIES, { checks: ["grep -q more more.txt"] }], files: TEST });
    const script = `if [ "$RALPH_STORY" = S-1 ]; then echo finished >work.txt; else git reset -q --hard HEAD~1; echo more >more.txt; fi\n${DONE}`;
    const run = await world.run({ script });
    expect(run.outcome).toEqual({
      code: 0,
      verdict: "done",
      reason: "All 2 stories pass, each proven by its checks.",
      iterations: 2,
      stories: { "S-1": "verified", "S-2": "verified" },
    });
    const [first, second] = await world.receipts();
    const history = world.git("log", "--reverse", "--format=%H").split("\n").slice(1, 3);
    expect([first?.commit, second?.commit]).toEqual(history);
    expect([world.subjects(), world.status()]).toEqual([["S-1: Story S-1", "S-2: Story S-2"], []]);
  });

  test("throws away the person's uncommitted work: it is there again", async () => {
    using world = loopWorld({ stories: STORIES, files: { ...TEST, "a.txt": "a\n" } });
    world.write("a.txt", "mine\n");
    world.write("notes/new.txt", "mine\n");
    const run = await world.run({ script: `git reset -q --hard; git clean -qfd -e tasks\n${WORKS}` });
    expect(run.outcome).toEqual(VERIFIED);
    expect(run.notices).toEqual([
      "Uncommitted changes of yours were gone after the agent and are there again: a.txt, notes/new.txt.",
    ]);
    expect(["a.txt", "notes/new.txt"].map(world.read)).toEqual(["mine\n", "mine\n"]);
    expect(world.status()).toEqual([" M a.txt", "?? notes/new.txt"]);
  });

  test("deletes .git: the run ends and says why, and what was done is still there", async () => {
    using world = loopWorld({ stories: STORIES, files: TEST });
    const run = await world.run({ script: `rm -rf .git\n${WORKS}` });
    expect(run.outcome).toEqual({
      code: 1,
      verdict: "environment-broken",
      reason: `${world.project} is no git repository any more: ${world.project}/.git was removed or broken. The files are as the agent left them. Bring it back from a copy or a remote and start again.`,
      iterations: 1,
      stories: { "S-1": "open" },
    });
    expect([existsSync(join(world.project, ".git")), world.read("work.txt")]).toEqual([false, "finished\n"]);
  });

  test("breaks HEAD: the run ends and says why", async () => {
    using world = loopWorld({ stories: STORIES, files: TEST });
    const run = await world.run({ script: `echo nonsense >.git/HEAD\n${WORKS}` });
    expect(run.outcome).toMatchObject({ code: 1, verdict: "environment-broken", stories: { "S-1": "open" } });
  });
});
