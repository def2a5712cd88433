import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ProcessExited, RpcError } from "../../../src/rpc/client/client-errors.ts";
import type { AgentEnd } from "../../../src/rpc/client/prompt-work.ts";
import { type RalphClient, type StartOptions, startRalph } from "../../../src/rpc/client/start-ralph.ts";
import { ralphCommand } from "../../support/run-ralph.ts";
import { type TempWorkspace, tempWorkspace } from "../../support/temp-workspace.ts";

// The client against a real Ralph with a scripted model. test/clients has what all clients do alike.

function started(workspace: TempWorkspace, turns: string, options: StartOptions = {}): Promise<RalphClient> {
  const [command = "", ...args] = ralphCommand();
  const path = workspace.write("script.yml", `version: 1\nturns:\n${turns}`);
  return startRalph({
    command,
    args: [...args, "--model", `scripted/${path}`],
    cwd: workspace.project,
    env: workspace.environment,
    ...options,
  });
}

const tool = (name: string, input: object) =>
  `  - steps: [{ tool: { name: ${name}, input: ${JSON.stringify(input)} } }]\n`;
const said = (text: string) => `  - steps: [{ text: ${JSON.stringify(text)} }]\n`;
const WRITE = `${tool("write_file", { path: "made", content: "x" })}${said("Ok.")}`;
const QUESTION = `${tool("ask_user", { question: "Which?", options: ["a", "b"] })}${said("Ok.")}`;
const ANY_OBJECT = { type: "object", properties: {} };

/** What the tools of a prompt gave, with whether they failed. */
function results({ messages }: AgentEnd): [text: string, isError: boolean][] {
  return messages.flatMap((message) =>
    message.role === "toolResult"
      ? [[message.content.map((part) => (part.type === "text" ? part.text : "")).join(""), message.isError] as const]
      : [],
  ) as [string, boolean][];
}

function prompts({ messages }: AgentEnd): string[] {
  return messages.flatMap((message) => (message.role === "user" ? [JSON.stringify(message.content)] : []));
}

describe("a permission", () => {
  test("is refused at once where the program has nobody to ask", async () => {
    using workspace = tempWorkspace();
    await using ralph = await started(workspace, WRITE);
    const [[, isError] = []] = results(await ralph.prompt("write"));
    expect([isError, existsSync(join(workspace.project, "made"))]).toEqual([true, false]);
  });

  test.each([
    [{ onApproval: () => "yes" as const }, true],
    [{ onApproval: async () => true }, true],
    [{ onApproval: () => false, onGate: () => true }, false],
    [{ onGate: () => ({ decision: "approve" }) }, true],
    [{ onUiRequest: () => ({ value: "yes" }) }, true],
    [{ onGate: () => undefined, onUiRequest: () => ({ cancelled: true as const }) }, false],
  ] satisfies [StartOptions, boolean][])("is answered by whichever callback there is: %#", async (options, isMade) => {
    using workspace = tempWorkspace();
    const problems: Error[] = [];
    await using ralph = await started(workspace, WRITE, { ...options, onProblem: (each) => problems.push(each) });
    const { outcome } = await ralph.prompt("write");
    expect([outcome.type, existsSync(join(workspace.project, "made")), problems]).toEqual(["done", isMade, []]);
  });

  test("is refused, and the problem told, where the callback throws or the answer does not fit", async () => {
    using workspace = tempWorkspace();
    const problems: string[] = [];
    const answers = [
      () => {
        throw new Error("out of order");
      },
      () => 42,
    ];
    await using ralph = await started(workspace, `${WRITE}${WRITE}`, {
      onGate: () => answers.shift()?.(),
      onProblem: ({ message }) => problems.push(message),
    });
    const ends = [await ralph.prompt("write"), await ralph.prompt("write")];
    expect(ends.flatMap(results).map(([, isError]) => isError)).toEqual([true, true]);
    expect(problems[0]).toBe("out of order");
    expect(problems[1]).toMatch(/^The answer to ui_2 does not fit: /);
    expect(problems).toHaveLength(2);
  });

  test("is over for one callback when another has answered", async () => {
    using workspace = tempWorkspace();
    const over = Promise.withResolvers<void>();
    await using ralph = await started(workspace, WRITE, {
      onGate: (_, { signal }) =>
        new Promise((resolve) => signal.addEventListener("abort", () => resolve(over.resolve()))),
      onUiRequest: ({ method }) => (method === "select" ? { value: "yes" } : undefined),
    });
    await ralph.prompt("write");
    await over.promise;
    expect(existsSync(join(workspace.project, "made"))).toBe(true);
  });
});

describe("a question", () => {
  test("is answered by the callback, or later with its id", async () => {
    using workspace = tempWorkspace();
    const asked = Promise.withResolvers<string>();
    const answers = ["a", undefined];
    await using ralph = await started(workspace, `${QUESTION}${QUESTION}`, {
      onGate: ({ gate_id, kind }) => {
        const answer = answers.shift();
        if (answer === undefined) asked.resolve(gate_id);
        return kind === "question" ? answer : undefined;
      },
    });
    const first = results(await ralph.prompt("one"));
    const second = ralph.prompt("two");
    const gate = await asked.promise;
    const rejected = await ralph.respondGate(gate, { selected: ["c"] });
    const accepted = await ralph.respondGate(gate, { selected: ["b"] }, "key");
    expect([rejected.status, accepted.status]).toEqual(["rejected", "accepted"]);
    expect([first, results(await second)].map(([result]) => result?.[0])).toEqual(["a", "b"]);
  });
});

describe("a tool of the program", () => {
  const TURNS = `${tool("work", {})}${said("Ok.")}`;
  const working = (run: () => unknown) => [
    { name: "work", description: "Works", parameters: ANY_OBJECT, run: run as () => string },
  ];

  test.each([
    ["what it throws", () => Promise.reject(new Error("no such row")), ["no such row", true]],
    ["an error it gives", () => ({ content: [{ type: "text", text: "bad" }], isError: true }), ["bad", true]],
    [
      "that its result is too long",
      () => "x".repeat(9 * 1024 * 1024),
      [expect.stringMatching(/^The result of the host cannot be sent. It has 94\d+ bytes; Ralph takes 8388608/), true],
    ],
    ["that there is no such function", () => undefined, [expect.stringContaining("undefined"), true]],
  ] as [string, () => unknown, [string, boolean]][])("tells the model %s", async (_, run, expected) => {
    using workspace = tempWorkspace();
    await using ralph = await started(workspace, TURNS, { tools: working(run) });
    expect(results(await ralph.prompt("work"))).toEqual([expected]);
  });
});

describe("an address of the program", () => {
  test("is read and written through its functions", async () => {
    using workspace = tempWorkspace();
    const rows = new Map([["db://users/42", "Ada"]]);
    const turns = [
      tool("read_file", { path: "db://users/42" }),
      tool("write_file", { path: "db://users/43", content: "Grace" }),
      tool("read_file", { path: "db://users/44" }),
      said("Ok."),
    ];
    await using ralph = await started(workspace, turns.join(""), {
      onApproval: () => true,
      uriSchemes: [
        {
          scheme: "db",
          description: "Rows",
          read(url) {
            const content = rows.get(url);
            if (content === undefined) throw new Error(`nothing at ${url}`);
            return { content, contentType: "text/plain" };
          },
          write: (url, content) => void rows.set(url, content),
        },
      ],
    });
    const [read, written, missing] = results(await ralph.prompt("rows"));
    expect([read?.[0].includes("Ada"), written?.[1], missing]).toEqual([
      true,
      false,
      [expect.stringContaining("nothing at db://users/44"), true],
    ]);
    expect([...rows]).toEqual([
      ["db://users/42", "Ada"],
      ["db://users/43", "Grace"],
    ]);
  });
});

/** A tool that answers when the test says so. */
function holding() {
  const called = Promise.withResolvers<void>();
  const result = Promise.withResolvers<string>();
  const run = () => {
    called.resolve();
    return result.promise;
  };
  return {
    tools: [{ name: "hold", description: "Holds", parameters: ANY_OBJECT, run }],
    called: called.promise,
    release: result.resolve,
  };
}

describe("a prompt", () => {
  const HOLD = tool("hold", {});

  test("is stopped by its signal, and not sent where the signal was aborted before", async () => {
    using workspace = tempWorkspace();
    const { tools, called } = holding();
    await using ralph = await started(workspace, `${HOLD}${said("Ok.")}`, { tools });
    const stop = new AbortController();
    const work = ralph.prompt("hold", { signal: stop.signal });
    await called;
    stop.abort();
    const { outcome } = await work;
    const late = ralph.prompt("never", { signal: stop.signal });
    expect(await late.catch(({ name }) => name)).toBe("AbortError");
    const { messages } = await ralph.getMessages();
    expect([outcome, messages.filter(({ role }) => role === "user")]).toEqual([
      { type: "interrupted" },
      [{ role: "user", content: [{ type: "text", text: "hold" }] }],
    ]);
  });

  test("sent behind an abort ends with its own work", async () => {
    using workspace = tempWorkspace();
    const { tools, called } = holding();
    await using ralph = await started(workspace, `${HOLD}${said("Two.")}`, { tools });
    const one = ralph.prompt("one");
    await called;
    const stopped = ralph.abort();
    const two = ralph.prompt("two");
    const ends = await Promise.all([one, two]);
    await stopped;
    expect(ends.map((end) => [end.outcome.type, prompts(end)])).toEqual([
      ["interrupted", ['[{"type":"text","text":"one"}]']],
      ["done", ['[{"type":"text","text":"two"}]']],
    ]);
  });

  test("that is added to work ends with that work, and one that says nothing about it fails", async () => {
    using workspace = tempWorkspace();
    const { tools, called, release } = holding();
    await using ralph = await started(workspace, `${HOLD}${said("One.")}${said("Two.")}`, { tools });
    const one = ralph.prompt("one");
    await called;
    const refused = await ralph.prompt("more").catch((error) => error);
    const two = ralph.prompt("then this", { streamingBehavior: "followUp" });
    await ralph.getState();
    release("held");
    const [first, second] = await Promise.all([one, two]);
    expect(refused).toBeInstanceOf(RpcError);
    expect(refused.message).toStartWith("The agent is working.");
    expect([prompts(first).length, second]).toEqual([2, first]);
  });

  test("that is added to work that is stopped then waits for the work it is said in", async () => {
    using workspace = tempWorkspace();
    const { tools, called } = holding();
    await using ralph = await started(workspace, `${HOLD}${said("One.")}${said("Two.")}`, { tools });
    const one = ralph.prompt("one");
    await called;
    const two = ralph.prompt("then this", { streamingBehavior: "followUp" });
    await ralph.getState();
    await ralph.abort();
    const next = ralph.prompt("go on");
    expect((await one).outcome).toEqual({ type: "interrupted" });
    expect([prompts(await next).length, await two]).toEqual([2, await next]);
  });

  test("sent together with another is refused after it was acknowledged", async () => {
    using workspace = tempWorkspace();
    const { tools, release } = holding();
    await using ralph = await started(workspace, `${HOLD}${said("One.")}`, { tools });
    const [one, two] = [ralph.prompt("one"), ralph.prompt("two")];
    expect(await two.catch(({ name, code }) => [name, code])).toEqual(["RpcError", "command_failed"]);
    release("held");
    expect((await one).outcome).toEqual({ type: "done" });
  });

  test("stops what is worked on and is worked on itself", async () => {
    using workspace = tempWorkspace();
    const { tools, called } = holding();
    await using ralph = await started(workspace, `${HOLD}${said("Two.")}`, { tools });
    const one = ralph.prompt("one");
    await called;
    const two = ralph.abortAndPrompt("two");
    expect((await Promise.all([one, two])).map(({ outcome }) => outcome.type)).toEqual(["interrupted", "done"]);
  });

  test("gives its events to a loop that calls the client from within", async () => {
    using workspace = tempWorkspace();
    await using ralph = await started(workspace, "  - steps: [{ text: x, repeat: 2000 }]\n");
    const everything = ralph.events();
    const types = new Map<string, number>();
    let text = "";
    for await (const event of ralph.prompt("much")) {
      if (!types.has(event.type)) await ralph.getState();
      types.set(event.type, (types.get(event.type) ?? 0) + 1);
      if (event.type === "message_update" && event.assistantMessageEvent.type === "text_delta")
        text += event.assistantMessageEvent.delta;
    }
    await ralph.stop();
    const all = await Array.fromAsync(everything);
    expect([types.get("agent_end"), text.length, all.length]).toEqual([
      1,
      2000,
      [...types.values()].reduce((sum, count) => sum + count, 0),
    ]);
  });
});

describe("a command", () => {
  test("that Ralph could not read is not sent", async () => {
    using workspace = tempWorkspace();
    await using ralph = await started(workspace, said("Ok."));
    const deep = JSON.parse(`${"[".repeat(70)}${"]".repeat(70)}`);
    const failures = await Promise.all(
      ["x".repeat(9 * 1024 * 1024), deep, JSON.parse('{"__proto__":1}')].map((answer) =>
        ralph.respondGate("none", answer).catch(({ code }) => code),
      ),
    );
    expect(failures).toEqual(["not_sent", "not_sent", "not_sent"]);
    expect((await ralph.getState()).isStreaming).toBe(false);
  });

  test("nobody wants to wait for any more is given up", async () => {
    using workspace = tempWorkspace();
    await using ralph = await started(workspace, said("Ok."));
    const stop = new AbortController();
    const slow = ralph.bash({ command: "sleep 60" }, { signal: stop.signal });
    stop.abort();
    expect(await slow.catch(({ name }) => name)).toBe("AbortError");
    await ralph.abortBash();
    expect((await ralph.getState()).isStreaming).toBe(false);
  });

  test("after the end is refused with how it ended", async () => {
    using workspace = tempWorkspace();
    const ralph = await started(workspace, said("Ok."));
    expect(await ralph.stop()).toEqual({ exitCode: 0, signal: null, stderr: "" });
    const refusals = await Promise.all(
      [ralph.getState(), ralph.prompt("hi")].map((each) => each.catch((error) => error)),
    );
    for (const refusal of refusals) expect(refusal).toBeInstanceOf(ProcessExited);
    expect(await ralph.stop()).toEqual({ exitCode: 0, signal: null, stderr: "" });
  });
});

test("a session that is not there is told, and the process ended", async () => {
  using workspace = tempWorkspace();
  const ended = Promise.withResolvers<number | null>();
  const refusal = await started(workspace, said("Ok."), {
    session: "nowhere",
    onExit: ({ exitCode }) => ended.resolve(exitCode),
  }).catch((error) => error);
  expect(refusal).toBeInstanceOf(RpcError);
  expect(await ended.promise).toBe(0);
});
