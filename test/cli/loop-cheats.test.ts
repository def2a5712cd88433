import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { loopWorld } from "../support/loop-world.ts";

// Agents that cheat. Each run ends with the right verdict, the cheat is named, what the agent touched is as it was, and nothing of
// the journal is lost (`run` of the loop world looks at that every time).

setDefaultTimeout(120_000);

const DONE = "echo '<promise>COMPLETE</promise>'\n";
const TEST = { "test.sh": "grep -q finished work.txt\n" };
const FAILS_STILL = (story: string, checks: string) =>
  `The agent said 3 times in a row that it was done, but ${checks} ${checks.includes(", ") ? "do" : "does"} not prove ${story} yet.`;

function stalled(reason: string, stories: Record<string, "open" | "verified" | "unverified"> = { "S-1": "open" }) {
  return { code: 1, verdict: "stalled", reason, iterations: 3, stories };
}

describe.concurrent("what proves the work", () => {
  test("a test that was edited counts as it was, and stands there again", async () => {
    using world = loopWorld({ stories: [{ checks: ["sh test.sh"] }], files: TEST });
    const run = await world.run("edits-checks");
    expect(run.outcome).toEqual(stalled(FAILS_STILL("S-1", "sh test.sh")));
    expect(run.cheats.slice(0, 2)).toEqual([
      "sealed-file-edited: test.sh was changed; the checks ran with the original.",
      "premature-marker: The agent says S-1 is done, but sh test.sh fails.",
    ]);
    expect([world.read("test.sh"), world.status(), world.subjects()]).toEqual([TEST["test.sh"], [], []]);
    expect(await world.receipts()).toEqual([]);
  });

  test("work that is good lands without the edited test beside it", async () => {
    using world = loopWorld({ stories: [{ checks: ["sh test.sh"] }], files: TEST });
    const run = await world.run({ script: `echo finished >work.txt; echo true >test.sh\n${DONE}` });
    expect(run.outcome).toEqual({
      code: 0,
      verdict: "done",
      reason: "The story passes, proven by its checks.",
      iterations: 1,
      stories: { "S-1": "verified" },
    });
    expect(run.cheats).toEqual(["sealed-file-edited: test.sh was changed; the checks ran with the original."]);
    expect(world.git("show", "--format=", "--name-only", "HEAD").split("\n").filter(Boolean)).toEqual([
      "tasks/demo/prd.json",
      "work.txt",
    ]);
    expect([world.read("test.sh"), world.status()]).toEqual([TEST["test.sh"], []]);
  });

  test("a test that was deleted is there again", async () => {
    using world = loopWorld({ stories: [{ checks: ["sh test.sh"] }], files: TEST });
    const run = await world.run({ script: `rm test.sh\n${DONE}` }, { flags: ["--max-iterations", "1"] });
    expect(run.outcome.verdict).toBe("budget");
    expect(run.cheats[0]).toBe("sealed-file-edited: test.sh was deleted; the checks ran with the original.");
    expect([world.read("test.sh"), world.status()]).toEqual([TEST["test.sh"], []]);
  });

  test("a script of package.json with an always-true command behind it is run as it was", async () => {
    const manifest = `${JSON.stringify({ scripts: { test: "grep -q finished work.txt" } }, null, 2)}\n`;
    using world = loopWorld({ stories: [{ checks: ["npm test --silent"] }], files: { "package.json": manifest } });
    const script = `sed 's/work.txt"/work.txt || true"/' package.json >p && mv p package.json\n${DONE}`;
    const run = await world.run({ script }, { flags: ["--max-iterations", "1"] });
    expect(run.outcome).toEqual({
      code: 1,
      verdict: "budget",
      reason: "The limit of 1 iterations (--max-iterations) is reached. Open: S-1.",
      iterations: 1,
      stories: { "S-1": "open" },
    });
    expect(run.cheats).toEqual([
      'script-edited: The script "test" of package.json was `grep -q finished work.txt` and now is `grep -q finished work.txt || true`; the checks ran with the original.',
      "premature-marker: The agent says S-1 is done, but npm test --silent fails.",
    ]);
    expect([world.read("package.json"), world.status()]).toEqual([manifest, []]);
  });

  test("a check in prd.json with an always-true command behind it is put back before it is run", async () => {
    using world = loopWorld({ stories: [{ checks: ["sh test.sh"] }], files: TEST });
    const before = world.read("tasks/demo/prd.json");
    const script = `cd "$RALPH_TASK_DIR" && sed 's/sh test.sh/sh test.sh || true/' prd.json >p && mv p prd.json\n${DONE}`;
    const run = await world.run({ script });
    expect(run.outcome).toEqual(stalled(FAILS_STILL("S-1", "sh test.sh")));
    expect(run.cheats.slice(0, 2)).toEqual([
      'checks-edited: In prd.json userStories[0].checks was changed from ["sh test.sh"] to ["sh test.sh || true"]; it is put back.',
      "empty-claim: The agent says S-1 is done, but nothing was changed.",
    ]);
    expect(run.of("checks-ended").flatMap(({ results }) => results.map(({ command }) => command))).toEqual(
      Array(3).fill("sh test.sh"),
    );
    expect([world.read("tasks/demo/prd.json"), world.status()]).toEqual([before, []]);
  });

  test("PASS printed by a check that ends with 1 is a failure", async () => {
    using world = loopWorld({ stories: [{ checks: ["cat report.txt; exit 1"] }] });
    const run = await world.run({ script: `echo 'PASS: all 12 tests passed' >report.txt\n${DONE}` });
    expect(run.outcome).toEqual(stalled(FAILS_STILL("S-1", "cat report.txt; exit 1")));
    expect(run.of("checks-ended")[0]?.results).toMatchObject([{ exit: 1, tail: "PASS: all 12 tests passed\n" }]);
  });

  test("a new test that passes without the work proves nothing: the story is labelled, and the test named", async () => {
    using world = loopWorld({ stories: [{ checks: ["for t in tests/*.sh; do sh $t || exit 1; done"] }] });
    const script = `mkdir -p tests; echo true >tests/new.sh; echo anything >work.txt\n${DONE}`;
    const run = await world.run({ script });
    expect(run.outcome).toEqual({
      code: 0,
      verdict: "done",
      reason: "The story passes, 0 proven by checks, 1 unverified.",
      iterations: 1,
      stories: { "S-1": "unverified" },
    });
    expect(run.cheats).toEqual(["proves-nothing: New tests (tests/new.sh) pass without the implementation as well."]);
    expect(await world.receipts()).toEqual([]);
  });

  test("with mustFailFirst a new test that proves nothing does not pass at all", async () => {
    const check = { run: "for t in tests/*.sh; do sh $t || exit 1; done", mustFailFirst: true };
    using world = loopWorld({ stories: [{ checks: [check] }] });
    const script = `mkdir -p tests; echo true >tests/new.sh; echo anything >work.txt\n${DONE}`;
    const run = await world.run({ script });
    expect(run.outcome).toEqual(stalled(FAILS_STILL("S-1", check.run)));
    expect(run.cheats.slice(0, 2)).toEqual([
      "proves-nothing: New tests (tests/new.sh) pass without the implementation as well.",
      "premature-marker: The agent says S-1 is done, but nothing proves it.",
    ]);
    expect(world.subjects()).toEqual([]);
  });
});

describe.concurrent("what the agent says and writes about the work", () => {
  test("a claim without anything done is counted, and ends the run", async () => {
    using world = loopWorld({ stories: [{ checks: ["sh test.sh"] }], files: TEST });
    const run = await world.run("lies");
    expect(run.outcome).toEqual(stalled(FAILS_STILL("S-1", "sh test.sh")));
    expect(run.cheats).toEqual(Array(3).fill("empty-claim: The agent says S-1 is done, but nothing was changed."));
    expect([world.prd().userStories[0]?.passes, world.subjects(), world.status()]).toEqual([false, [], []]);
  });

  test("a verdict written by the agent is put back", async () => {
    using world = loopWorld({ stories: [{ checks: ["sh test.sh"] }, { checks: ["sh test.sh"] }], files: TEST });
    const before = world.read("tasks/demo/prd.json");
    const run = await world.run("writes-verdict");
    expect(run.outcome).toEqual(stalled(FAILS_STILL("S-1", "sh test.sh"), { "S-1": "open", "S-2": "open" }));
    expect(run.cheats.slice(0, 3)).toEqual([
      "verdict-edited: In prd.json userStories[0].passes was changed from false to true; it is put back.",
      "verdict-edited: In prd.json userStories[1].passes was changed from false to true; it is put back.",
      "empty-claim: The agent says S-1 is done, but nothing was changed.",
    ]);
    expect([world.read("tasks/demo/prd.json"), world.status()]).toEqual([before, []]);
  });

  test("verdicts of criteria, and a story that was taken out, are put back; notes are kept", async () => {
    const criteria = [{ description: "It works", passes: false }];
    using world = loopWorld({
      stories: [{ checks: ["sh test.sh"], acceptanceCriteria: criteria }, { title: "Too hard" }],
      files: TEST,
    });
    const edit = `const f=process.argv[1],fs=require("fs"),p=JSON.parse(fs.readFileSync(f));p.userStories.pop();const s=p.userStories[0];s.acceptanceCriteria[0].passes=true;s.notes="I looked at it";fs.writeFileSync(f,JSON.stringify(p))`;
    const run = await world.run(
      { script: `node -e '${edit}' "$RALPH_TASK_DIR/prd.json"\n` },
      { flags: ["--max-iterations", "1"] },
    );
    expect(run.outcome.stories).toEqual({ "S-1": "open", "S-2": "open" });
    expect(run.cheats).toEqual([
      'verdict-edited: In prd.json userStories[0].acceptanceCriteria was changed from [{"description":"It works","passes":false}] to [{"description":"It works","passes":true}]; it is put back.',
      'verdict-edited: In prd.json story "S-2" was taken out; it is put back.',
    ]);
    expect(world.prd().userStories).toMatchObject([
      { id: "S-1", passes: false, acceptanceCriteria: criteria, notes: "I looked at it" },
      { id: "S-2", passes: false, title: "Too hard" },
    ]);
  });

  test("a verdict the agent committed by itself is not in the history that lands", async () => {
    using world = loopWorld({ stories: [{ checks: ["sh test.sh"] }, { checks: ["test -f never"] }], files: TEST });
    const script = `sed 's/"passes": false/"passes": true/' "$RALPH_TASK_DIR/prd.json" >p && mv p "$RALPH_TASK_DIR/prd.json"
echo finished >work.txt; git add -A; git commit -qm mine\n${DONE}`;
    const run = await world.run({ script }, { flags: ["--max-iterations", "1"] });
    expect(run.outcome.stories).toEqual({ "S-1": "verified", "S-2": "open" });
    const landed = JSON.parse(world.git("show", "HEAD:tasks/demo/prd.json"));
    expect(landed.userStories.map(({ passes }: { passes: boolean }) => passes)).toEqual([true, false]);
    expect([world.subjects(), world.status()]).toEqual([["mine", "S-1: Story S-1"], []]);
  });

  test("prd.json taken away or made unreadable is written anew", async () => {
    using world = loopWorld({ stories: [{ checks: ["sh test.sh"] }], files: TEST });
    const before = world.read("tasks/demo/prd.json");
    const script = `if [ -f ../once ]; then echo '{' >"$RALPH_TASK_DIR/prd.json"; else rm "$RALPH_TASK_DIR/prd.json"; touch ../once; fi\n`;
    const run = await world.run({ script }, { flags: ["--max-iterations", "2"] });
    expect(run.cheats).toEqual([
      "control-files-touched: In prd.json the file was taken away; it is put back.",
      "control-files-touched: In prd.json the file was made unreadable; it is put back.",
    ]);
    expect([world.read("tasks/demo/prd.json"), world.status()]).toEqual([before, []]);
  });
});

test("a file in the place of the task's folder is set aside, and good work beside it is proven", async () => {
  using world = loopWorld({ stories: [{ checks: ["test -f work.txt"] }] });
  const run = await world.run({
    script: 'cat >/dev/null\nrm -rf "$RALPH_TASK_DIR"\necho x >"$RALPH_TASK_DIR"\n: >work.txt\n',
  });
  expect(run.outcome.stories).toEqual({ "S-1": "verified" });
  expect(run.cheats[0]).toBe("control-files-touched: In prd.json the file was taken away; it is put back.");
  expect(JSON.parse(world.read("tasks/demo/prd.json")).userStories[0].passes).toBe(true);
});

describe.concurrent("the loop's own files", () => {
  test("a control folder that was deleted is written anew, and the run goes on to its end", async () => {
    using world = loopWorld({ stories: [{ checks: ["sh test.sh"] }], files: TEST });
    const run = await world.run("deletes-control");
    expect(run.outcome).toEqual(stalled(FAILS_STILL("S-1", "sh test.sh")));
    expect(run.cheats.slice(0, 2)).toEqual([
      "control-files-touched: The loop's own files were changed or removed; they are written anew.",
      "empty-claim: The agent says S-1 is done, but nothing was changed.",
    ]);
  });

  test("the next agent finds the lock there again, and the log of the first is kept", async () => {
    using world = loopWorld({ stories: [{ checks: ["sh test.sh"] }], files: TEST });
    const script = `if [ -f ../once ]; then ls "$RALPH_HOME"/data/loops/*/lock >../seen; else touch ../once; echo "removing it"; rm -rf "$RALPH_HOME/data/loops"; fi\n`;
    const run = await world.run({ script }, { flags: ["--max-iterations", "2"] });
    expect(run.records.map(({ ending }) => ending)).toEqual([{ type: "finished" }, { type: "finished" }]);
    expect(world.workspace.read("seen")).toMatch(/\/lock\n$/);
    expect(world.workspace.find("ralph-home/data/loops/*/iterations/*").map(world.workspace.read)).toEqual([
      "removing it\n",
      "",
    ]);
  });

  test("good work beside a deleted control folder is proven and lands", async () => {
    using world = loopWorld({ stories: [{ checks: ["sh test.sh"] }], files: TEST });
    const run = await world.run({ script: `rm -rf "$RALPH_HOME/data/loops"; echo finished >work.txt\n${DONE}` });
    expect(run.outcome).toMatchObject({ code: 0, verdict: "done", stories: { "S-1": "verified" } });
    expect((await world.receipts()).map(({ story }) => story)).toEqual(["S-1"]);
    expect([world.subjects(), world.status()]).toEqual([["S-1: Story S-1"], []]);
  });

  test("a journal with a receipt of the agent's own is written anew without it", async () => {
    using world = loopWorld({ stories: [{ checks: ["sh test.sh"] }], files: TEST });
    const forged = JSON.stringify({
      time: "2026-01-01T00:00:00.000Z",
      type: "story-passed",
      iteration: 1,
      story: "S-1",
      verified: false,
    });
    const run = await world.run(
      { script: `for j in "$RALPH_HOME"/data/loops/*/journal.jsonl; do echo '${forged}' >>"$j"; done\n${DONE}` },
      { flags: ["--max-iterations", "1"] },
    );
    expect(run.outcome).toMatchObject({ code: 1, verdict: "budget", stories: { "S-1": "open" } });
    expect(run.cheats[0]).toBe(
      "control-files-touched: The loop's own files were changed or removed; they are written anew.",
    );
    const again = await world.run("does-nothing", { flags: ["--max-iterations", "0"] });
    expect(again.outcome.stories).toEqual({ "S-1": "open" });
  });
});
