import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type FakeAnswer, failAnswer, textAnswer, toolCallAnswer } from "../support/fake-answer.ts";
import { type FrontDoor, openFrontDoor } from "../support/front-door.ts";
import { type DoorHost, driveRpc, type Frame } from "../support/rpc-front-door.ts";

// Where nobody watches: what was declared decides before anything is done. Everything here goes over the wire.

const BUDGET = { max_tokens: 1_000_000, max_tool_calls: 100, max_wall_time_ms: 600_000, max_cost_usd: 20 };
const SCOPES = ["prompt", "control", "bash"];

function declared(actions: string[], more: { budget?: Partial<typeof BUDGET>; scopes?: string[] } = {}) {
  const { budget = {}, scopes = SCOPES } = more;
  return { actor: "a/test", budget: { ...BUDGET, ...budget }, scopes, action_allowlist: actions };
}

async function enter(host: DoorHost, declaration: object): Promise<void> {
  const { success, data, error } = await host.ask("negotiate_unattended", { declaration });
  expect({ success, error, declaration: (data as { declaration: object }).declaration }).toEqual({
    success: true,
    error: undefined,
    declaration,
  });
}

function errorOf({ success, error }: Frame): Record<string, unknown> {
  expect(success).toBe(false);
  const { run_id, session_id, ...rest } = error as Record<string, unknown>;
  expect([typeof run_id, typeof session_id]).toEqual(["string", "string"]);
  return rest;
}

/** What the model was told about its calls in its latest request. */
function told({ provider }: FrontDoor): string {
  return JSON.stringify(provider.requests.at(-1)?.body).match(/"type":"tool_result".*/)?.[0] ?? "";
}

function files({ workspace }: FrontDoor, ...names: string[]): boolean[] {
  return names.map((name) => existsSync(join(workspace.project, name)));
}

/** What the sessions keep of declarations and refusals. */
function audit({ workspace }: FrontDoor): { event: string; error?: { code: string } }[] {
  return workspace
    .find("ralph-home/data/sessions/**/*.jsonl")
    .flatMap((path) => workspace.read(path).trim().split("\n"))
    .map((line) => JSON.parse(line))
    .filter(({ type, kind }) => type === "custom" && kind === "unattended")
    .map(({ data }) => data);
}

function asksOfPeople(host: DoorHost): string[] {
  return host
    .frames()
    .filter(({ type }) => type === "extension_ui_request" || type === "workflow_gate")
    .map(({ type }) => type);
}

function writing(...names: string[]): FakeAnswer {
  return toolCallAnswer(...names.map((path) => ({ name: "write_file", input: { path, content: "x" } })));
}

describe("declaring", () => {
  test("nothing partial is taken, each refusal says what is missing, and the run stays attended", async () => {
    using ralph = await openFrontDoor();
    await using host = driveRpc(ralph);
    const whole = declared(["file.write"]);
    const { max_cost_usd: _, ...budget } = whole.budget;
    const codes = [];
    for (const declaration of [
      undefined,
      null,
      {},
      { ...whole, budget },
      { ...whole, scopes: ["root"] },
      { ...whole, action_allowlist: ["*"] },
      { ...whole, budget: { ...whole.budget, max_tokens: -1 } },
    ]) {
      const { success, error } = await host.ask("negotiate_unattended", { declaration });
      codes.push([success, (error as { code: string }).code]);
    }
    expect(codes).toEqual([
      [false, "missing_declaration"],
      [false, "missing_declaration"],
      [false, "incomplete_declaration"],
      [false, "incomplete_budget"],
      [false, "unknown_scope"],
      [false, "unknown_action"],
      [false, "invalid_unattended_declaration"],
    ]);
    const exported = await host.ask("get_session_stats");
    expect(exported.success).toBe(true);
  });

  test("it can be said again, and tightened, and never loosened", async () => {
    using ralph = await openFrontDoor();
    await using host = driveRpc(ralph);
    const first = declared(["file.write", "bash.readonly"]);
    const less = declared(["bash.readonly"], { budget: { max_tool_calls: 1 }, scopes: ["prompt"] });
    const answers = [];
    for (const declaration of [first, first, less])
      answers.push(await host.ask("negotiate_unattended", { declaration }));
    const runs = answers.map(({ data }) => (data as { status: string; run_id: string }).run_id);
    expect([new Set(runs).size, answers.map(({ success }) => success)]).toEqual([1, [true, true, true]]);
    expect(errorOf(await host.ask("negotiate_unattended", { declaration: first }))).toEqual({
      code: "already_unattended",
      message:
        "This run is unattended already, and a further declaration may only take away: max_tool_calls, scopes, action_allowlist would allow more.",
      loosened: ["max_tool_calls", "scopes", "action_allowlist"],
      command: "negotiate_unattended",
      pre_side_effect: true,
    });
    expect(errorOf(await host.ask("bash", { command: "ls" })).code).toBe("scope_denied");
  });

  test("a model without a price is refused: what it costs could not be counted", async () => {
    using ralph = await openFrontDoor();
    ralph.writeModels(
      `providers:\n  local: { api: anthropic-messages, auth: none, baseUrl: ${ralph.provider.origin}, models: [{ id: plain }, { id: free, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } }] }`,
    );
    await using plain = driveRpc(ralph, { arguments: ["--model", "local/plain"] });
    const refused = await plain.ask("negotiate_unattended", { declaration: declared([]) });
    expect(errorOf(refused)).toMatchObject({ code: "unsupported_budget_metric", metric: "cost" });
    await using free = driveRpc(ralph, { arguments: ["--model", "local/free"] });
    await enter(free, declared([], { budget: { max_cost_usd: 0 } }));
    await free.prompt("hi");
    expect(ralph.provider.requests.filter(({ path }) => path.includes("messages"))).toHaveLength(1);
  });
});

describe("commands", () => {
  test("outside the declared scopes are refused before anything is done, and the refusal is kept", async () => {
    using ralph = await openFrontDoor();
    await using host = driveRpc(ralph);
    await enter(host, declared(["bash.destructive", "file.delete"], { scopes: ["prompt"] }));
    await host.prompt("hi");
    expect(errorOf(await host.ask("bash", { command: "touch made" }))).toEqual({
      code: "scope_denied",
      message: 'bash needs the scope "bash", which was not declared.',
      scope: "bash",
      command: "bash",
      pre_side_effect: true,
    });
    const others = [
      ["export_html", { outputPath: "page.html" }],
      ["set_model", { provider: "anthropic", modelId: "claude-opus-4-5" }],
      ["new_session", {}],
      ["get_messages", {}],
      ["abort", {}],
      ["set_host_tools", { tools: [] }],
      ["set_host_uri_schemes", { schemes: [] }],
    ] as const;
    const scopes = [];
    for (const [name, params] of others) scopes.push(errorOf(await host.ask(name, params)).scope);
    expect(scopes).toEqual(["export", "model", "session", "message:read", "control", "host_tools", "host_uri"]);
    expect(files(ralph, "made", "page.html")).toEqual([false, false]);
    expect((await host.ask("get_state")).success).toBe(true);
    await host.close();
    expect(audit(ralph).map(({ event, error }) => error?.code ?? event)).toEqual([
      "accepted",
      ...Array(8).fill("scope_denied"),
    ]);
  });

  test("of the host's shell are allowed by what Ralph's analysis says they are", async () => {
    using ralph = await openFrontDoor();
    await using host = driveRpc(ralph);
    await enter(host, declared(["bash.readonly"]));
    expect(await host.ask("bash", { command: "echo hello" })).toMatchObject({
      success: true,
      data: { output: "hello\n" },
    });
    expect(errorOf(await host.ask("bash", { command: "echo hello > made" }))).toEqual({
      code: "action_denied",
      message: 'echo hello > made needs the action class "bash.mutating", which was not declared.',
      action: "bash.mutating",
      command: "bash",
      pre_side_effect: true,
    });
    expect(files(ralph, "made")).toEqual([false]);
  });

  test("are left to the scopes, until one of their classes is named", async () => {
    using ralph = await openFrontDoor();
    await using host = driveRpc(ralph);
    await enter(host, declared(["command.prompt", "bash.readonly"]));
    expect(errorOf(await host.ask("bash", { command: "ls" }))).toMatchObject({ action: "command.bash" });
    await host.prompt("hi");
  });

  test("that write a page need what writing a file needs", async () => {
    using ralph = await openFrontDoor();
    await using host = driveRpc(ralph);
    await enter(host, declared(["file.write"], { scopes: ["prompt", "export"] }));
    await host.prompt("hi");
    const outside = join(ralph.workspace.root, "page.html");
    expect(errorOf(await host.ask("export_html", { outputPath: outside })).action).toBe("file.outside");
    expect((await host.ask("export_html", { outputPath: "page.html" })).success).toBe(true);
    expect([existsSync(outside), ...files(ralph, "page.html")]).toEqual([false, true]);
  });

  test("that write a page need it also where Ralph names the file", async () => {
    using ralph = await openFrontDoor();
    await using host = driveRpc(ralph);
    await enter(host, declared(["file.read"], { scopes: ["prompt", "export"] }));
    await host.prompt("hi");
    expect(errorOf(await host.ask("export_html")).action).toBe("file.write");
    expect(readdirSync(ralph.workspace.project).filter((name) => name.endsWith(".html"))).toEqual([]);
  });

  test("sent right behind the declaration are under it already", async () => {
    using ralph = await openFrontDoor();
    await using host = driveRpc(ralph);
    const declaration = declared([], { scopes: ["prompt"] });
    const [negotiated, ran] = await Promise.all([
      host.ask("negotiate_unattended", { declaration }),
      host.ask("bash", { command: "touch made" }),
    ]);
    expect([negotiated.success, errorOf(ran).code, ...files(ralph, "made")]).toEqual([true, "scope_denied", false]);
  });
});

describe("what the model does", () => {
  test("is refused where its class was not declared: nobody is asked, nothing is written, the model is told", async () => {
    using ralph = await openFrontDoor({ answers: [writing("made")] });
    await using host = driveRpc(ralph);
    await enter(host, declared(["file.read"]));
    await host.prompt("write");
    expect(files(ralph, "made")).toEqual([false]);
    expect(told(ralph)).toContain(
      'Not run: action_denied: Write made (1 bytes) needs the action class \\"file.write\\", which was not declared.',
    );
    expect(asksOfPeople(host)).toEqual([]);
    await host.close();
    expect(audit(ralph).map(({ event, error }) => error?.code ?? event)).toEqual(["accepted", "action_denied"]);
  });

  test("is allowed where it was declared, without asking anybody", async () => {
    using ralph = await openFrontDoor({ answers: [writing("made")] });
    await using host = driveRpc(ralph);
    await enter(host, declared(["file.write"]));
    await host.prompt("write");
    expect([files(ralph, "made"), asksOfPeople(host)]).toEqual([[true], []]);
  });

  test("stays denied by rules and protected names, whatever was declared", async () => {
    using ralph = await openFrontDoor({ answers: [writing("kept/a", ".git/hooks/pre-commit", "made")] });
    ralph.writeConfig("permissions:\n  deny: ['Write(kept/**)']\n");
    await using host = driveRpc(ralph);
    await enter(host, declared(["file.write", "file.delete", "file.outside", "bash.destructive", "secret.write"]));
    await host.prompt("write");
    expect(files(ralph, "kept/a", ".git/hooks/pre-commit", "made")).toEqual([false, false, true]);
    expect(asksOfPeople(host)).toEqual([]);
  });

  test("outside the workspace needs a class of its own", async () => {
    using ralph = await openFrontDoor();
    const outside = join(ralph.workspace.root, "outside");
    ralph.provider.answer(writing(outside), textAnswer("no"), writing(outside));
    await using first = driveRpc(ralph);
    await enter(first, declared(["file.write"]));
    await first.prompt("write");
    expect([existsSync(outside), told(ralph).includes('\\"file.outside\\"')]).toEqual([false, true]);
    await using second = driveRpc(ralph);
    await enter(second, declared(["file.write", "file.outside"]));
    await second.prompt("write");
    expect([existsSync(outside), asksOfPeople(second)]).toEqual([true, []]);
  });

  test("with a command goes by what the command is", async () => {
    using ralph = await openFrontDoor();
    ralph.workspace.write("project/old", "x");
    const run = (command: string) => toolCallAnswer({ name: "shell", input: { command } });
    ralph.provider.answer(run("cat old"), run("rm old"), textAnswer("done"));
    await using host = driveRpc(ralph);
    await enter(host, declared(["bash.mutating"]));
    await host.prompt("go");
    expect(files(ralph, "old")).toEqual([true]);
    expect(told(ralph)).toContain('needs the action class \\"file.delete\\"');
    expect(told(ralph).match(/action_denied/g)).toHaveLength(1);
  });

  test("is watched in the next session as well", async () => {
    using ralph = await openFrontDoor({ answers: [writing("made")] });
    await using host = driveRpc(ralph);
    await enter(host, declared([], { scopes: ["prompt", "session"] }));
    expect((await host.ask("new_session")).success).toBe(true);
    await host.prompt("write");
    expect(files(ralph, "made")).toEqual([false]);
  });

  test("with tools and addresses of the host is refused before the host hears of it", async () => {
    using ralph = await openFrontDoor({
      answers: [
        toolCallAnswer(
          { name: "deploy", input: {} },
          { name: "read_file", input: { path: "db://users/1" } },
          { name: "write_file", input: { path: "db://users/1", content: "x" } },
        ),
      ],
    });
    await using host = driveRpc(ralph);
    await enter(host, declared(["file.write"], { scopes: ["prompt", "host_tools", "host_uri"] }));
    const parameters = { type: "object", properties: {} };
    await host.ask("set_host_tools", { tools: [{ name: "deploy", description: "Deploys", parameters }] });
    await host.ask("set_host_uri_schemes", { schemes: [{ scheme: "db", writable: true }] });
    await host.prompt("go");
    expect(host.frames().filter(({ type }) => type.startsWith("host_"))).toEqual([]);
    const denied = [...told(ralph).matchAll(/action class \\\\?"([a-z_.]+)/g)].map(([, action]) => action);
    expect(denied).toEqual(["host_tool.invoke", "host_uri.read", "host_uri.write"]);
  });
});

describe("the budget", () => {
  test("of one tool call stops the second, and says so", async () => {
    using ralph = await openFrontDoor({ answers: [writing("first", "second")] });
    await using host = driveRpc(ralph);
    await enter(host, declared(["file.write"], { budget: { max_tool_calls: 1 } }));
    await host.prompt("write");
    expect(files(ralph, "first", "second")).toEqual([true, false]);
    expect(told(ralph)).toContain("budget_exceeded: The declared budget of 1 tool calls is used up (1).");
    expect(errorOf(await host.ask("bash", { command: "ls" })).code).toBe("action_denied");
    await host.close();
    expect(audit(ralph).map(({ event, error }) => error?.code ?? event)).toContain("budget_exceeded");
  });

  test("of tokens stops the next request before it reaches the provider", async () => {
    using ralph = await openFrontDoor({ answers: [writing("made")] });
    await using host = driveRpc(ralph);
    await enter(host, declared(["file.write"], { budget: { max_tokens: 28 } }));
    await host.prompt("write");
    expect(ralph.provider.requests.filter(({ path }) => path.includes("messages"))).toHaveLength(1);
    expect(errorOf(await host.ask("prompt", { message: "again" }))).toEqual({
      code: "budget_exceeded",
      message: "The declared budget of 28 tokens is used up (28).",
      metric: "tokens",
      limit: 28,
      observed: 28,
      command: "prompt",
      pre_side_effect: true,
    });
    expect(ralph.provider.requests.filter(({ path }) => path.includes("messages"))).toHaveLength(1);
    expect(files(ralph, "made")).toEqual([false]);
  });

  test("of dollars is counted with the prices of the model", async () => {
    using ralph = await openFrontDoor();
    await using host = driveRpc(ralph);
    await enter(host, declared([], { budget: { max_cost_usd: 0.000001 } }));
    await host.prompt("hi");
    expect(errorOf(await host.ask("prompt", { message: "again" }))).toMatchObject({
      code: "budget_exceeded",
      metric: "cost",
      limit: 0.000001,
    });
    expect(ralph.provider.requests.filter(({ path }) => path.includes("messages"))).toHaveLength(1);
  });

  test("of time ends what runs, and lets nothing begin", async () => {
    using ralph = await openFrontDoor({ answers: [failAnswer({ type: "silence", after: "headers" })] });
    await using host = driveRpc(ralph);
    await enter(host, declared(["bash.mutating"], { budget: { max_wall_time_ms: 1500 } }));
    const running = host.ask("bash", { command: "sleep 30" });
    await host.ask("prompt", { message: "wait" });
    await ralph.provider.nextRequest();
    await host.ended();
    expect(await running).toMatchObject({ success: true, data: { cancelled: true } });
    for (const [name, params] of [
      ["prompt", { message: "again" }],
      ["bash", { command: "sleep 30" }],
    ] as const)
      expect(errorOf(await host.ask(name, params))).toMatchObject({
        code: "budget_exceeded",
        metric: "wall_time",
        limit: 1500,
      });
    expect((await host.ask("get_state")).success).toBe(true);
  });
});
