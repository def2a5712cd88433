import { describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { agentProgram } from "../support/agent-programs.ts";
import { startLoop } from "../support/live-loop.ts";
import { loopWorld, TASK } from "../support/loop-world.ts";
import { rawClient } from "../support/raw-client.ts";
import { type LiveRalph, runRalph, startRalph } from "../support/run-ralph.ts";
import { type TempWorkspace, tempWorkspace } from "../support/temp-workspace.ts";

// Loops beside each other, and clients that do nobody good.

const LIMIT_MS = 120_000;

/** Works when it is let go. */
const WAITS = { script: 'cat >/dev/null\necho here\nwhile [ ! -f "$HOME/go" ]; do sleep 0.02; done\n: >work.txt\n' };
const STORIES = [{ checks: ["test -f work.txt"] }];

describe("two loops", () => {
  test("on one task: the second is refused and the first goes on unharmed", async () => {
    using world = loopWorld({ stories: STORIES });
    await using loop = startLoop(world, { agent: WAITS });
    await loop.waitForOutput("here");
    await using second = startLoop(world, { agent: WAITS });
    expect(await second.ended()).toEqual({
      code: 1,
      verdict: undefined,
      reason: undefined,
      stderr: `ralph: A loop works on demo already (process ${loop.pid}). Watch it with \`ralph attach demo\`, end it with \`ralph stop demo\`.\n`,
      left: [],
    });
    expect((await runRalph(["status", "demo"], { workspace: world.workspace })).stdout).toMatch(/^status +running$/m);
    world.workspace.write("user/go", "");
    const { code, verdict } = await loop.ended();
    expect([code, verdict, world.subjects()]).toEqual([0, "done", ["S-1: Story S-1"]]);
  });

  test("on tasks of the same name: the second is told to take another, and runs under it", async () => {
    using world = loopWorld({ stories: STORIES });
    using other = loopWorld({ stories: STORIES });
    // One person, two repositories.
    const environment = { RALPH_HOME: world.workspace.home };
    await using loop = startLoop(world, { agent: WAITS });
    await loop.waitForOutput("here");
    await using second = startLoop(other, { agent: WAITS, environment });
    const socket = join(world.workspace.home, "data/sockets/demo.sock");
    expect(await second.ended()).toEqual({
      code: 1,
      verdict: undefined,
      reason: undefined,
      stderr: `ralph: A loop named demo is running already: ${socket} answers. Look at it: ralph status demo. End it: ralph stop demo. Or start this one under another --name.\n`,
      left: [],
    });
    await using third = startLoop(other, { agent: WAITS, environment, flags: ["--name", "demo-2"] });
    await third.waitForOutput("here");
    world.workspace.write("user/go", "");
    other.workspace.write("user/go", "");
    const ends = await Promise.all([loop.ended(), third.ended()]);
    expect(ends.map(({ code, verdict }) => [code, verdict])).toEqual([
      [0, "done"],
      [0, "done"],
    ]);
    expect([world.subjects(), other.subjects()]).toEqual([["S-1: Story S-1"], ["S-1: Story S-1"]]);
  });
});

test(
  "64 loops at once cost no processor time while their agents think, and all of them get done",
  async () => {
    using workspace = tempWorkspace();
    const names = Array.from({ length: 64 }, (_, at) => `task-${at}`);
    const template = tinyTemplate(workspace);
    const loops = names.map((name) => startTiny(workspace, { name, template }));
    await Promise.all(loops.map((loop) => loop.waitForOutput("here", LIMIT_MS)));
    const listed = await runRalph(["status", "--json"], { workspace });
    expect(listed.stdout.match(/"status":"running"/g)?.length).toBe(64);
    const used = await processorTime(
      loops.map(({ pid }) => pid),
      1000,
    );
    workspace.write("user/go", "");
    const ends = await Promise.all(loops.map(({ exited }) => exited));
    expect(ends.filter(({ code }) => code !== 0).map(({ stderr, stdout }) => stderr + stdout)).toEqual([]);
    // A hundredth of a second each is what the clock of the system can tell.
    expect(used).toBeLessThanOrEqual(64);
    expect(names.map((name) => log(workspace, name))).toEqual(names.map(() => ["S-1: Story"]));
  },
  LIMIT_MS,
);

const tinyFolder = (workspace: TempWorkspace, name: string) => join(workspace.root, "many", name);

/** A repository as small as they get; its task is named like its folder. */
function startTiny(workspace: TempWorkspace, { name, template }: { name: string; template: string }): LiveRalph {
  const folder = tinyFolder(workspace, name);
  cpSync(template, folder, { recursive: true });
  renameSync(join(folder, "tasks/template"), join(folder, "tasks", name));
  return startRalph(["run", `tasks/${name}`, "--json", "--agent-cmd", `exec sh ${workspace.root}/agent.sh`], {
    workspace,
    cwd: folder,
    timeoutMs: LIMIT_MS,
  });
}

function tinyTemplate(workspace: TempWorkspace): string {
  const folder = tinyFolder(workspace, "template");
  const story = { id: "S-1", title: "Story", acceptanceCriteria: [], priority: 1, passes: false, notes: "" };
  const task = { schemaVersion: "2.0", userStories: [{ ...story, checks: ["test -f work.txt"] }] };
  workspace.write("many/template/tasks/template/prd.json", JSON.stringify(task));
  workspace.write("many/template/.gitignore", "tasks/\n");
  workspace.write("user/.gitconfig", "[user]\n\tname = Person\n\temail = person@example.com\n");
  const script = 'cat >/dev/null\necho here\nwhile [ ! -f "$HOME/go" ]; do sleep 1; done\n: >work.txt\n';
  workspace.write("agent.sh", script);
  for (const words of [
    ["init", "--quiet", "--template="],
    ["add", "--all"],
    ["commit", "--quiet", "--message", "base"],
  ])
    execFileSync("git", words, { cwd: folder, env: workspace.environment, stdio: "ignore" });
  return folder;
}

function log(workspace: TempWorkspace, name: string): string[] {
  const words = ["log", "--reverse", "--format=%s", "HEAD^..HEAD"];
  return execFileSync("git", words, { cwd: tinyFolder(workspace, name), encoding: "utf8" })
    .trim()
    .split("\n");
}

/** Hundredths of a second of processor time all of them together use within so many milliseconds. */
async function processorTime(pids: readonly number[], ms: number): Promise<number> {
  const total = () => pids.reduce((sum, pid) => sum + ticksOf(pid), 0);
  const before = total();
  await Bun.sleep(ms);
  return total() - before;
}

function ticksOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

test(
  "a client that never reads is sent away, and a million lines come through in bounded memory",
  async () => {
    using world = loopWorld({ stories: [{}] });
    // The agent waits until the client is there.
    const script = `while [ ! -f "$HOME/go" ]; do sleep 0.02; done\nexec sh ${agentProgram("prints-million")}\n`;
    const command = world.agent(`echo here\n${script}`);
    const loop = startRalph(["run", TASK, "1", "--agent-cmd", command, "--ai-raw"], {
      workspace: world.workspace,
      timeoutMs: LIMIT_MS,
      throughShell: '"$@" >"$HOME/output"',
    });
    const output = join(world.workspace.root, "user/output");
    while (
      !(
        await Bun.file(output)
          .text()
          .catch(() => "")
      ).includes("here")
    )
      await Bun.sleep(5);
    using client = await rawClient(join(world.workspace.home, "data/sockets/demo.sock"));
    await client.ask({ jsonrpc: "2.0", id: 1, method: "subscribe", params: { events: ["*"] } });
    client.stopReading();
    world.workspace.write("user/go", "");
    const peak = watchPeak(loop.pid);
    const { code } = await loop.exited;
    client.goOnReading();
    const rest = await client.rest();
    const text = await Bun.file(output).text();
    expect([code, text.includes("line 1 of what"), text.includes("line 1000000 of what")]).toEqual([1, true, true]);
    // It gets a notice where it reads again within two seconds; see hostile-clients.test.ts.
    expect([rest.length < 100_000, JSON.stringify(rest.at(-1)).includes("line 1000000")]).toEqual([true, false]);
    expect(peak()).toBeLessThan(200);
  },
  LIMIT_MS,
);

/** The most megabytes any process below this one has held, looked at while it runs. */
function watchPeak(shell: number): () => number {
  let most = 0;
  const timer = setInterval(() => {
    try {
      const children = readFileSync(`/proc/${shell}/task/${shell}/children`, "utf8").trim().split(" ");
      for (const pid of children) {
        const held = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
        most = Math.max(most, Number(held ?? 0) / 1000);
      }
    } catch {
      // it has ended
    }
  }, 10);
  return () => {
    clearInterval(timer);
    return most;
  };
}
