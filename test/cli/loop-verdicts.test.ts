import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { agentProgram } from "../support/agent-programs.ts";
import { type LoopRun, type LoopWorld, loopWorld } from "../support/loop-world.ts";

// How runs end, as a person finds them in the morning. `run` of the loop world also looks at the lines themselves every time: each
// is an entry of the journal or of the transcript, times never go back, the verdict is last, and a story that is proven has its
// receipt before it.

setDefaultTimeout(120_000);

const DONE = "echo '<promise>COMPLETE</promise>'\n";
const TEST = { "test.sh": "grep -q finished work.txt\n" };
const STORIES = [{ checks: ["sh test.sh"] }];
const OPEN = { "S-1": "open" } as const;
const VERIFIED: LoopRun["outcome"] = {
  code: 0,
  verdict: "done",
  reason: "The story passes, proven by its checks.",
  iterations: 1,
  stories: { "S-1": "verified" },
};

describe.concurrent("nothing gets done", () => {
  test("an agent that ends with 0 and does nothing is stalled, for another reason than one that lies", async () => {
    using world = loopWorld({ stories: STORIES, files: TEST });
    const run = await world.run("does-nothing");
    expect(run.outcome).toEqual({
      code: 1,
      verdict: "stalled",
      reason: "3 iterations in a row changed nothing: sh test.sh does not prove S-1 yet.",
      iterations: 3,
      stories: OPEN,
    });
    expect([run.cheats, world.status(), world.subjects()]).toEqual([[], [], []]);
  });

  test("an agent that echoes its prompt, and the marker in it, has claimed nothing", async () => {
    using world = loopWorld({ stories: STORIES, files: TEST });
    const run = await world.run("echoes-prompt", { flags: ["--max-iterations", "1"] });
    expect(JSON.stringify(run.transcript)).toContain("<promise>COMPLETE</promise>");
    expect([run.records[0]?.marker, run.cheats, run.outcome.verdict]).toEqual([false, [], "budget"]);
  });

  test("what only writes progress.txt and its notes is no progress", async () => {
    using world = loopWorld({ stories: STORIES, files: TEST });
    const run = await world.run({
      script: `echo "- looked at it again $(date +%N)" >>"$RALPH_TASK_DIR/progress.txt"\n`,
    });
    expect(run.outcome).toMatchObject({
      verdict: "stalled",
      reason: "3 iterations in a row changed nothing: sh test.sh does not prove S-1 yet.",
    });
    expect(run.records.map(({ changed }) => changed)).toEqual([false, false, false]);
    expect(world.read("tasks/demo/progress.txt").match(/looked at it again/g)).toHaveLength(3);
  });

  test("work that goes back and forth is flailing", async () => {
    using world = loopWorld({ stories: STORIES, files: TEST });
    const run = await world.run("flips");
    expect(run.outcome).toMatchObject({
      code: 1,
      verdict: "flailing",
      reason: "The work goes back and forth between the same states; sh test.sh does not prove S-1 yet.",
      stories: OPEN,
    });
    expect([world.subjects(), world.status()]).toEqual([[], ["?? flip.txt"]]);
  });

  test("work that changes and changes and fails the same checks is flailing too", async () => {
    using world = loopWorld({ stories: STORIES, files: TEST });
    const run = await world.run({ script: `date +%s%N >>work.txt\n` });
    expect(run.outcome).toEqual({
      code: 1,
      verdict: "flailing",
      reason: "6 iterations changed files and brought S-1 no further: sh test.sh does not prove S-1 yet.",
      iterations: 6,
      stories: OPEN,
    });
  });

  test("a check whose program is missing is the environment's fault, not the agent's", async () => {
    using world = loopWorld({ stories: [{ checks: ["no-such-program-here --run"] }] });
    const run = await world.run({ script: `echo finished >work.txt\n${DONE}` });
    expect(run.outcome).toEqual({
      code: 1,
      verdict: "environment-broken",
      reason:
        'The check `no-such-program-here --run` needs "no-such-program-here", which is not installed here. Install it, or set "setup" in prd.json to a command that does.',
      iterations: 1,
      stories: OPEN,
    });
  });

  test("an agent whose program is missing is the environment's fault, and no try is made again", async () => {
    using world = loopWorld({ stories: STORIES, files: TEST });
    const run = await world.run({ script: "exec no-such-agent-here --work\n" });
    expect(run.outcome).toEqual({
      code: 1,
      verdict: "environment-broken",
      reason: expect.stringMatching(
        /^custom failed: Its program could not be run \(code 127: .*no-such-agent-here: not found\)\.$/,
      ),
      iterations: 1,
      stories: OPEN,
    });
  });

  test("an agent that fails every time ends the run as failed, after a pause and a few more tries", async () => {
    using world = loopWorld({ stories: STORIES, files: TEST });
    const run = await world.run("fails");
    expect(run.outcome).toEqual({
      code: 1,
      verdict: "failed",
      reason:
        "custom failed 5 times in a row: It ended with code 1. It said: the model could not be reached. It was tried 2 times more after a pause.",
      iterations: 5,
      stories: OPEN,
    });
    expect(run.of("breaker").map(({ state }) => state)).toEqual(["open", "half-open", "open", "half-open"]);
  });
});

describe.concurrent("the work gets done", () => {
  test("on the last allowed iteration it is done, and not out of budget", async () => {
    using world = loopWorld({ stories: STORIES, files: TEST });
    const script = `if [ -f ../again ]; then echo finished >work.txt; else touch ../again; echo begun >work.txt; fi\n`;
    const run = await world.run({ script }, { flags: ["--max-iterations", "2"] });
    expect(run.outcome).toEqual({ ...VERIFIED, iterations: 2 });
    expect([world.subjects(), world.status()]).toEqual([["S-1: Story S-1"], []]);
  });

  test("a marker too early, with the agent going on, is no claim; the checks decide", async () => {
    using world = loopWorld({ stories: STORIES, files: TEST });
    world.workspace.write("plan/work.txt", "finished\n");
    const run = await world.run("marks-early", { environment: { AGENT_PLAN: `${world.workspace.root}/plan` } });
    expect(run.outcome).toEqual(VERIFIED);
    expect([run.records[0]?.marker, run.cheats]).toEqual([false, []]);
  });

  test("bytes that are no text do not stop it", async () => {
    using world = loopWorld({ stories: STORIES, files: TEST });
    const garbage = await world.run("prints-garbage", { flags: ["--max-iterations", "1"] });
    expect(garbage.outcome).toMatchObject({ verdict: "budget", iterations: 1, stories: OPEN });
    expect(garbage.transcript.length).toBeGreaterThan(5);
    const rtf1 = await world.run("prints-garbage", { flags: ["--max-iterations", "1", "--transcript", "rtf1"] });
    expect(rtf1.outcome).toMatchObject({ verdict: "budget", iterations: 1, stories: OPEN });
  });

  test("a story that a later one breaks is opened again, and proven anew when it is repaired", async () => {
    using world = loopWorld({
      stories: [{ checks: ["grep -q one work.txt"] }, { checks: ["grep -q two work.txt"] }],
    });
    const script = `case $RALPH_STORY in
S-1) if [ -f work.txt ]; then echo one >>work.txt; else echo one >work.txt; fi ;;
S-2) echo two >work.txt ;;
esac\n${DONE}`;
    const run = await world.run({ script });
    expect(run.outcome).toEqual({
      code: 0,
      verdict: "done",
      reason: "All 2 stories pass, each proven by its checks.",
      iterations: 3,
      stories: { "S-1": "verified", "S-2": "verified" },
    });
    expect(run.of("story-reopened").map(({ story, reason, failing }) => ({ story, reason, failing }))).toEqual([
      { story: "S-1", reason: "a later change broke it", failing: ["grep -q one work.txt"] },
    ]);
    expect((await world.receipts()).map(({ story }) => story)).toEqual(["S-1", "S-2", "S-1"]);
    expect(world.prd().userStories.map(({ passes }) => passes)).toEqual([true, true]);
    expect([world.subjects(), world.status()]).toEqual([["S-1: Story S-1", "S-2: Story S-2", "S-1: Story S-1"], []]);
  });

  test("a story that a later one breaks for good is open in the end, and prd.json says so", async () => {
    using world = loopWorld({
      stories: [{ checks: ["grep -q one work.txt"] }, { checks: ["grep -q two work.txt"] }],
    });
    const script = `case $RALPH_STORY in
S-1) if [ -f ../once ]; then exit 0; fi; touch ../once; echo one >work.txt ;;
S-2) echo two >work.txt ;;
esac\n`;
    const run = await world.run({ script });
    expect(run.outcome).toEqual({
      code: 1,
      verdict: "stalled",
      reason: "3 iterations in a row changed nothing: grep -q one work.txt does not prove S-1 yet.",
      iterations: 6,
      stories: { "S-1": "open", "S-2": "verified" },
    });
    expect(world.prd().userStories.map(({ passes }) => passes)).toEqual([false, true]);
  });
});

describe.concurrent("claims", () => {
  test("a claim in prd.json that is true gets its receipt, and no agent is started", async () => {
    using world = loopWorld({
      stories: [{ checks: ["sh test.sh"], passes: true }],
      files: { ...TEST, "work.txt": "finished\n" },
    });
    const run = await world.run("lies");
    expect(run.outcome).toEqual({ ...VERIFIED, iterations: 0 });
    expect([run.of("agent-started"), world.subjects(), world.status()]).toEqual([[], [], []]);
    expect(await world.receipts()).toEqual([
      { ...run.of("receipt")[0]?.receipt, story: "S-1", iteration: 0, commit: world.git("rev-parse", "HEAD").trim() },
    ] as never);
  });

  test("a claim in prd.json that is not true is opened again and worked on", async () => {
    using world = loopWorld({ stories: [{ checks: ["sh test.sh"], passes: true }], files: TEST });
    const run = await world.run({ script: `echo finished >work.txt\n${DONE}` });
    expect(run.outcome).toEqual(VERIFIED);
    expect(run.of("story-reopened").map(({ reason }) => reason)).toEqual([
      "prd.json says it passes, but its checks do not",
    ]);
    expect(world.prd().userStories[0]?.passes).toBe(true);
  });

  test("a story without checks passes with the marker and a change, and is labelled", async () => {
    using world = loopWorld({ stories: [{}] });
    const run = await world.run({ script: `echo finished >work.txt\n${DONE}` });
    expect(run.outcome).toEqual({
      code: 0,
      verdict: "done",
      reason: "The story passes, 0 proven by checks, 1 unverified.",
      iterations: 1,
      stories: { "S-1": "unverified" },
    });
    expect([world.subjects(), world.status(), await world.receipts()]).toEqual([["S-1: Story S-1"], [], []]);
  });

  test("a story without checks does not pass with the marker alone", async () => {
    using world = loopWorld({ stories: [{}] });
    const run = await world.run("lies");
    expect(run.outcome).toEqual({
      code: 1,
      verdict: "stalled",
      reason: "The agent said 3 times in a row that it was done, but S-1 is open.",
      iterations: 3,
      stories: OPEN,
    });
    expect(run.cheats).toEqual(Array(3).fill("empty-claim: The agent says S-1 is done, but nothing was changed."));
  });

  test("a story without checks does not pass with a change alone", async () => {
    using world = loopWorld({ stories: [{}] });
    const run = await world.run({ script: "echo half >work.txt\n" }, { flags: ["--max-iterations", "1"] });
    expect(run.outcome).toMatchObject({ verdict: "budget", stories: OPEN });
    expect(world.subjects()).toEqual([]);
  });
});

describe.concurrent("quotas", () => {
  test("a quota that is free again soon is waited for", async () => {
    using world = loopWorld({ stories: STORIES, files: TEST });
    world.workspace.write("plan/work.txt", "finished\n");
    const soon = `export AGENT_UNTIL="$(node -p 'new Date(Date.now() + 3000).toISOString()')"`;
    const run = await world.run(
      { script: `${soon}; exec sh ${agentProgram("reports-quota")}\n` },
      {
        flags: ["--transcript", "rtf1", "--max-iterations", "1"],
        environment: {
          AGENT_COUNT: `${world.workspace.root}/count`,
          AGENT_PLAN: `${world.workspace.root}/plan`,
        },
      },
    );
    const [first] = run.records;
    const until = first?.ending.type === "quota" ? (first.ending.until ?? "") : "";
    expect(run.outcome).toEqual({ ...VERIFIED, iterations: 2 });
    expect(run.of("waiting").map(({ until, reason }) => ({ until, reason }))).toEqual([
      { until, reason: "the weekly limit is used up." },
    ]);
    const second = run.of("iteration-started")[1]?.time ?? "";
    expect(Date.parse(second)).toBeGreaterThanOrEqual(Date.parse(until));
  });

  test("with --max-wait 0 the run ends at once and says when the quota is free again", async () => {
    using world = loopWorld({ stories: STORIES, files: TEST });
    const until = new Date(Date.now() + 60_000).toISOString();
    const run = await world.run("reports-quota", {
      flags: ["--transcript", "rtf1", "--max-wait", "0"],
      environment: { AGENT_UNTIL: until },
    });
    expect(run.outcome).toEqual({
      code: 1,
      verdict: "quota-wait",
      reason:
        "the weekly limit is used up. That is longer than the 0 minutes a run waits (--max-wait). Start it again later.",
      iterations: 1,
      stories: OPEN,
    });
    expect([run.verdict.until, run.of("waiting")]).toEqual([until, []]);
  });
});

describe.concurrent("an agent that prints without measure", () => {
  const PEAK = (file: string) => ["--on-verdict", `grep VmHWM /proc/$PPID/status >${file}`];
  const peakMegabytes = (world: LoopWorld) => Number(/\d+/.exec(world.workspace.read("peak"))?.[0]) / 1024;
  const through = (reader: string) => `{ "$@"; echo $? >"$TMPDIR/code"; } | ${reader}; exit "$(cat "$TMPDIR/code")"`;

  test("a million lines are passed on and kept, in bounded memory", async () => {
    using world = loopWorld({ stories: STORIES, files: TEST });
    const run = await world.run("prints-million", {
      flags: ["--max-iterations", "1", ...PEAK(`${world.workspace.root}/peak`)],
      throughShell: through(`{ tee /dev/fd/3 | grep -v '"type":"transcript"'; } 3>"$TMPDIR/lines"`),
    });
    expect(run.outcome).toMatchObject({ verdict: "budget", iterations: 1, stories: OPEN });
    expect(run.cheats).toEqual(["empty-claim: The agent says S-1 is done, but nothing was changed."]);
    expect(peakMegabytes(world)).toBeLessThan(160);
    const [log = ""] = world.workspace.find("ralph-home/data/loops/*/iterations/0001.log");
    for (const file of [log, "lines"]) {
      const kept = world.workspace
        .read(file)
        .split("\n")
        .filter((line) => line.includes("what the agent did"));
      expect(kept).toHaveLength(1_000_000);
    }
  });

  test("a reader that does not read holds up the agent and not the memory, and gets everything in the end", async () => {
    using world = loopWorld({ stories: [{ checks: ["sh test.sh"] }] });
    const { root } = world.workspace;
    execFileSync("mkfifo", [`${root}/release`]);
    // The check, which comes after the agent, lets the reader begin.
    world.write("test.sh", `echo >${root}/release; exit 1\n`);
    world.git("add", "test.sh");
    world.git("commit", "--quiet", "--message", "check");
    const run = await world.run("prints-forever", {
      flags: ["--max-iterations", "1", "--iteration-timeout", "1", ...PEAK(`${root}/peak`)],
      throughShell: through(`{ read go <"$TMPDIR/release"; grep -v '"type":"transcript"'; }`),
    });
    expect(run.outcome).toMatchObject({ verdict: "budget", iterations: 1, stories: OPEN });
    expect(run.records[0]?.ending).toEqual({ type: "timed-out", afterSeconds: 1 });
    expect(peakMegabytes(world)).toBeLessThan(160);
  });
});
