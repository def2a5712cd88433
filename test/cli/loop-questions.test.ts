import { expect, setDefaultTimeout, test } from "bun:test";
import { type LoopRun, loopWorld } from "../support/loop-world.ts";

// An agent that needs a person. An unanswered question is never "done", and never iterated over.

setDefaultTimeout(120_000);

const DONE = "echo '<promise>COMPLETE</promise>'\n";
const TEST = { "test.sh": "grep -q finished work.txt\n" };
const STORIES = [{ checks: ["sh test.sh"] }];

function blocked(reason: string, iterations = 1): LoopRun["outcome"] {
  return { code: 1, verdict: "blocked-on-human", reason, iterations, stories: { "S-1": "open" } };
}

test.concurrent("the typed marker stops the run with what is needed", async () => {
  using world = loopWorld({ stories: STORIES, files: TEST });
  const run = await world.run("asks");
  expect(run.outcome).toEqual(blocked("S-1 needs an answer: Which database should I use?"));
  expect([world.prd().userStories[0]?.passes, world.subjects(), world.status()]).toEqual([false, [], []]);
});

test.concurrent("a question as an event of the transcript stops it, also after changes, and they stay", async () => {
  using world = loopWorld({ stories: STORIES, files: TEST });
  const question = `printf '@@RALPH@@ {"type":"meta","meta":{"kind":"question","text":"May I delete it?"}}\\n'`;
  const run = await world.run({ script: `echo half >work.txt; ${question}\n` }, { flags: ["--transcript", "rtf1"] });
  expect(run.outcome).toEqual(blocked("S-1 needs an answer: May I delete it?"));
  expect([world.read("work.txt"), world.subjects()]).toEqual(["half\n", []]);
});

test.concurrent("a question does not stand in the way of a story whose checks pass", async () => {
  using world = loopWorld({ stories: STORIES, files: TEST });
  const run = await world.run({ script: "echo finished >work.txt; echo 'Shall I also tidy up?'\n" });
  expect(run.outcome).toMatchObject({ code: 0, verdict: "done", stories: { "S-1": "verified" } });
});

test.concurrent("a question in prose with nothing done stops it", async () => {
  using world = loopWorld({ stories: STORIES, files: TEST });
  const run = await world.run({ script: "echo 'I looked around.'; echo 'Should it be red or blue?'\n" });
  expect(run.outcome).toEqual(blocked("S-1 needs an answer: Should it be red or blue?"));
});

test.concurrent("a question in prose after changes does not: the next agent goes on", async () => {
  using world = loopWorld({ stories: STORIES, files: TEST });
  const script = `if [ -f work.txt ]; then echo finished >work.txt; else echo half >work.txt; echo 'Shall I go on?'; fi\n`;
  const run = await world.run({ script });
  expect(run.outcome).toMatchObject({ code: 0, verdict: "done", iterations: 2, stories: { "S-1": "verified" } });
});

test.concurrent("checks that passed before anything was done are a question to the person", async () => {
  using world = loopWorld({ stories: [{ checks: ["test -f README.md"] }] });
  const run = await world.run("lies");
  expect(run.outcome).toEqual(
    blocked(
      'S-1 needs an answer: its checks (test -f README.md) passed before anything was done, so they prove nothing. Set "passes": true if it is done, or give a check that fails first.',
    ),
  );
  expect(await world.receipts()).toEqual([]);
});

test.concurrent("the same with an agent that says nothing at all", async () => {
  using world = loopWorld({ stories: [{ checks: ["test -f README.md"] }] });
  const run = await world.run("does-nothing");
  expect(run.outcome.verdict).toBe("blocked-on-human");
  expect(run.outcome.reason).toContain("passed before anything was done");
});

test.concurrent("a denial twice, with nothing done, is a question to the person", async () => {
  using world = loopWorld({ stories: STORIES, files: TEST });
  const denied = `printf '@@RALPH@@ {"type":"meta","meta":{"kind":"denied","text":"npm install"}}\\n'\n`;
  const run = await world.run({ script: denied }, { flags: ["--transcript", "rtf1"] });
  expect(run.outcome).toEqual(
    blocked("The agent may not do what it needs: npm install. Allow it with a rule, or do it yourself.", 2),
  );
});

test.concurrent("a denial the agent finds a way around stops nothing", async () => {
  using world = loopWorld({ stories: STORIES, files: TEST });
  const denied = `printf '@@RALPH@@ {"type":"meta","meta":{"kind":"denied","text":"npm install"}}\\n'`;
  const run = await world.run(
    { script: `${denied}; echo finished >work.txt\n${DONE}` },
    { flags: ["--transcript", "rtf1"] },
  );
  expect(run.outcome).toMatchObject({ code: 0, verdict: "done", iterations: 1 });
});
