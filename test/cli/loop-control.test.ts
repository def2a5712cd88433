import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { watchFileSignals } from "../../src/loop/control/file-signals.ts";
import { type ControlServer, serveControl } from "../../src/loop/control/serve-control.ts";
import { iterationLog, loopFolder } from "../../src/loop/state/loop-folder.ts";
import { openRegistry } from "../../src/loop/state/registry.ts";
import type { LoopEntry } from "../../src/protocol/loop-entries.ts";
import { systemClock } from "../../src/system/clock.ts";
import { outcomeOf } from "../support/front-door.ts";
import { fakeLoop } from "../support/loop-controls.ts";
import { runInTerminal } from "../support/run-in-terminal.ts";
import { type RalphExit, runRalph, startRalph } from "../support/run-ralph.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

// The loop is a fake one in this process; the commands are real and come over its socket.

const T0 = Date.UTC(2026, 0, 23, 10, 0, 0);

async function world(options: { isServed?: boolean } = {}) {
  const workspace = tempWorkspace();
  const data = join(workspace.home, "data");
  const directory = workspace.write("project/tasks/checkout/prd.json", "{}").replace(/\/prd\.json$/, "");
  const folder = loopFolder(join(data, "loops"), { name: "checkout", directory });
  mkdirSync(join(folder, "iterations"), { recursive: true });
  const loop = fakeLoop({ taskDirectory: directory });
  const opened = await openRegistry({ database: join(data, "ralph.db"), now: () => T0 + 90_000 });
  if (!opened.ok) throw new Error(opened.message);
  const { registry } = opened;
  await registry.begin({
    folder,
    taskName: "checkout",
    taskDirectory: directory,
    agent: "claude",
    startedAt: T0,
    iteration: 3,
    maxIterations: 50,
    currentStory: "US-003",
    socket: join(data, "sockets/checkout.sock"),
  });
  let server: ControlServer | undefined;
  if (options.isServed !== false) {
    const served = await serveControl({
      directory: join(data, "sockets"),
      name: "checkout",
      controls: loop.controls,
      clock: systemClock,
    });
    if (!served.ok) throw new Error(served.message);
    ({ server } = served);
  }
  return {
    ...loop,
    workspace,
    data,
    directory,
    folder,
    registry,
    get server(): ControlServer {
      if (server === undefined) throw new Error("not served");
      return server;
    },
    run: (args: string[], stdin?: string): Promise<RalphExit> =>
      runRalph(args, { workspace, ...(stdin === undefined ? {} : { stdin }) }),
    start: (args: string[]) => startRalph(args, { workspace }),
    inTerminal: (args: string[], environment: Record<string, string> = {}) =>
      runInTerminal(args, { workspace, environment: { TERM: "xterm", ...environment } }),
    async [Symbol.asyncDispose]() {
      await server?.stop();
      await registry.close();
      workspace.stop();
    },
  };
}

describe("ralph stop, checkpoint and inject", () => {
  test("reach the loop by name or by folder", async () => {
    await using loop = await world();
    expect(outcomeOf(await loop.run(["stop", "checkout"]))).toEqual({
      code: 0,
      stdout: "checkout ends its agent and stops; what was done stays. Go on later: ralph run\n",
      stderr: "",
    });
    expect(outcomeOf(await loop.run(["checkpoint", "tasks/checkout"]))).toEqual({
      code: 0,
      stdout: "checkout finishes this iteration and pauses. Go on later: ralph run\n",
      stderr: "",
    });
    expect(outcomeOf(await loop.run(["inject", "checkout", "types", "first"]))).toEqual({
      code: 0,
      stdout: "The next agent of checkout is told first: types first\n",
      stderr: "",
    });
    expect((await loop.run(["inject", "checkout"], "from a pipe\n")).code).toBe(0);
    expect(loop.asked).toEqual(["stop", "checkpoint", "inject types first", "inject from a pipe"]);
  });

  test("say what there is when a name is unknown, missing, or nothing to tell was given", async () => {
    await using loop = await world();
    expect(outcomeOf(await loop.run(["stop", "chekout"]))).toEqual({
      code: 2,
      stdout: "",
      stderr: 'ralph: No loop is called "chekout". Did you mean checkout? Running: checkout.\n',
    });
    expect(outcomeOf(await loop.run(["stop"]))).toEqual({
      code: 2,
      stdout: "",
      stderr: "ralph: Name the task. Running: checkout.\n",
    });
    expect(outcomeOf(await loop.run(["inject", "checkout"]))).toEqual({
      code: 2,
      stdout: "",
      stderr: "ralph: Say what the agent should be told: ralph inject checkout TEXT, or pipe it in.\n",
    });
    loop.refusal.message = "the disk is full";
    expect(outcomeOf(await loop.run(["inject", "checkout", "x"]))).toEqual({
      code: 1,
      stdout: "",
      stderr: "ralph: Internal error: the disk is full\n",
    });
  });

  test("of a loop that is over say how to go on; one without a socket is left a signal, which it takes once", async () => {
    await using loop = await world({ isServed: false });
    const signals = join(loop.data, "signals");
    const seen: string[] = [];
    const taken = Promise.withResolvers<void>();
    const watching = await watchFileSignals({
      directory: signals,
      name: "checkout",
      onSignal: (signal) => {
        seen.push(signal);
        taken.resolve();
      },
    });
    expect(outcomeOf(await loop.run(["stop", "checkout"]))).toEqual({
      code: 0,
      stdout: "checkout has no socket; it was left a stop signal, which it obeys when it sees it.\n",
      stderr: "",
    });
    await taken.promise;
    expect([seen, readdirSync(signals)]).toEqual([["stop"], []]);
    if (watching.ok) watching.stop();
    await loop.registry.change(loop.folder, { status: "checkpointed", verdict: "checkpointed" });
    expect(outcomeOf(await loop.run(["stop", "checkout"]))).toEqual({
      code: 1,
      stdout: "",
      stderr: `ralph: No loop named checkout is running. The last run of checkout is checkpointed. Go on with it: ralph run ${loop.directory}\n`,
    });
    await loop.registry.change(loop.folder, { status: "completed", verdict: "done" });
    expect((await loop.run(["inject", "checkout", "x"])).stderr).toBe(
      "ralph: No loop named checkout is running. The last run of checkout is completed. What it did: ralph receipts checkout\n",
    );
  });
});

describe("ralph status", () => {
  test("lists loops, shows one, and gives both as JSON", async () => {
    await using loop = await world({ isServed: false });
    const listed = await loop.run(["status"]);
    expect(listed.stdout).toMatch(/^checkout {2}running {2}3\/50 {2}US-003 {2}.+ago {2}…?.*\n$/);
    const json = {
      task_name: "checkout",
      task_dir: loop.directory,
      pid: process.pid,
      agent: "claude",
      status: "running",
      started_at: "2026-01-23T10:00:00.000Z",
      updated_at: "2026-01-23T10:01:30.000Z",
      iteration: 3,
      max_iterations: 50,
      current_story: "US-003",
      socket: join(loop.data, "sockets/checkout.sock"),
      folder: loop.folder,
    };
    expect(JSON.parse((await loop.run(["status", "--json"])).stdout)).toEqual(json);
    expect(JSON.parse((await loop.run(["status", "checkout", "--json"])).stdout)).toEqual(json);
    expect((await loop.run(["status", "checkout"])).stdout).toBe(
      [
        `task       checkout (${loop.directory})`,
        "status     running",
        "iteration  3 of 50",
        "story      US-003",
        "agent      claude",
        `process    ${process.pid}`,
        "started    2026-01-23 10:00",
        "updated    2026-01-23 10:01",
        `kept in    ${loop.folder}`,
        "",
      ].join("\n"),
    );
  });

  test("says how to begin where there is nothing", async () => {
    using workspace = tempWorkspace();
    expect(outcomeOf(await runRalph(["status"], { workspace }))).toEqual({
      code: 0,
      stdout: "There are no loops yet. Start one: ralph run TASK-FOLDER\n",
      stderr: "",
    });
    expect(workspace.find("ralph-home/data/ralph.db*")).toEqual([]);
  });
});

describe("ralph logs and receipts", () => {
  test("show the newest iteration or the one that is named, without what steers a terminal", async () => {
    await using loop = await world();
    expect((await loop.run(["logs", "checkout"])).stderr).toBe("ralph: checkout has no logs yet.\n");
    writeFileSync(iterationLog(loop.folder, 1), "first\n");
    writeFileSync(iterationLog(loop.folder, 12), "\x1b[31mred\x1b[0m\x07 \x1b]0;title\x07text\r\nno end");
    expect(outcomeOf(await loop.run(["logs", "checkout"]))).toEqual({
      code: 0,
      stdout: "red text\nno end\n",
      stderr: "",
    });
    expect((await loop.run(["logs", "checkout", "1"])).stdout).toBe("first\n");
    expect((await loop.run(["logs", "checkout", "7"])).stderr).toBe(
      "ralph: checkout has no log of that iteration. There are: 1 to 12.\n",
    );
    expect((await loop.run(["logs", "checkout", "x"])).code).toBe(2);
    writeFileSync(iterationLog(loop.folder, 13), `${"a line of a long log\n".repeat(100_000)}the last\n`);
    const long = await loop.run(["logs", "checkout"]);
    expect([long.stdout.length < 1_100_000, long.stdout.startsWith("a line of"), long.stdout.slice(-9)]).toEqual([
      true,
      true,
      "the last\n",
    ]);
    expect(long.stderr).toBe(
      `ralph: Only the last 1.0 MB are shown. The whole log: ${iterationLog(loop.folder, 13)}\n`,
    );
  });

  test("--follow goes on through the iterations until the loop ends", async () => {
    await using loop = await world();
    writeFileSync(iterationLog(loop.folder, 1), "one\n");
    await using ralph = loop.start(["logs", "checkout", "--follow"]);
    await ralph.waitForOutput("one\n");
    writeFileSync(iterationLog(loop.folder, 1), "two\nhal", { flag: "a" });
    await ralph.waitForOutput("two\n");
    writeFileSync(iterationLog(loop.folder, 1), "f\n", { flag: "a" });
    await ralph.waitForOutput("half\n");
    writeFileSync(iterationLog(loop.folder, 2), "three\n");
    await ralph.waitForOutput("three\n");
    await loop.server.stop();
    expect(outcomeOf(await ralph.exited)).toEqual({
      code: 0,
      stdout: "one\ntwo\nhalf\n--- iteration 2 ---\nthree\n",
      stderr: "",
    });
  });

  test("receipts are those of the newest run", async () => {
    await using loop = await world();
    const time = "2026-01-23T10:00:00.000Z";
    const run = (id: string): LoopEntry => ({
      time,
      type: "run-started",
      version: 1,
      run: id,
      task: "checkout",
      directory: loop.directory,
      root: loop.workspace.project,
      runners: ["claude"],
      limits: { iterations: 50, minutes: 60, waitMinutes: 60, coolDownSeconds: 60 },
    });
    const receipt = (id: string, passesWithout: boolean) => ({
      version: 1,
      id,
      run: "two",
      iteration: 2,
      story: "US-001",
      commit: "0123456789abcdef0123",
      tree: "fedcba",
      command: "npm test",
      exit: 0,
      logDigest: "sha256:00",
      time,
      checks: [
        { command: "npm test", exit: 0, logDigest: "sha256:00", durationMs: 1234, passesWithout, tail: "\x1b[32mok" },
      ],
    });
    const entries = [
      run("one"),
      { time, type: "receipt", receipt: receipt("old", false) },
      run("two"),
      { time, type: "receipt", receipt: receipt("new", true) },
    ];
    writeFileSync(join(loop.folder, "journal.jsonl"), `${entries.map((entry) => JSON.stringify(entry)).join("\n")}\n`);
    const json = await loop.run(["receipts", "checkout", "--json"]);
    expect([JSON.parse(json.stdout), json.stdout.includes("\x1b")]).toEqual([receipt("new", true), false]);
    expect(outcomeOf(await loop.run(["receipts", loop.directory]))).toEqual({
      code: 0,
      stdout:
        "US-001  receipt new  commit 012345678  iteration 2  2026-01-23 10:00\n  exit 0  1.2 s  npm test  (passes without the work too: proves nothing)\n",
      stderr: "",
    });
  });
});

describe("ralph attach", () => {
  test("shows what was and what comes above a status line, and its keys stop, pause and leave", async () => {
    await using loop = await world();
    for (let line = 1; line <= 30; line++) loop.server.output(`before ${line}`);
    await using terminal = loop.inTerminal(["attach", "checkout"]);
    await terminal.waitForOutput("before 30\n");
    expect(terminal.screen()).not.toContain("before 10\n");
    await terminal.waitForOutput("checkout | iteration 3/50 | US-003 | claude | running | i s c q");
    loop.server.output("live \x1b[31mred\x1b[2J");
    await terminal.waitForOutput("live red\n");
    Object.assign(loop.status, { iteration: 4, currentStory: "US-004" });
    loop.server.stateChanged();
    await terminal.waitForOutput(/4\/50 \| US-004/);
    terminal.type("c");
    await terminal.waitForOutput("pausing");
    terminal.type("s");
    await terminal.waitForOutput("stopping");
    terminal.type("\x1b[A");
    terminal.type("q");
    const { code, screen } = await terminal.exited;
    expect([code, loop.asked]).toEqual([0, ["checkpoint", "stop"]]);
    expect(screen).toEndWith("ralph: Left; the loop checkout goes on.\n");
  });

  test("hands the terminal to the agent's program and takes it back with Esc or when the program ends", async () => {
    await using loop = await world();
    loop.screen.data = "\x1b[1mwelcome to the agent\x1b[0m";
    await using terminal = loop.inTerminal(["attach", "checkout"]);
    await terminal.waitForOutput("iteration 3/50");
    terminal.type("i");
    await terminal.waitForOutput("\x1b[1mwelcome to the agent");
    expect(terminal.screen()).toContain("\x1b[?1049h");
    loop.server.pty(Buffer.from("\x1b[5;5Hraw bytes"));
    await terminal.waitForOutput("\x1b[5;5Hraw bytes");
    const waitAsked = async (text: string) => {
      while (!loop.asked.includes(text)) await Bun.sleep(5);
    };
    terminal.type("qi");
    await waitAsked('write "qi"');
    terminal.type("\x1b[A");
    await waitAsked('write "\\u001b[A"');
    terminal.type("\x1b\x1b");
    await waitAsked('write "\\u001b"');
    terminal.type("\x1b");
    await terminal.waitForOutput("Giving back");
    await waitAsked("interactive false");
    terminal.type("i");
    await waitAsked("interactive false");
    const entered = () => terminal.screen().split("welcome to the agent").length - 1;
    while (entered() < 2) await Bun.sleep(5);
    loop.status.interactive = false;
    loop.server.stateChanged();
    await terminal.waitForOutput("The agent's terminal is closed; the loop goes on.");
    terminal.type("q");
    const { code, screen } = await terminal.exited;
    const after = screen.slice(screen.lastIndexOf("\x1b[?1049h"));
    expect([code, after.includes("\x1b[?1049l"), after.includes("\x1b[?25h")]).toEqual([0, true, true]);
  });

  test("follows the size of the terminal, in its own line and in the program's", async () => {
    await using loop = await world();
    loop.screen.data = "program";
    await using terminal = loop.inTerminal(["attach", "checkout"]);
    await terminal.waitForOutput("checkout | iteration 3/50 | US-003 | claude | running | i s c q");
    terminal.resize(40, 12);
    // The old status is two rows now.
    await terminal.waitForOutput("running | i s c q\x1b[1A\x1b[J");
    await terminal.waitForOutput("\x1b[J3/50 | US-003 | i s c q");
    terminal.type("i");
    await terminal.waitForOutput("\x1b[Hprogram");
    expect(loop.asked).toEqual(["resize 40x12", "interactive true"]);
    terminal.resize(100, 30);
    while (!loop.asked.includes("resize 100x30")) await Bun.sleep(5);
    terminal.type("\x1d");
    await terminal.waitForOutput("i take over  s stop  c checkpoint  q leave");
    terminal.type("q");
    expect((await terminal.exited).code).toBe(0);
  });

  test("ends well with the loop", async () => {
    const loop = await world();
    await using terminal = loop.inTerminal(["attach", "checkout"]);
    await terminal.waitForOutput("iteration 3/50");
    loop.server.output("the end");
    loop.status.status = "completed";
    loop.server.stateChanged();
    await loop.server.stop();
    const { code, screen } = await terminal.exited;
    expect([code, screen.includes("the end\n")]).toEqual([0, true]);
    expect(screen).toEndWith("ralph: The loop checkout is completed.\n");
    await loop[Symbol.asyncDispose]();
  });

  test("without a terminal it prints lines until the loop is gone", async () => {
    await using loop = await world();
    loop.server.output("before");
    await using ralph = loop.start(["attach", "checkout"]);
    await ralph.waitForOutput("before\n");
    loop.server.output("\x1b[1mafter");
    await ralph.waitForOutput("after\n");
    await loop.server.stop();
    expect(outcomeOf(await ralph.exited)).toEqual({
      code: 1,
      stdout: "before\nafter\n",
      stderr:
        "ralph: The connection to checkout was lost: its process ended without a word. Look: ralph status checkout\n",
    });
  });

  test("puts the terminal back when it is terminated in the middle of a program", async () => {
    await using loop = await world();
    loop.screen.data = "program";
    await using terminal = loop.inTerminal(["attach", "checkout"]);
    await terminal.waitForOutput("iteration 3/50");
    terminal.type("i");
    await terminal.waitForOutput("\x1b[Hprogram");
    process.kill(terminal.pid, "SIGTERM");
    const { code, screen } = await terminal.exited;
    expect([code, screen.includes("\x1b[?1049l")]).toEqual([0, true]);
    while (!loop.asked.includes("interactive false")) await Bun.sleep(5);
  });
});
