import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { outcomeOf } from "../support/front-door.ts";
import { linesText, loopWorld, TASK } from "../support/loop-world.ts";
import { runRalph, startRalph } from "../support/run-ralph.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

// Which task, where, how often, and what the process says in the end.

setDefaultTimeout(60_000);

const DONE = "echo '<promise>COMPLETE</promise>'\n";
const FILES = { "test.sh": "grep -q finished work.txt\n" };
const STORIES = [{ checks: ["sh test.sh"] }];
const WORKS = `echo finished >work.txt\n${DONE}`;
const QUICK = ["--sleep", "0", "--cool-down", "0.05"];

describe("ralph run", () => {
  test("says what it does in lines without a single control sequence, whatever the agent prints", async () => {
    using world = loopWorld({ stories: STORIES, files: FILES });
    const noise = "printf '\\033[31mred\\033[0m \\033]0;title\\007\\302\\233 bell\\007\\n'\n";
    const command = world.agent(`${noise}${WORKS}`);
    const run = await runRalph(["run", TASK, ...QUICK, "--agent-cmd", command], world);
    const commit = world.git("rev-parse", "--short=9", "HEAD").trim();
    const [receipt] = await world.receipts();
    const shown = run.stdout.replaceAll(/\d+ ms|\d\.\d s/g, "T");
    expect({ code: run.code, stdout: shown, stderr: run.stderr }).toEqual({
      code: 0,
      stdout: `ralph run demo · custom · branch main · at most 50 iterations, 600 minutes

── 1 S-1 Story S-1 (custom)
AI    red  bell
AI    <promise>COMPLETE</promise>
✓ check sh test.sh · passes · T
✓ S-1 is proven by its checks, commit ${commit}

done: The story passes, proven by its checks.
  ✓ S-1 proven · receipt ${receipt?.id} · commit ${commit}
  1 iteration
`,
      stderr: "",
    });
    const raw = await runRalph(["run", TASK, "1", ...QUICK, "--fresh", "--ai-raw", "--agent-cmd", command], world);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters it is about
    expect(`${run.stdout}${raw.stdout}`).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
  });

  test("--json begins with the run and ends with the verdict", async () => {
    using world = loopWorld({ stories: STORIES, files: FILES });
    const run = await world.run("speaks-rtf1", { flags: ["--transcript", "rtf1", "--max-iterations", "1"] });
    const lines = linesText(run.exit.stdout).map((line) => JSON.parse(line));
    expect(lines.slice(0, 3).map(({ type }) => type)).toEqual(["run-started", "iteration-started", "agent-started"]);
    expect(lines[0]).toMatchObject({
      task: "demo",
      root: world.project,
      branch: "main",
      runners: ["custom"],
      limits: { iterations: 1, minutes: 600, waitMinutes: 360, coolDownSeconds: 0.05 },
    });
    expect(lines.at(-1)).toEqual({
      time: expect.any(String),
      type: "verdict",
      verdict: "budget",
      reason: "The limit of 1 iterations (--max-iterations) is reached. Open: S-1.",
      stories: [{ id: "S-1", passes: false, verified: false }],
      iterations: 1,
      usage: { inputTokens: 1234, outputTokens: 567 },
    });
    expect(run.transcript).toContainEqual({
      type: "transcript",
      iteration: 1,
      event: { type: "text", tag: "AI", text: "The work is done." },
    });
  });

  test("counts iterations: a number, --max-iterations, MAX_ITERATIONS, 10 by itself, 50 with a folder", async () => {
    using world = loopWorld({ stories: STORIES, files: FILES });
    const limit = async (words: string[], environment: Record<string, string> = {}) => {
      const args = ["run", ...words, "--json", "--max-minutes", "0", "--agent-cmd", "true"];
      const run = await runRalph(args, { ...world, environment });
      return JSON.parse(linesText(run.stdout)[0] ?? "{}").limits?.iterations ?? run.stderr;
    };
    expect([await limit([]), await limit([TASK]), await limit(["3"]), await limit(["4", TASK])]).toEqual([
      10, 50, 3, 4,
    ]);
    expect(await limit(["--max-iterations", "5"], { MAX_ITERATIONS: "6" })).toBe(5);
    expect([await limit([], { MAX_ITERATIONS: "6" }), await limit(["7"], { MAX_ITERATIONS: "6" })]).toEqual([6, 7]);
  });

  test("0 iterations start no agent and prove what claims to pass", async () => {
    using world = loopWorld({
      stories: [
        { checks: ["sh test.sh"], passes: true },
        { checks: ["false"], passes: true },
      ],
      files: { ...FILES, "work.txt": "finished\n" },
    });
    const run = await world.run("fails", { flags: ["--max-iterations", "0"] });
    expect(run.outcome).toEqual({
      code: 1,
      verdict: "budget",
      reason: "The limit of 0 iterations (--max-iterations) is reached.",
      iterations: 0,
      stories: { "S-1": "verified", "S-2": "open" },
    });
    expect(world.prd().userStories.map(({ passes }) => passes)).toEqual([true, false]);
  });

  test("says 2 for what makes no sense, and what would", async () => {
    using world = loopWorld({ stories: STORIES, files: FILES });
    const said = async (args: string[], environment: Record<string, string> = {}) => {
      const { code, stdout, stderr } = await runRalph(args, { ...world, environment });
      return [code, stdout, stderr];
    };
    const usage = (message: string) => [2, "", `ralph: ${message}\n`];
    expect(await said(["run", "--", "-1"])).toEqual(
      usage("The number of iterations has to be whole and not below 0, not -1."),
    );
    expect(await said(["understand", "--", "-1"])).toEqual(
      usage('"-1" should be how many iterations there may be: a whole number from 0 on.'),
    );
    expect(await said(["run", "--max-iterations=-1", "--agent-cmd", "true"])).toEqual(
      usage('--max-iterations is "-1"; it should be a number from 0 on.'),
    );
    expect(await said(["run"], { MAX_ITERATIONS: "many", AGENT_CMD: "true" })).toEqual(
      usage('MAX_ITERATIONS is "many"; it should be a number from 0 on.'),
    );
    expect(await said(["run", "tasks/nowhere"])).toEqual(
      usage("There is no tasks/nowhere. Make a task there with: ralph init tasks/nowhere"),
    );
    expect(await said(["run", "--agent", "cursor"])).toEqual(
      usage('The agent "cursor" that --agent names is not known. Use one of ralph, codex, claude, custom.'),
    );
    expect(await said(["run", "--agent", "custom"])).toEqual(
      usage('The agent "custom" needs a command. Give it with --agent-cmd "COMMAND".'),
    );
    expect(await said(["run", "--agent-cmd", "true", "--prompt", "none.md"])).toEqual(
      usage(`${world.project}/none.md could not be read: it does not exist.`),
    );
    expect(await said(["run", "--agent-cmd", "true"], { MODEL_REASONING_EFFORT: "huge" })).toEqual(
      usage('MODEL_REASONING_EFFORT is "huge"; it should be one of off, minimal, low, medium, high, xhigh, max, none.'),
    );
  });

  test("names all problems of a prd.json at once, and starts nothing", async () => {
    using world = loopWorld({ stories: STORIES });
    world.write(`${TASK}/prd.json`, '{"branchName": "", "userStories": [{"id": 1}], "extra": true}');
    const run = await runRalph(["run", TASK, "--agent-cmd", "touch ran"], world);
    expect([run.code, run.stdout, existsSync(join(world.project, "ran"))]).toEqual([2, "", false]);
    expect(linesText(run.stderr).length).toBeGreaterThan(5);
    for (const path of ["branchName", "userStories[0].id", "userStories[0].title", "extra"])
      expect(run.stderr).toContain(path);
  });

  test("lists the tasks where there are several, and says how to make one where there is none", async () => {
    using workspace = tempWorkspace();
    expect(outcomeOf(await runRalph(["run"], { workspace }))).toEqual({
      code: 2,
      stdout: "",
      stderr:
        "ralph: There is no task here: no prd.json, scripts/ralph/prd.json, tasks/*/prd.json or .ralph/tasks/*/prd.json. Make one with: ralph init\n",
    });
    for (const name of ["a", "b"]) workspace.write(`project/tasks/${name}/prd.json`, "{}");
    expect(outcomeOf(await runRalph(["run"], { workspace }))).toEqual({
      code: 2,
      stdout: "",
      stderr: "ralph: There are 2 tasks here. Name one:\n  ralph run tasks/a\n  ralph run tasks/b\n",
    });
  });

  test("works in a folder that is no repository, says so, and makes none there", async () => {
    using world = loopWorld({ stories: STORIES, task: { branchName: "ralph/x" }, files: FILES });
    await Bun.$`rm -rf ${join(world.project, ".git")}`.quiet();
    const run = await world.run({ script: WORKS });
    const [folder] = world.workspace.find("ralph-home/data/loops/*/journal.jsonl").map((path) => {
      return dirname(join(world.workspace.root, path));
    });
    expect(run.outcome).toEqual({
      code: 0,
      verdict: "done",
      reason: "The story passes, proven by its checks.",
      iterations: 1,
      stories: { "S-1": "verified" },
    });
    expect(run.notices).toEqual([
      `${world.project} is no git repository. Its history is kept in ${folder} instead, and nothing is committed here.`,
    ]);
    expect([existsSync(join(world.project, ".git")), world.read("work.txt")]).toEqual([false, "finished\n"]);
  });

  test("a task outside of the repository works at --root, which gets the commits alone", async () => {
    using world = loopWorld({ stories: STORIES, files: FILES });
    const outside = join(world.workspace.root, "elsewhere/shop");
    mkdirSync(outside, { recursive: true });
    writeFileSync(join(outside, "prd.json"), world.read(`${TASK}/prd.json`));
    const args = ["run", outside, "--root", ".", "--name", "other", "--json", ...QUICK];
    const run = await runRalph([...args, "--agent-cmd", world.agent(WORKS)], world);
    expect([run.code, run.stderr]).toEqual([0, ""]);
    expect(JSON.parse(linesText(run.stdout)[0] ?? "")).toMatchObject({
      task: "other",
      directory: realpathSync(outside),
      root: world.project,
    });
    expect(linesText(world.git("show", "--format=", "--name-only", "HEAD"))).toEqual(["work.txt"]);
    expect(await Bun.file(join(outside, "prd.json")).json()).toMatchObject({ userStories: [{ passes: true }] });
    expect(world.prd().userStories[0]?.passes).toBe(false);
    expect(await Bun.file(join(outside, "progress.txt")).text()).toContain("S-1 is proven by its checks");
  });

  test("an interrupt ends the agent, leaves a note and exits 130; SIGTERM exits 1; the next run goes on", async () => {
    using world = loopWorld({ stories: STORIES, files: FILES });
    for (const [signal, code] of [
      ["SIGINT", 130],
      ["SIGTERM", 1],
    ] as const) {
      const args = ["run", TASK, "--json", "--agent-cmd", world.agent("echo begun; exec sleep 3600")];
      await using live = startRalph(args, world);
      await live.waitForOutput("begun");
      live.kill(signal);
      const exit = await live.exited;
      const verdict = JSON.parse(linesText(exit.stdout).at(-1) ?? "{}");
      expect([exit.code, verdict.verdict, verdict.reason]).toEqual([
        code,
        "stopped",
        "A person stopped it. 1 of 1 stories are open.",
      ]);
    }
    const notes = linesText(world.read(`${TASK}/progress.txt`)).filter((line) => line.startsWith("## Run"));
    expect(notes.map((line) => line.replace(/Run \w+/, "Run ID"))).toEqual([
      "## Run ID: stopped after iteration 1",
      "## Run ID: stopped after iteration 1",
    ]);
    expect((await world.run({ script: WORKS })).outcome.verdict).toBe("done");
  });

  test("what one run left half done is the agents' work in the next, and not the person's", async () => {
    using world = loopWorld({ stories: STORIES, files: { ...FILES, "mine.txt": "m\n" } });
    world.write("mine.txt", "mine\n");
    const half = await world.run({ script: "echo half >work.txt\n" }, { flags: ["--max-iterations", "1"] });
    expect(half.outcome.verdict).toBe("budget");
    const run = await world.run({ script: `echo finished >>work.txt\n${DONE}` });
    expect([run.outcome.verdict, run.notices, world.status()]).toEqual(["done", [], [" M mine.txt"]]);
    expect(world.git("show", "HEAD:work.txt")).toBe("half\nfinished\n");
  });

  test("--fresh leaves a run that was cut off behind, and without it it goes on", async () => {
    using world = loopWorld({ stories: STORIES, files: FILES });
    const args = ["run", TASK, "--json", "--agent-cmd", world.agent("echo begun; exec sleep 3600")];
    await using live = startRalph(args, world);
    await live.waitForOutput("begun");
    live.kill("SIGKILL");
    await live.exited;
    const fresh = await world.run("does-nothing", { flags: ["--fresh", "--max-iterations", "0"] });
    expect(fresh.entries.map(({ type }) => type)).toEqual(["run-started", "verdict"]);
  });

  test("--name is how others call the run; --on-verdict is told how it ended", async () => {
    using world = loopWorld({ stories: STORIES, files: FILES });
    const hook = 'printf "%s|%s|%s" "$RALPH_TASK" "$RALPH_VERDICT" "$RALPH_REASON" >hook.txt; echo hooked';
    const args = ["run", TASK, ...QUICK, "--name", "night", "--on-verdict", hook, "--agent-cmd", world.agent(WORKS)];
    const run = await runRalph(args, world);
    expect([run.code, run.stderr]).toEqual([0, "hooked\n"]);
    expect(world.read("hook.txt")).toBe("night|done|The story passes, proven by its checks.");
    const status = await runRalph(["status", "--json"], world);
    expect(status.stdout).toContain('"night"');
    const failing = await runRalph(["run", TASK, "0", "--on-verdict", "exit 3", "--agent-cmd", "true"], world);
    expect(failing.stderr).toBe("ralph: --on-verdict: the command did not succeed within 60 seconds.\n");
  });
});

describe("ralph understand", () => {
  test("needs no prd.json, changes only the map, on its own branch", async () => {
    using world = loopWorld({ stories: STORIES, files: FILES });
    const script = `cat >prompt.seen; mv prompt.seen ${world.workspace.root}/prompt; mkdir -p scripts/ralph; echo map >scripts/ralph/codebase_map.md\n${DONE}`;
    const run = await runRalph(["understand", "2", "--json", ...QUICK, "--agent-cmd", world.agent(script)], world);
    expect([run.code, run.stderr]).toEqual([0, ""]);
    expect(JSON.parse(linesText(run.stdout).at(-1) ?? "")).toMatchObject({
      verdict: "done",
      stories: [{ id: "understanding", passes: true, verified: false }],
    });
    expect(world.git("branch", "--show-current")).toBe("ralph/understanding\n");
    expect(linesText(world.git("diff", "--name-only", "main", "HEAD"))).toEqual(["scripts/ralph/codebase_map.md"]);
    expect([existsSync(join(world.project, "scripts/ralph/prd.json")), world.status()]).toEqual([false, []]);
    expect(world.workspace.read("prompt")).toContain(join(world.project, "scripts/ralph/codebase_map.md"));
  });

  test("ends with 1 and names what else was changed", async () => {
    using world = loopWorld({ stories: STORIES, files: FILES });
    const script = `mkdir -p scripts/ralph; echo map >scripts/ralph/codebase_map.md; echo x >README.md; echo y >new.txt\n${DONE}`;
    const run = await runRalph(["understand", "--json", ...QUICK, "--agent-cmd", world.agent(script)], world);
    expect(run.code).toBe(1);
    expect(JSON.parse(linesText(run.stdout).at(-1) ?? "")).toMatchObject({
      verdict: "failed",
      reason: "The agent changed files outside of what it may (--allowed-paths): README.md, new.txt.",
    });
  });
});
