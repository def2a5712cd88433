import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { textAnswer } from "../support/fake-answer.ts";
import { openFrontDoor } from "../support/front-door.ts";
import { type LoopWorld, loopWorld, TASK } from "../support/loop-world.ts";
import { serveStdio } from "../support/mcp-client.ts";
import { runRalph, startRalph } from "../support/run-ralph.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

setDefaultTimeout(60_000);

const FILES = { "test.sh": "grep -q finished work.txt\n" };
const STORIES = [{ checks: ["sh test.sh"] }];
const WORKS = "echo finished >work.txt\necho '<promise>COMPLETE</promise>'\n";
const QUICK = ["--sleep", "0", "--cool-down", "0.05"];

const withAgent = (world: LoopWorld, script: string) => [...QUICK, "--agent-cmd", world.agent(script)];

describe("ralph mcp serve", () => {
  test("introduces itself and says of every tool what it takes, gives and does", async () => {
    await using workspace = tempWorkspace();
    await using served = await serveStdio(workspace);
    expect(served.client.getServerVersion()).toMatchObject({ name: "ralph", title: "Ralph" });
    const { tools } = await served.client.listTools();
    const hints = tools.map(({ name, annotations }) => [
      name,
      annotations?.readOnlyHint === true ? "reads" : annotations?.destructiveHint === true ? "changes" : "steers",
    ]);
    expect(hints).toEqual([
      ["ralph_run", "changes"],
      ["ralph_understand", "changes"],
      ["ralph_status", "reads"],
      ["ralph_wait", "reads"],
      ["ralph_stop", "changes"],
      ["ralph_checkpoint", "steers"],
      ["ralph_inject", "steers"],
      ["ralph_receipts", "reads"],
      ["ralph_init", "steers"],
      ["ralph_validate", "reads"],
      ["ralph_search_sessions", "reads"],
      ["ralph_read_session", "reads"],
    ]);
    const loose = tools.filter(({ inputSchema }) => inputSchema.additionalProperties !== false);
    expect(loose).toEqual([]);
    expect(tools.filter(({ outputSchema }) => outputSchema?.type !== "object")).toEqual([]);
    expect(await served.call("ralph_status", { tusk: "x" })).toContain('Unrecognized key: "tusk"');
    expect(await served.call("ralph_status")).toEqual({ loops: [] });
    expect(await served.client.callTool({ name: "nothing", arguments: {} }).catch((error) => error.code)).toBe(-32_602);
  });

  test("a loop is started, waited for, and its receipts are read; it outlives the server", async () => {
    using world = loopWorld({ stories: STORIES, files: FILES });
    const id = await (async () => {
      await using served = await serveStdio(world.workspace, withAgent(world, WORKS));
      const { loop } = (await served.call("ralph_run", { task: TASK })) as { loop: Record<string, unknown> };
      expect(loop).toMatchObject({ task: "demo", folder: join(world.project, TASK), max_iterations: 50 });
      return loop.id;
    })();
    await using served = await serveStdio(world.workspace);
    const waited = await served.call("ralph_wait", { task: id, timeout_seconds: 40 });
    expect(waited).toMatchObject({
      timed_out: false,
      loop: { id, status: "completed", verdict: "done", iteration: 1, agent: "custom" },
    });
    const [receipt] = await world.receipts();
    expect(await served.call("ralph_receipts", { task: "demo" })).toEqual({ id, receipts: [receipt] });
    expect(world.read("work.txt")).toBe("finished\n");
    expect(await served.call("ralph_stop", { task: "demo" })).toBe(
      "failed: The loop demo is completed. Only a running one can be told anything.",
    );
  });

  test("a running loop is looked at, told something and stopped, and whoever waits is told its progress", async () => {
    using world = loopWorld({ stories: STORIES, files: FILES });
    const go = join(world.workspace.root, "go");
    const script = `cat >>"${world.workspace.root}/prompts"\necho I am here\nwhile [ ! -e "${go}" ]; do sleep 0.05; done\nrm "${go}"\n`;
    await using served = await serveStdio(world.workspace, withAgent(world, script));
    await served.call("ralph_run", { task: join(world.project, TASK), max_iterations: 5 });
    expect(await served.call("ralph_run", { task: TASK })).toContain("A loop is running on");
    // What ends the server, such as Ctrl-C in its terminal, does not reach the loop.
    const { pid } = JSON.parse((await runRalph(["status", "demo", "--json"], world)).stdout);
    expect(Number(execFileSync("ps", ["-o", "pgid=", "-p", String(pid)], { encoding: "utf8" }))).toBe(pid);
    expect(await served.call("ralph_wait", { task: "demo", timeout_seconds: 0 })).toMatchObject({
      timed_out: true,
      loop: { status: "running", max_iterations: 5 },
    });
    let status: { recent_output?: string[] } = {};
    while (status.recent_output?.includes("I am here") !== true)
      status = (await served.call("ralph_status", { task: "demo" })) as typeof status;
    expect(await served.call("ralph_inject", { task: "demo", text: "Mind the gap." })).toMatchObject({
      status: "prompt_injected",
    });
    const progress: { progress: number; total?: number; message?: string }[] = [];
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const waiting = served.client.callTool(
      { name: "ralph_wait", arguments: { task: "demo", timeout_seconds: 60 } },
      {
        onprogress: (told) => {
          progress.push(told);
          (progress.length === 1 ? first : second).resolve();
        },
      },
    );
    await first.promise;
    writeFileSync(go, "");
    await second.promise;
    expect(progress).toEqual([
      { progress: 1, total: 5, message: "at S-1" },
      { progress: 2, total: 5, message: expect.any(String) },
    ]);
    // The second agent has read what it is told.
    while (!world.workspace.read("prompts").includes("Mind the gap.")) await served.call("ralph_status");
    expect(await served.call("ralph_checkpoint", { task: "demo" })).toMatchObject({ status: "checkpoint_requested" });
    expect(await served.call("ralph_stop", { task: "demo" })).toMatchObject({ status: "stop_requested" });
    writeFileSync(go, "");
    expect((await waiting).structuredContent).toMatchObject({ timed_out: false, loop: { verdict: "stopped" } });
    const steps = progress.map((told) => told.progress);
    expect(steps).toEqual([...new Set(steps)].toSorted((one, other) => one - other));
  });

  test("what lies outside of the roots is neither run nor seen, over links neither", async () => {
    using world = loopWorld({ stories: STORIES, files: FILES });
    await using everywhere = await serveStdio(world.workspace, withAgent(world, WORKS));
    await everywhere.call("ralph_run", { task: TASK });
    await everywhere.call("ralph_wait", { task: "demo" });
    world.write("elsewhere/.keep", "");
    symlinkSync(join(world.project, TASK), join(world.project, "elsewhere/link"));
    await using narrow = await serveStdio(world.workspace, ["--root", "elsewhere", ...withAgent(world, WORKS)]);
    const root = realpathSync(join(world.project, "elsewhere"));
    expect([
      await narrow.call("ralph_run", { task: join(world.project, TASK) }),
      await narrow.call("ralph_run", { task: "link" }),
      await narrow.call("ralph_run", { task: "nowhere" }),
      await narrow.call("ralph_status"),
      await narrow.call("ralph_receipts", { task: "demo" }),
    ]).toEqual([
      `failed: ${join(world.project, TASK)} is outside of what is served: ${root}.`,
      `failed: link is outside of what is served: ${root}.`,
      `failed: There is no folder nowhere. Tasks lie under ${root}.`,
      { loops: [] },
      'failed: No loop here is called "demo". None was started yet: use ralph_run.',
    ]);
    expect(await narrow.call("ralph_run", { task: "." })).toMatch(/^failed: .*prd\.json/);
    expect(await narrow.call("ralph_run", { task: ".", max_iterations: 51 })).toContain("max_iterations");
  });

  test("sessions are searched and read in parts; the files of the usual task are resources", async () => {
    using ralph = await openFrontDoor();
    ralph.provider.answer(textAnswer("The answer is a teapot."));
    expect((await ralph.run(["-p", "what is it?"])).code).toBe(0);
    ralph.workspace.write("project/scripts/ralph/prd.json", '{"userStories":[]}');
    ralph.workspace.write("project/scripts/ralph/progress.txt", "so far so good\n");
    const elsewhere = ralph.workspace.write("elsewhere/prompt.md", "not yours\n");
    symlinkSync(elsewhere, join(ralph.workspace.project, "scripts/ralph/prompt.md"));
    await using served = await serveStdio(ralph.workspace);
    const found = (await served.call("ralph_search_sessions", { words: "Teapot answer" })) as {
      sessions: { id: string }[];
    };
    expect(found).toMatchObject({
      sessions: [{ folder: ralph.workspace.project, title: "what is it?", messages: 2, excerpt: expect.any(String) }],
    });
    const id = found.sessions[0]?.id;
    const whole = (await served.call("ralph_read_session", { id })) as { text: string; total_characters: number };
    expect(whole.text).toContain("The answer is a teapot.");
    const part = await served.call("ralph_read_session", { id, offset: 5, characters: 10 });
    expect(part).toEqual({
      id,
      folder: ralph.workspace.project,
      text: whole.text.slice(5, 15),
      total_characters: whole.text.length,
      next_offset: 15,
    });
    const { resources } = await served.client.listResources();
    expect(resources.map(({ uri, mimeType }) => [uri, mimeType])).toEqual([
      ["ralph://prd", "application/json"],
      ["ralph://progress", "text/plain"],
    ]);
    expect(await served.client.readResource({ uri: "ralph://progress" })).toMatchObject({
      contents: [{ uri: "ralph://progress", mimeType: "text/plain", text: "so far so good\n" }],
    });
    const missing = served.client.readResource({ uri: "ralph://prompt" });
    expect(await missing.catch((error) => error.code)).toBe(-32_002);
    await using modern = await serveStdio(ralph.workspace, [], { versionNegotiation: { mode: "auto" } });
    expect(await modern.call("ralph_status")).toEqual({ loops: [] });
  });

  test("speaks only the protocol, whatever is said to it, and ends with its input", async () => {
    await using workspace = tempWorkspace();
    await using ralph = startRalph(["mcp", "serve"], { workspace });
    const initialize = (id: unknown, protocolVersion: string) =>
      JSON.stringify({ jsonrpc: "2.0", id, method: "initialize", params: { protocolVersion, capabilities: {} } });
    const lines = [
      "{broken",
      "[]",
      '{"jsonrpc":"1.0","id":1,"method":"ping"}',
      '{"jsonrpc":"2.0","id":2,"method":"tools/list"}',
      '{"jsonrpc":"2.0","id":3,"method":"fly"}',
      '{"jsonrpc":"2.0","id":null,"method":"ping"}',
      '{"jsonrpc":"2.0","id":4,"method":"ping","params":[]}',
      '{"jsonrpc":"2.0","method":"fly"}',
      '{"jsonrpc":"2.0","id":5,"result":{}}',
      '{"jsonrpc":"2.0","id":7,"id":8,"method":"ping"}',
      `{"jsonrpc":"2.0","id":9,"method":"${"x".repeat(5_000_000)}"}`,
      "",
      initialize("a", "2024-11-05"),
      initialize("b", "1999-01-01"),
      '[{"jsonrpc":"2.0","id":6,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"}]',
    ];
    ralph.write(`${lines.join("\n")}\n`);
    ralph.closeInput();
    const { code, stdout, stderr } = await ralph.exited;
    const answers = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const short = answers.map((answer) =>
      Array.isArray(answer)
        ? answer
        : [answer.id, answer.error?.code ?? answer.result.protocolVersion ?? answer.result],
    );
    const order = (one: unknown, other: unknown) => JSON.stringify(one).localeCompare(JSON.stringify(other));
    expect({ code, stderr, short: short.toSorted(order) }).toEqual({
      code: 0,
      stderr: "",
      short: [
        [null, -32_700],
        [null, -32_700],
        [null, -32_700],
        [null, -32_600],
        [1, -32_600],
        [2, -32_600],
        [3, -32_601],
        [null, -32_600],
        [4, -32_600],
        ["a", "2024-11-05"],
        ["b", "2025-11-25"],
        [{ jsonrpc: "2.0", id: 6, result: {} }],
      ].toSorted(order),
    });
  });

  test("a request that is cancelled is not answered, and the others are", async () => {
    using world = loopWorld({ stories: STORIES, files: FILES });
    const go = join(world.workspace.root, "go");
    const script = `while [ ! -e "${go}" ]; do sleep 0.05; done\n${WORKS}`;
    await using ralph = startRalph(["mcp", "serve", ...withAgent(world, script)], { ...world, timeoutMs: 50_000 });
    const send = (id: number, method: string, params: object) =>
      ralph.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    const call = (id: number, name: string, args: object) => send(id, "tools/call", { name, arguments: args });
    send(1, "initialize", { protocolVersion: "2025-11-25" });
    call(2, "ralph_run", { task: TASK });
    await ralph.waitForOutput('"id":2', 40_000);
    call(3, "ralph_wait", { task: "demo", timeout_seconds: 600 });
    ralph.write('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}\n');
    call(4, "ralph_wait", { task: "demo", timeout_seconds: 40 });
    writeFileSync(go, "");
    await ralph.waitForOutput('"id":4', 40_000);
    ralph.closeInput();
    const { stdout } = await ralph.exited;
    const ids = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).id);
    expect(ids).toEqual([1, 2, 4]);
  });
});
