import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type LiveLoop, type LoopEnd, startLoop } from "../support/live-loop.ts";
import { type LoopWorld, loopWorld, TASK } from "../support/loop-world.ts";
import { runRalph, startRalph } from "../support/run-ralph.ts";
import { mountSmallDisk } from "../support/small-disk.ts";

setDefaultTimeout(60_000);

// Every way a run is ended from outside, and agents that do not end by themselves.

const smallDisk = mountSmallDisk();

const stopped = (code: number): LoopEnd => ({
  code,
  verdict: "stopped",
  reason: "A person stopped it. 1 of 1 stories are open.",
  stderr: "",
  left: [],
});

const ralphStop = async (world: LoopWorld) => {
  const { code } = await runRalph(["stop", "demo"], { workspace: world.workspace });
  if (code !== 0) throw new Error(`ralph stop ended with ${code}`);
};

/** An agent with children, one of them in a session of its own. */
const FAMILY = { script: "cat >/dev/null\nsleep 600 & setsid sleep 600 & echo here\nsleep 600\n" };

describe("a run that is stopped ends everything it started and says so", () => {
  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 1],
    ["SIGHUP", 1],
  ] as const)("by %s, with exit code %i", async (signal, code) => {
    using world = loopWorld({ stories: [{}] });
    await using loop = startLoop(world, { agent: FAMILY });
    await loop.waitForOutput("here");
    loop.kill(signal);
    expect(await loop.ended()).toEqual(stopped(code));
  });

  test("by a second SIGINT at once, although its agent ignores all signals", async () => {
    using world = loopWorld({ stories: [{}] });
    await using loop = startLoop(world, { agent: "ignores-term" });
    await loop.waitForOutput("ready");
    loop.kill("SIGINT");
    await loop.waitFor("stop-requested");
    loop.kill("SIGINT");
    const { code, left } = await loop.ended();
    expect([code, left]).toEqual([130, []]);
  });

  test("by `ralph stop` while its agent works, however the agent holds on", async () => {
    using world = loopWorld({ stories: [{}] });
    await using loop = startLoop(world, { agent: "ignores-term" });
    await loop.waitForOutput("ready");
    await ralphStop(world);
    expect(await loop.ended()).toEqual(stopped(1));
  });

  test("by `ralph stop` while checks run; what they would have said counts for nothing", async () => {
    using world = loopWorld({
      stories: [{ checks: ["sh check.sh"] }],
      files: { "check.sh": "test -f work.txt || exit 1\nsleep 600 & sleep 600\n" },
    });
    await using loop = startLoop(world, { agent: { script: "cat >/dev/null\necho work >work.txt\n" } });
    await loop.waitFor("checks-started");
    await ralphStop(world);
    const end = await loop.ended();
    expect([end, world.subjects(), world.prd().userStories[0]?.passes]).toEqual([stopped(1), [], false]);
  });

  test("by `ralph stop` while all that passes is checked once more", async () => {
    const files = {
      "one.sh": "test -f S-1.txt || exit 1\ntest ! -f S-2.txt || sleep 600\n",
      "two.sh": "test -f S-2.txt\n",
    };
    using world = loopWorld({ stories: [{ checks: ["sh one.sh"] }, { checks: ["sh two.sh"] }], files });
    // In the order of the stories, so that the first is proven before its check would wait.
    await using loop = startLoop(world, { agent: { script: 'cat >/dev/null\n: >"$RALPH_STORY.txt"\n' } });
    await loop.waitFor("iteration-ended", 2);
    await ralphStop(world);
    const reason = "A person stopped it while all that passes was checked once more.";
    expect([await loop.ended(), world.prd().userStories.map(({ passes }) => passes)]).toEqual([
      { ...stopped(1), reason },
      [true, true],
    ]);
  });

  test("by `ralph stop` while it waits for a quota", async () => {
    using world = loopWorld({ stories: [{}] });
    await using loop = startLoop(world, {
      agent: "reports-quota",
      flags: ["--transcript", "rtf1"],
      environment: { AGENT_UNTIL: new Date(Date.now() + 3_600_000).toISOString(), AGENT_TIMES: "9" },
    });
    await loop.waitFor("waiting");
    await ralphStop(world);
    expect(await loop.ended()).toEqual(stopped(1));
  });

  test("by `ralph stop` while a person has taken over; the verdict is still the last word", async () => {
    using world = loopWorld({ stories: [{}] });
    await using loop = startLoop(world, { agent: { script: "echo here\nsleep 600\n" } });
    await loop.waitForOutput("here");
    using client = await loop.client();
    const request = { jsonrpc: "2.0", id: 1, method: "set_interactive_mode", params: { enabled: true } };
    expect(await client.ask(request)).toEqual({ jsonrpc: "2.0", id: 1, result: { interactive_mode: true } });
    await ralphStop(world);
    expect(await loop.ended()).toEqual(stopped(1));
    const switches = loop.entries().flatMap((entry) => (entry.type === "interactive" ? entry.enabled : []));
    expect(switches).toEqual([true, false]);
  });
});

test("a checkpoint lets the iteration finish; the next run goes on with the same count", async () => {
  using world = loopWorld({ stories: [{ checks: ["test -f S-1.txt"] }, { checks: ["test -f S-2.txt"] }] });
  const agent = {
    script: 'cat >/dev/null\necho here\nwhile [ ! -f "$HOME/go" ]; do sleep 0.02; done\n: >$RALPH_STORY.txt\n',
  };
  await using loop = startLoop(world, { agent });
  await loop.waitForOutput("here");
  expect((await runRalph(["checkpoint", "demo"], { workspace: world.workspace })).code).toBe(0);
  world.workspace.write("user/go", "");
  const first = await loop.ended();
  expect([first.code, first.verdict, world.subjects()]).toEqual([1, "checkpointed", ["S-1: Story S-1"]]);
  await using again = startLoop(world, { agent });
  const second = await again.ended();
  const iterations = again.entries().flatMap((entry) => (entry.type === "iteration-started" ? entry.iteration : []));
  expect([second.code, second.verdict, iterations, again.entries()[0]?.type]).toEqual([0, "done", [2], "run-resumed"]);
  expect(world.subjects()).toEqual(["S-1: Story S-1", "S-2: Story S-2"]);
});

describe("an agent that does not end by itself", () => {
  const endings = (loop: LiveLoop) =>
    loop.entries().flatMap((entry) => (entry.type === "agent-ended" ? [entry.ending] : []));

  test("is ended after --idle-timeout without a word, with all it started", async () => {
    using world = loopWorld({ stories: [{}] });
    const agent = { script: "setsid sleep 600 & sleep 600\n" };
    await using loop = startLoop(world, { agent, flags: ["1", "--idle-timeout", "1"] });
    const { code, verdict, left } = await loop.ended();
    expect([code, verdict, left, endings(loop)]).toEqual([1, "budget", [], [{ type: "idle", afterSeconds: 1 }]]);
  });

  test("is ended after --iteration-timeout, however much it prints and ignores; what it did still counts", async () => {
    using world = loopWorld({ stories: [{ checks: ["test -f work.txt"] }] });
    const script = "trap '' TERM INT HUP\n: >work.txt\nwhile :; do echo and on; sleep 0.05; done\n";
    await using loop = startLoop(world, { agent: { script }, flags: ["1", "--iteration-timeout", "1"] });
    const { code, verdict, left } = await loop.ended();
    expect([code, verdict, left, endings(loop)]).toEqual([0, "done", [], [{ type: "timed-out", afterSeconds: 1 }]]);
  });

  test("but leaves a daemon that holds its pipes does not hold up the run, and the daemon is ended", async () => {
    using world = loopWorld({ stories: [{}] });
    const pids = join(world.workspace.root, "pids");
    await using loop = startLoop(world, { agent: "forks-daemon", flags: ["1"], environment: { AGENT_PIDS: pids } });
    const { code, left } = await loop.ended();
    expect([code, left, endings(loop), isRunning(pids)]).toEqual([1, [], [{ type: "finished" }], false]);
  });

  /** What has ended and only waits for whoever adopted it does not run. */
  function isRunning(file: string): boolean {
    const path = `/proc/${readFileSync(file, "utf8").trim()}/stat`;
    return existsSync(path) && !/\) [ZX] /.test(readFileSync(path, "utf8"));
  }
});

describe("the breaker", () => {
  const agent = { script: 'cat >/dev/null\n[ -f "$HOME/mended" ] || exit 1\n: >work.txt\n' };
  const stories = [{ checks: ["test -f work.txt"] }];

  test("opens when every agent failed, tries once more after --cool-down, and goes on when that works", async () => {
    using world = loopWorld({ stories });
    await using loop = startLoop(world, { agent, flags: ["--cool-down", "0.5"] });
    await loop.waitFor("breaker");
    world.workspace.write("user/mended", "");
    const { code, verdict } = await loop.ended();
    const states = loop.entries().flatMap((entry) => (entry.type === "breaker" ? entry.state : []));
    expect([code, verdict, states]).toEqual([0, "done", ["open", "half-open"]]);
  });

  test("that was open when the loop was killed does not stand in the way of the next", async () => {
    using world = loopWorld({ stories });
    {
      await using loop = startLoop(world, { agent, flags: ["--cool-down", "600"] });
      await loop.waitFor("waiting");
      loop.kill("SIGKILL");
      await loop.exited;
    }
    world.workspace.write("user/mended", "");
    await using again = startLoop(world, { agent, flags: ["--cool-down", "600"] });
    const { code, verdict } = await again.ended();
    expect([code, verdict]).toEqual([0, "done"]);
  });
});

test("a reader that goes away does not end the run: it goes on unseen to its verdict", async () => {
  using world = loopWorld({ stories: [{ checks: ["test -f work.txt"] }] });
  const command = world.agent("cat >/dev/null\nseq 20000\n: >work.txt\nseq 20000\n");
  const ralph = startRalph(["run", TASK, "--ai-raw", "--sleep", "0", "--agent-cmd", command], {
    workspace: world.workspace,
    throughShell: '{ "$@"; echo "exit $?" >&2; } | head -1',
  });
  const { stdout, stderr } = await ralph.exited;
  expect([stdout.split("\n").length, stderr, world.subjects()]).toEqual([2, "exit 0\n", ["S-1: Story S-1"]]);
});

test.skipIf(smallDisk === undefined)(
  "a data folder on a full disk ends the run with its reason and exit code 1, and it goes on when there is room (skipped where a tmpfs cannot be mounted)",
  async () => {
    using world = loopWorld({ stories: [{ checks: ["test -f work.txt"] }] });
    const home = smallDisk ?? "";
    rmSync(join(home, "ballast"));
    const agent = { script: 'cat >/dev/null\n[ -f "$HOME/room" ] && exec touch work.txt\nseq 40000\n' };
    await using loop = startLoop(world, { agent, environment: { RALPH_HOME: home }, flags: ["9"] });
    const { code, left, stderr } = await loop.ended();
    expect([code, left, world.subjects()]).toEqual([1, [], []]);
    expect(stderr).toMatch(
      /^ralph: The run cannot be kept: .*journal\.jsonl could not be appended to: the disk is full\.\n$/,
    );
    for (const path of new Bun.Glob("data/loops/*/iterations/*.log").scanSync(home)) rmSync(join(home, path));
    world.workspace.write("user/room", "");
    await using again = startLoop(world, { agent, environment: { RALPH_HOME: home }, flags: ["9"] });
    const end = await again.ended();
    expect([end.code, end.verdict, end.stderr, world.subjects()]).toEqual([0, "done", "", ["S-1: Story S-1"]]);
  },
);
