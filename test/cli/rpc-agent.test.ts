import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { failAnswer, textAnswer, toolCallAnswer } from "../support/fake-answer.ts";
import { type FrontDoor, NO_SERVERS, openFrontDoor } from "../support/front-door.ts";
import { driveRpc, type Frame } from "../support/rpc-front-door.ts";
import { sampleKey } from "../support/sample-keys.ts";

// The agent behind `ralph --mode rpc`, as a program that drives it sees it.

setDefaultTimeout(30_000);

const LOOKUP = {
  name: "lookup",
  description: "Looks a name up",
  parameters: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
};

interface Body {
  tools?: { name: string }[];
  messages: { role: string; content: { type: string; text?: string }[] }[];
}

/** What stands in the last request as words of the person. */
function saidToModel({ provider }: FrontDoor): string[] {
  return (bodyOf(provider)?.messages ?? [])
    .filter(({ role }) => role === "user")
    .flatMap(({ content }) => content.flatMap(({ text = "" }) => (text === "" || isRalphs(text) ? [] : [text])));
}

/** The part that changes from day to day. */
function isRalphs(text: string): boolean {
  return text.startsWith("<context>");
}

function toolsSent({ provider }: FrontDoor): string[] {
  return (bodyOf(provider)?.tools ?? []).map(({ name }) => name);
}

function bodyOf({ requests }: FrontDoor["provider"]): Body | undefined {
  return requests.at(-1)?.body as Body | undefined;
}

function lastRequest({ provider }: FrontDoor): string {
  return JSON.stringify(provider.requests.at(-1)?.body);
}

function dataOf<Data>({ success, data, error }: Frame): Data {
  if (success !== true) throw new Error(JSON.stringify(error));
  return data as Data;
}

type State = Record<string, unknown> & { sessionId: string; sessionFile: string };

describe("what the host brings along", () => {
  test("is called by the model, and the model gets what the host answers", async () => {
    using ralph = await openFrontDoor();
    await using host = driveRpc(ralph);
    expect(dataOf(await host.ask("set_host_tools", { tools: [LOOKUP] }))).toEqual({ toolNames: ["lookup"] });
    ralph.provider.answer(toolCallAnswer({ name: "lookup", input: { name: "Ada" }, id: "call_1" }), textAnswer("Ok."));
    const asked = host.prompt("who?");
    const { id, ...call } = await host.next('"type":"host_tool_call"');
    expect(call).toEqual({
      type: "host_tool_call",
      toolCallId: "call_1",
      toolName: "lookup",
      arguments: { name: "Ada" },
    });
    host.send({ type: "host_tool_result", id, result: { content: [{ type: "text", text: "a countess" }] } });
    await asked;
    expect(lastRequest(ralph)).toContain("a countess");
    expect(toolsSent(ralph).at(-1)).toBe("lookup");
    expect(toolsSent(ralph).length).toBeGreaterThan(1);
  });

  test("holds files: addresses are read and written through it", async () => {
    using ralph = await openFrontDoor();
    await using host = driveRpc(ralph);
    await host.ask("set_host_uri_schemes", { schemes: [{ scheme: "DB", writable: true }] });
    ralph.provider.answer(
      toolCallAnswer({ name: "read_file", input: { path: "db://users/1" } }),
      toolCallAnswer({ name: "write_file", input: { path: "db://users/1", content: "name=Bob\n" } }),
      textAnswer("Done."),
    );
    const asked = host.prompt("rename");
    const read = await host.next('"operation":"read"');
    host.send({ type: "host_uri_result", id: read.id, content: "name=Alice\n" });
    const write = await host.next('"operation":"write"');
    expect([read, write]).toMatchObject([{ url: "db://users/1" }, { url: "db://users/1", content: "name=Bob\n" }]);
    host.send({ type: "host_uri_result", id: write.id });
    await asked;
    expect(lastRequest(ralph)).toContain("name=Alice");
    expect(lastRequest(ralph)).toContain("Wrote db://users/1 (1 lines, 9 bytes).");
  });

  test("stays when the session changes, and what the host chose stays too", async () => {
    using ralph = await openFrontDoor();
    await using host = driveRpc(ralph);
    await host.ask("set_host_tools", { tools: [LOOKUP] });
    await host.ask("set_steering_mode", { mode: "all" });
    await host.prompt("one");
    const before = dataOf<State>(await host.ask("get_state"));
    expect(dataOf(await host.ask("new_session", { parentSession: before.sessionFile }))).toEqual({ cancelled: false });
    await host.prompt("two");
    const after = dataOf<State>(await host.ask("get_state"));
    expect([saidToModel(ralph), after.steeringMode, after.sessionId === before.sessionId]).toEqual([
      ["two"],
      "all",
      false,
    ]);
    expect(toolsSent(ralph).at(-1)).toBe("lookup");
    expect(readFileSync(after.sessionFile, "utf8")).toContain(`"parentSession":"${before.sessionId}"`);
  });
});

describe("a command of the host", () => {
  test("is answered with what it printed, and the model is told of it with the next prompt", async () => {
    using ralph = await openFrontDoor();
    await using host = driveRpc(ralph);
    expect(dataOf(await host.ask("bash", { command: "echo out; exit 2" }))).toEqual({
      output: "out\n",
      exitCode: 2,
      cancelled: false,
      truncated: false,
    });
    await host.prompt("why?");
    expect(saidToModel(ralph)).toEqual([expect.stringContaining("$ echo out; exit 2\nout\nExit code 2."), "why?"]);
  });

  test("is stopped when the host says so", async () => {
    using ralph = await openFrontDoor();
    await using host = driveRpc(ralph);
    const ran = host.ask("bash", { command: "touch begun; sleep 60" });
    while (!existsSync(join(ralph.workspace.project, "begun"))) await host.ask("get_state");
    await host.ask("abort_bash");
    expect(dataOf(await ran)).toEqual({ output: "", cancelled: true, truncated: false });
  });
});

describe("sessions", () => {
  test("branch: the next prompt takes the place of the one that is named", async () => {
    using ralph = await openFrontDoor();
    await using host = driveRpc(ralph);
    await host.prompt("one");
    await host.prompt("two");
    await host.prompt("three");
    const { messages } = dataOf<{ messages: { entryId: string; text: string }[] }>(
      await host.ask("get_branch_messages"),
    );
    expect(messages.map(({ text }) => text)).toEqual(["one", "two", "three"]);
    const branched = await host.ask("branch", { entryId: messages[1]?.entryId });
    expect(dataOf(branched)).toEqual({ text: "two", cancelled: false });
    await host.prompt("other");
    expect(saidToModel(ralph)).toEqual(["one", "other"]);
    expect(await host.ask("branch", { entryId: "nothing" })).toMatchObject({
      success: false,
      error: "The session has no prompt nothing.",
    });
    expect(dataOf(await host.ask("get_session_stats"))).toMatchObject({
      userMessages: 2,
      assistantMessages: 2,
      toolCalls: 0,
      totalMessages: 4,
      tokens: { input: 40, output: 8, total: 48 },
    });
  });

  test("are gone on with by path and by id, and a file that is none is refused", async () => {
    using ralph = await openFrontDoor();
    await using host = driveRpc(ralph);
    await host.prompt("first");
    const { sessionFile, sessionId } = dataOf<State>(await host.ask("get_state"));
    for (const sessionPath of [sessionFile, sessionId.slice(0, 6)]) {
      await host.ask("new_session");
      expect(dataOf(await host.ask("switch_session", { sessionPath }))).toEqual({ cancelled: false });
      await host.prompt("more");
    }
    expect(saidToModel(ralph)).toEqual(["first", "more", "more"]);
    const copy = ralph.workspace.write(`project/${sessionFile.split("/").at(-1)}`, "");
    for (const sessionPath of [copy, "/etc/passwd", "zzzz"])
      expect([sessionPath, (await host.ask("switch_session", { sessionPath })).success]).toEqual([sessionPath, false]);
    expect(dataOf<State>(await host.ask("get_state")).sessionId).toBe(sessionId);
  });

  test("become a page", async () => {
    using ralph = await openFrontDoor();
    await using host = driveRpc(ralph);
    expect((await host.ask("export_html")).success).toBe(false);
    await host.prompt("remember the milk");
    const { path } = dataOf<{ path: string }>(await host.ask("export_html", { outputPath: "page.html" }));
    expect(path).toBe(join(ralph.workspace.project, "page.html"));
    expect(ralph.workspace.read("project/page.html")).toContain("remember the milk");
  });

  test("take the place of a page, but of nothing else, and never of what is protected", async () => {
    using ralph = await openFrontDoor();
    const { workspace } = ralph;
    const kept = ["project/notes.md", "project/.env", "project/.git/config", "ralph-home/config/secrets.yml"];
    for (const file of kept) workspace.write(file, "mine");
    workspace.write("project/page.html", "an older page");
    symlinkSync(workspace.root, join(workspace.project, "way-out"));
    await using host = driveRpc(ralph);
    await host.prompt("remember the milk");
    const named = ["notes.md", ".env", ".git/config", "way-out/ralph-home/config/secrets.yml", ".git/hooks/x.html"];
    const answers = await Promise.all(named.map((outputPath) => host.ask("export_html", { outputPath })));
    expect(answers.map(({ success }) => success)).toEqual(named.map(() => false));
    expect(kept.map((file) => workspace.read(file))).toEqual(kept.map(() => "mine"));
    expect(answers[0]).toMatchObject({
      error: `${join(workspace.project, "notes.md")} is there already and is no page. Name another file.`,
    });
    expect((await host.ask("export_html", { outputPath: "page.html" })).success).toBe(true);
    expect(workspace.read("project/page.html")).toContain("remember the milk");
  });
});

describe("a command of the host that did not end by itself", () => {
  test("says why, also where it never began", async () => {
    using ralph = await openFrontDoor();
    await using host = driveRpc(ralph);
    const outputs = [];
    for (const command of ["echo one; kill -9 $$", "echo \0", "exit 3"])
      outputs.push(dataOf<{ output: string; exitCode?: number }>(await host.ask("bash", { command })));
    expect(outputs.map(({ exitCode }) => exitCode)).toEqual([undefined, undefined, 3]);
    expect(outputs[0]?.output).toBe("one\n\n[The command was ended by SIGKILL.]");
    expect(outputs[1]?.output).toStartWith("[The command did not start: ");
    expect(outputs[2]?.output).toBe("");
  });
});

describe("a request that failed for a passing reason", () => {
  const PATIENT = { environment: { RALPH_RETRY_DELAY_MS: "60000" } };

  test("is not waited for once the host has had enough", async () => {
    using ralph = await openFrontDoor();
    await using host = driveRpc(ralph, PATIENT);
    ralph.provider.answer(failAnswer({ type: "status", status: 529 }));
    const asked = host.prompt("hello");
    await host.next('"event_type":"auto_retry_start"');
    await host.ask("abort_retry");
    await asked;
    expect(ralph.provider.requests.length).toBe(1);
    await host.prompt("again");
    expect(ralph.provider.requests.length).toBe(2);
  });

  test("is not tried again where the host turned that off", async () => {
    using ralph = await openFrontDoor();
    await using host = driveRpc(ralph, PATIENT);
    await host.ask("set_auto_retry", { enabled: false });
    ralph.provider.answer(failAnswer({ type: "status", status: 529 }));
    await host.prompt("hello");
    expect(host.frames().filter((frame) => JSON.stringify(frame).includes("auto_retry_start"))).toEqual([]);
  });
});

describe("models", () => {
  test("are gone through in the order the settings allow", async () => {
    using ralph = await openFrontDoor();
    ralph.writeConfig("enabledModels: [anthropic/claude-haiku-4-5, anthropic/claude-sonnet-4-6]\n");
    await using host = driveRpc(ralph, { arguments: ["--model", "anthropic/claude-haiku-4-5"] });
    const { models } = dataOf<{ models: { id: string }[] }>(await host.ask("get_available_models"));
    expect(models.map(({ id }) => id).toSorted()).toEqual(["claude-haiku-4-5", "claude-sonnet-4-6"]);
    const next = dataOf<{ model: { id: string }; isScoped: boolean }>(await host.ask("cycle_model"));
    expect([next.model.id, next.isScoped]).toEqual(["claude-sonnet-4-6", true]);
    await host.prompt("hello");
    expect(ralph.provider.requests.at(-1)?.body).toMatchObject({ model: "claude-sonnet-4-6" });
    const again = dataOf<{ model: { id: string } }>(await host.ask("cycle_model"));
    expect(again.model.id).toBe("claude-haiku-4-5");
  });

  test("may be missing: the host is served, and a prompt says what is needed", async () => {
    using ralph = await openFrontDoor();
    const environment = { ...NO_SERVERS, ANTHROPIC_API_KEY: undefined, ANTHROPIC_BASE_URL: undefined };
    await using host = driveRpc(ralph, { environment });
    await host.next('{"type":"ready"}');
    expect("model" in dataOf<State>(await host.ask("get_state"))).toBe(false);
    host.send({ id: "p", type: "prompt", message: "hello" });
    const failed = await host.next('{"id":"p","type":"response","command":"prompt","success":false');
    expect(failed.error).toStartWith("No model can be used: no key was found.");
    expect((await host.close()).code).toBe(0);
  });
});

describe("secrets", () => {
  test("are shown to the host as placeholders, in events and in the conversation, and reach its tools as they are", async () => {
    using ralph = await openFrontDoor({
      answers: [
        toolCallAnswer({ name: "read_file", input: { path: "notes.txt" } }),
        ({ body }) =>
          toolCallAnswer({
            name: "lookup",
            input: { name: /key is (#[A-Z0-9]{4}#)/.exec(JSON.stringify(body))?.[1] ?? "no placeholder" },
          }),
      ],
    });
    ralph.writeConfig("secrets: {enabled: true}\n");
    const key = sampleKey("Stripe key", 3);
    ralph.workspace.write("project/notes.txt", `the key is ${key}\n`);
    await using host = driveRpc(ralph, { environment: { PAYMENT_API_KEY: key } });
    await host.ask("set_host_tools", { tools: [LOOKUP] });
    const asked = host.prompt("use the key");
    const call = await host.next('"type":"host_tool_call"');
    expect(call.arguments).toEqual({ name: key });
    host.send({ type: "host_tool_result", id: call.id, result: { content: [{ type: "text", text: "ok" }] } });
    await asked;
    const told = [...host.frames().filter(({ type }) => type === "event"), await host.ask("get_messages")];
    expect(told.filter((frame) => JSON.stringify(frame).includes(key))).toEqual([]);
  });
});

describe("the process", () => {
  test("refuses prompts, files and other forms of output on its command line", async () => {
    using ralph = await openFrontDoor();
    const refused = async (...args: string[]) => {
      const { code, stdout, stderr } = await ralph.run(["--mode", "rpc", ...args]);
      return [code, stdout, stderr.split(":")[1]];
    };
    const words = " --mode rpc takes prompts and files from standard input alone";
    expect([await refused("hello"), await refused("@notes.md"), await refused("--json")]).toEqual([
      [2, "", words],
      [2, "", words],
      [2, "", " --json means nothing together with --mode rpc. Give one of them.\n"],
    ]);
  });

  test("ends with 0 when the host closes its side in the middle of the work, and the session is whole", async () => {
    using ralph = await openFrontDoor();
    await using host = driveRpc(ralph);
    await host.ask("set_host_tools", { tools: [LOOKUP] });
    ralph.provider.answer(toolCallAnswer({ name: "lookup", input: { name: "Ada" } }));
    await host.ask("prompt", { message: "who?" });
    await host.next('"type":"host_tool_call"');
    const { code, stderr } = await host.close();
    expect([code, stderr]).toEqual([0, ""]);
    const after = await ralph.run(["-p", "-c", "go on"]);
    const told =
      'ralph: The work on the last prompt broke off. Say "go on" to have it finished, or say what to do instead.\n';
    expect([after.code, after.stdout, after.stderr]).toEqual([0, "ok\n", told]);
    expect(lastRequest(ralph)).toContain('"tool_result"');
  });

  test("ends in order when it is told to, and lets others have the session", async () => {
    using ralph = await openFrontDoor();
    await using host = driveRpc(ralph);
    await host.prompt("one");
    host.live.kill("SIGTERM");
    expect(await host.live.exited).toMatchObject({ code: 130, stderr: "" });
    expect((await ralph.run(["-p", "-c", "two"])).code).toBe(0);
    expect(saidToModel(ralph)).toEqual(["one", "two"]);
  });

  test("killed, loses nothing it acknowledged: prompts, answers and commands of the host", async () => {
    using ralph = await openFrontDoor();
    {
      await using host = driveRpc(ralph);
      await host.prompt("one");
      await host.ask("bash", { command: "echo kept" });
      host.live.kill("SIGKILL");
      await host.live.exited;
    }
    await using host = driveRpc(ralph, { arguments: ["-c"] });
    await host.prompt("two");
    expect(saidToModel(ralph)).toEqual(["one", expect.stringContaining("$ echo kept\nkept\n"), "two"]);
  });
});
