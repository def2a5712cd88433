import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type CommandSandbox, createCommandSandbox } from "../../src/coder/command-sandbox.ts";
import type { AgentEvent } from "../../src/protocol/agent-events.ts";
import { createJobs } from "../../src/tools/jobs.ts";
import { shellTool } from "../../src/tools/shell.ts";
import type { ToolWorld } from "../../src/tools/tool-world.ts";
import { textAnswer, toolCallAnswer } from "../support/fake-answer.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { openTestCoder, saying } from "../support/open-test-coder.ts";
import { sandboxHere, skipReason } from "../support/sandboxed.ts";
import { type TempWorkspace, tempWorkspace } from "../support/temp-workspace.ts";
import { callTool, textOf, toolWorldIn } from "../support/tool-runs.ts";

const MISSING = { type: "none", reason: "bubblewrap is not installed." } as const;

describe("where there is no sandbox", () => {
  test("it is told once, commands that run code are asked about, and the state says so", async () => {
    await using workspace = tempWorkspace();
    const provider = await startFakeProvider();
    workspace.write("project/Makefile", "all:\n\t@echo made\n");
    const shell = toolCallAnswer({ name: "shell", input: { command: "make -s" } });
    provider.answer(shell, shell, textAnswer("done"));
    const probed: string[] = [];
    const probe = async () => {
      probed.push("probed");
      return MISSING;
    };
    const sandbox = { mode: "auto" as const, probe, folder: join(workspace.home, "data/cache/sandbox") };
    await using coder = await openTestCoder({ workspace, provider, sandbox });
    expect([probed, await standing(coder)]).toEqual([[], "untried"]);
    await coder.call("prompt", { message: saying("go") });
    const { ask } = await coder.next("ask-start");
    await coder.call("answer", { askId: ask.id, answer: "yes" });
    const again = await coder.next("ask-start");
    await coder.call("answer", { askId: again.ask.id, answer: "yes" });
    await coder.next("agent-end");
    const notices = coder.events.filter(({ type }) => type === "notice");
    expect(notices).toEqual([
      {
        type: "notice",
        level: "warning",
        text: "There is no sandbox, so commands run with all your rights, and more of them are asked about. bubblewrap is not installed.",
      },
    ]);
    expect([probed, await standing(coder)]).toEqual([["probed"], "missing"]);
    expect(JSON.stringify(provider.requests.at(-1)?.body)).toContain("made\\nExit code 0.");
    provider.stop();
  });
});

async function standing(coder: { call: Awaited<ReturnType<typeof openTestCoder>>["call"] }): Promise<string> {
  const answer = await coder.call("get_state", {});
  return answer.ok ? answer.result.sandbox : answer.error.message;
}

describe.skipIf(sandboxHere.type !== "bubblewrap")(`where there is one${skipReason}`, () => {
  interface Hands {
    place: TempWorkspace;
    sandbox: CommandSandbox;
    world: ToolWorld;
    events: AgentEvent[];
  }

  function hands(folder = "cache"): Hands {
    const place = tempWorkspace();
    const events: AgentEvent[] = [];
    const sandbox = createCommandSandbox({
      mode: "auto",
      probe: async () => sandboxHere,
      workspace: join(place.root, "workspace"),
      home: join(place.root, "user"),
      own: { config: join(place.home, "config"), data: join(place.home, "data") },
      folder: join(place.home, "data", folder),
      tell: (event) => void events.push(event),
    });
    const world = { ...toolWorldIn(place.root), wrapCommand: (command: Wrapped) => sandbox.wrap(command, []) };
    return { place, sandbox, world, events };
  }
  type Wrapped = Parameters<NonNullable<ToolWorld["wrapCommand"]>>[0];

  test("a command whose sandbox cannot be prepared does not run, neither at once nor as a job", async () => {
    const { place, sandbox, world } = hands("blocked");
    place.write("ralph-home/data/blocked", "a file where the folder should be");
    const jobs = createJobs(world);
    const shell = shellTool(world, jobs);
    for (const background of [false, true]) {
      const output = await callTool(shell, { command: "touch made", background });
      expect(output.isError).toBe(true);
      expect(textOf(output)).toStartWith("The command did not run. The sandbox could not be prepared: ");
    }
    expect([jobs.list(), readdirSync(world.root)]).toEqual([[], []]);
    await jobs.close();
    await sandbox.close();
    place.stop();
  });

  test("what a command made that others obey is told with its result", async () => {
    const { place, sandbox, world } = hands();
    const shell = shellTool(world, createJobs(world));
    const output = textOf(
      await callTool(shell, { command: "mkdir -p sub/.vscode && echo x > sub/.vscode/tasks.json" }),
    );
    expect(output).toMatch(
      /^Exit code 0\.\nThe command made something others obey: \S+\/sub\/\.vscode: .*Look at it first\.$/,
    );
    await sandbox.close();
    place.stop();
  });

  test("jobs end before the sandbox is closed, and nothing is left", async () => {
    const { place, sandbox, world, events } = hands();
    const jobs = createJobs(world);
    await callTool(shellTool(world, jobs), { command: "sleep 1000", background: true });
    expect(existsSync(join(world.root, ".vscode"))).toBe(true);
    await jobs.close();
    await sandbox.close();
    expect([readdirSync(world.root), sandbox.standing(), events]).toEqual([[], "bubblewrap", []]);
    place.stop();
  });

  test("output of 300 MB stays out of memory", async () => {
    const { place, sandbox, world } = hands();
    const before = process.memoryUsage.rss();
    const command = "head -c 300000000 /dev/zero | tr '\\0' x";
    const output = textOf(await callTool(shellTool(world, createJobs(world)), { command }));
    expect(output).toContain(`[… ${300_000_000 - 65536} bytes left out …]`);
    expect(process.memoryUsage.rss() - before).toBeLessThan(150_000_000);
    await sandbox.close();
    place.stop();
  }, 30_000);
});
