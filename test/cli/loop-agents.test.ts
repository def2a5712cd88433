import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync } from "node:fs";
import { agentProgram } from "../support/agent-programs.ts";
import { type LoopWorld, linesText, loopWorld, TASK } from "../support/loop-world.ts";
import { runRalph } from "../support/run-ralph.ts";

// Which agent works on a story, and what happens when it fails.

setDefaultTimeout(60_000);

const DONE = "echo '<promise>COMPLETE</promise>'\n";
const FILES = { "test.sh": "grep -q finished work.txt\n" };
const STORIES = [{ checks: ["sh test.sh"] }];
const WORKS = `echo finished >work.txt\n${DONE}`;
const AGENT = (script: string) => `#!/bin/sh\ncat >/dev/null\n${script}`;

/** Ralph with these programs called codex and claude. */
async function runWith(world: LoopWorld, programs: Record<string, string>, flags: string[] = []) {
  for (const [name, script] of Object.entries(programs)) {
    chmodSync(world.workspace.write(`bin/${name}`, AGENT(script)), 0o755);
  }
  const PATH = `${world.workspace.root}/bin:${process.env.PATH}`;
  const always = ["run", TASK, "--json", "--sleep", "0", "--cool-down", "0.05", "--transcript", "plain"];
  const exit = await runRalph([...always, ...flags], { ...world, environment: { PATH }, timeoutMs: 60_000 });
  const lines = linesText(exit.stdout).map((line) => JSON.parse(line));
  const runners = lines.filter(({ type }) => type === "iteration-started").map(({ runner }) => runner);
  return { exit, lines, runners, verdict: lines.at(-1) };
}

describe("the agent of a story", () => {
  test("is what --agent says, else the story's, else the task's, else codex where it is installed", async () => {
    const task = { agent: "claude" };
    using world = loopWorld({ stories: [{ ...STORIES[0], agent: "codex" }, {}], task, files: FILES });
    const once = ["--max-iterations", "2"];
    const programs = { codex: "echo finished >work.txt\n", claude: "true\n" };
    expect((await runWith(world, programs, once)).runners).toEqual(["codex", "claude"]);
    expect((await runWith(world, programs, [...once, "--agent", "codex"])).runners).toEqual(["codex", "codex"]);
    using bare = loopWorld({ stories: STORIES, files: FILES });
    expect((await runWith(bare, programs, once)).runners).toEqual(["codex"]);
  });

  test("hands over after failoverThreshold failures, which progress.txt says", async () => {
    using world = loopWorld({ stories: STORIES, task: { failoverThreshold: 2 }, files: FILES });
    const programs = { codex: "echo 'no network' >&2; exit 1\n", claude: WORKS };
    const run = await runWith(world, programs, ["--agent", "codex,claude"]);
    expect([run.exit.code, run.runners, run.verdict.verdict]).toEqual([0, ["codex", "codex", "claude"], "done"]);
    expect(run.lines.filter(({ type }) => type === "failover")).toMatchObject([{ from: "codex", to: "claude" }]);
    expect(world.read(`${TASK}/progress.txt`)).toMatch(
      /## codex hands over to claude after iteration 2 \(run \w+\)\n- .*no network/,
    );
  });

  test("where all of them fail the run ends, and progress.txt says that too", async () => {
    using world = loopWorld({ stories: STORIES, task: { failoverThreshold: 1 }, files: FILES });
    const fails = "echo 'no network' >&2; exit 1\n";
    const run = await runWith(world, { codex: fails, claude: fails }, ["--agent", "codex,claude"]);
    expect([run.exit.code, run.verdict.verdict]).toEqual([1, "failed"]);
    expect(run.runners.slice(0, 2)).toEqual(["codex", "claude"]);
    const notes = world.read(`${TASK}/progress.txt`);
    expect(notes).toMatch(new RegExp(`## Run \\w+: failed after iteration ${run.runners.length}\n- `));
    expect(notes).toContain(run.verdict.reason);
  });

  test("that says in its signal file that it is idle is ended, and its work counts", async () => {
    using world = loopWorld({ stories: STORIES, files: FILES });
    const plan = world.workspace.write("plan/work.txt", "finished\n").replace(/\/work\.txt$/, "");
    const run = await world.run("stays-open", { environment: { AGENT_PLAN: plan } });
    expect([run.outcome.verdict, run.of("agent-ended")[0]?.session]).toEqual(["done", "open-session"]);
  });
});

test("progress.txt is set aside above 300 lines, and the patterns stay", async () => {
  using world = loopWorld({ stories: STORIES, files: FILES });
  const old = Array.from({ length: 295 }, (_, at) => `line ${at}`).join("\n");
  world.write(`${TASK}/progress.txt`, `# Progress\n\n## Codebase Patterns\n\n- use sh\n\n---\n${old}\n`);
  await world.run({ script: WORKS });
  const now = world.read(`${TASK}/progress.txt`);
  expect(world.read(`${TASK}/progress-1.txt`)).toContain("line 294");
  for (const part of ["# Progress", "## Codebase Patterns\n\n- use sh", "progress-1.txt"]) expect(now).toContain(part);
  expect(now).not.toContain("line 294");
});

test("an agent that prints what nobody expects harms nothing", async () => {
  using world = loopWorld({ stories: STORIES, files: FILES });
  const command = `sh ${agentProgram("prints-garbage")}`;
  const run = await runRalph(["run", TASK, "1", "--sleep", "0", "--agent-cmd", command], world);
  expect(run.code).toBe(1);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters it is about
  expect(run.stdout).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
});
