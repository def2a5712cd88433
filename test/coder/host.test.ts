import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { CoderWarden } from "../../src/coder/coder-host.ts";
import type { HostScheme } from "../../src/protocol/host-schemes.ts";
import type { Tool } from "../../src/protocol/tool-runs.ts";
import { createHostAddresses } from "../../src/tools/host-addresses.ts";
import { textAnswer, toolCallAnswer } from "../support/fake-answer.ts";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { openTestCoder, saying, type TestCoder, type TestCoderOptions } from "../support/open-test-coder.ts";
import { type TempWorkspace, tempWorkspace } from "../support/temp-workspace.ts";

// What whoever drives an agent brings along: tools, addresses, a warden.

let workspace: TempWorkspace;
let provider: FakeProvider;
let addresses: ReturnType<typeof createHostAddresses>;
let warden: CoderWarden | undefined;
let calls: unknown[];

beforeEach(async () => {
  workspace = tempWorkspace();
  provider = await startFakeProvider();
  addresses = createHostAddresses();
  warden = undefined;
  calls = [];
});
afterEach(() => {
  provider.stop();
  workspace.stop();
});

function open(options: Partial<TestCoderOptions> & { hostTools?: Tool[] } = {}): Promise<TestCoder> {
  const { hostTools = [], ...own } = options;
  const host = { tools: () => hostTools, addresses, warden: () => warden };
  return openTestCoder({ workspace, provider, yolo: true, host, ...own });
}

function hostTool(name: string, description = `What ${name} does`): Tool {
  return {
    name,
    aliases: [],
    description,
    parameters: { type: "object", properties: { value: { type: "string" } } },
    isReadOnly: false,
    prepare: (input) => ({
      asks: [],
      async run() {
        calls.push({ name, input });
        return { content: [{ type: "text", text: `${name} says ${String(input.value)}` }] };
      },
    }),
  };
}

async function ask(coder: TestCoder, text: string) {
  await coder.call("prompt", { message: saying(text) });
  return (await coder.next("agent-end")).outcome;
}

async function resultOf(coder: TestCoder, name: string, input: Record<string, unknown>) {
  provider.answer(toolCallAnswer({ name, input }), textAnswer("Done."));
  await ask(coder, "go");
  const { result } = await coder.next("tool-end");
  return { isError: result.isError, text: result.content.map((part) => (part.type === "text" ? part.text : "")) };
}

interface Body {
  tools: { name: string; description?: string }[];
  messages: { role: string; content: unknown }[];
}

function toolsSent(): string[][] {
  return provider.requests.map(({ body }) => (body as Body).tools.map(({ name }) => name));
}

describe("tools of the host", () => {
  test("are called by the model, and come at the end of a list that is byte for byte what it was", async () => {
    await using coder = await open();
    await ask(coder, "before");
    expect(coder.setHostTools([hostTool("lookup")])).toBeUndefined();
    expect(await resultOf(coder, "lookup", { value: "x" })).toEqual({ isError: false, text: ["lookup says x"] });
    expect(calls).toEqual([{ name: "lookup", input: { value: "x" } }]);
    const [before = [], after = []] = toolsSent();
    expect(after).toEqual([...before, "lookup"]);
    const bytes = provider.requests.slice(0, 2).map(({ body }) => JSON.stringify((body as Body).tools.slice(0, -1)));
    expect(bytes[1]?.startsWith(bytes[0]?.slice(0, -1) ?? "?")).toBe(true);
  });

  test("that are gone stay in the list and say so when they are called; others come behind them", async () => {
    await using coder = await open({ hostTools: [hostTool("first")] });
    await ask(coder, "one");
    coder.setHostTools([hostTool("second"), hostTool("first", "Other words")]);
    await ask(coder, "two");
    coder.setHostTools([hostTool("second")]);
    expect(await resultOf(coder, "first", {})).toEqual({
      isError: true,
      text: ["Not run: first was offered before and is gone now. Go on without it."],
    });
    const sent = toolsSent();
    expect(sent[1]).toEqual([...(sent[0] ?? []), "second"]);
    expect(sent[2]).toEqual(sent[1] ?? []);
    const described = provider.requests.map(
      ({ body }) => (body as Body).tools.find(({ name }) => name === "first")?.description,
    );
    expect(new Set(described)).toEqual(new Set(["What first does"]));
  });

  test("keep their place in a resumed session, although they are given only after it was opened", async () => {
    const first = await open({ hostTools: [hostTool("lookup")] });
    provider.answer(
      toolCallAnswer({ name: "search_tools", input: { query: "file_info", limit: 1 } }),
      textAnswer("Found."),
    );
    await ask(first, "one");
    await ask(first, "two");
    const { path } = first.session;
    await first[Symbol.asyncDispose]();
    await using second = await open({ resume: path ?? "" });
    second.setHostTools([hostTool("lookup")]);
    await ask(second, "three");
    const sent = toolsSent();
    expect(sent.at(-1)).toEqual(sent.at(-2) ?? []);
    expect(sent.at(-1)?.slice(-2)).toEqual(["lookup", "file_info"]);
  });

  test("are all there is where no other tools are offered", async () => {
    await using coder = await open({ tools: [] });
    coder.setHostTools([hostTool("lookup"), hostTool("read_file")]);
    expect(await resultOf(coder, "read_file", { value: "x" })).toEqual({ isError: false, text: ["read_file says x"] });
    expect(toolsSent()[0]).toEqual(["lookup", "read_file"]);
  });

  test("with the name of one of Ralph's own are refused, and nothing changes", async () => {
    await using coder = await open({ hostTools: [hostTool("lookup")] });
    expect(coder.setHostTools([hostTool("other"), hostTool("shell")])).toBe(
      "Ralph has a tool shell already. Give yours another name.",
    );
    await ask(coder, "go");
    expect(toolsSent()[0]?.at(-1)).toBe("lookup");
  });

  test("are not run in a mode that only looks, nor in safe mode, whatever they are called", async () => {
    await using coder = await open({ tools: [], hostTools: [hostTool("ask_user"), hostTool("web_search")] });
    await coder.call("set_mode", { mode: "plan" });
    expect(await resultOf(coder, "ask_user", {})).toMatchObject({ isError: true });
    await coder.call("set_mode", { mode: "default" });
    await coder.call("set_safe", { safe: true });
    expect(await resultOf(coder, "web_search", {})).toMatchObject({ isError: true });
    expect(calls).toEqual([]);
  });

  test("are not shown in safe mode, and are when it is left", async () => {
    await using coder = await open({ safe: true });
    coder.setHostTools([hostTool("lookup")]);
    await ask(coder, "one");
    await coder.call("set_safe", { safe: false });
    await ask(coder, "two");
    expect(toolsSent().map((names) => names.includes("lookup"))).toEqual([false, true]);
  });
});

function scheme(over: Partial<HostScheme> = {}): HostScheme {
  return {
    scheme: "db",
    description: "Rows",
    writable: true,
    immutable: false,
    async read(url) {
      calls.push({ read: url });
      return { ok: true, content: "id=42\nname=Alice\n" };
    },
    async write(url, content) {
      calls.push({ write: url, content });
      return { ok: true };
    },
    ...over,
  };
}

describe("addresses of the host", () => {
  test("are read with the lines of a file, in parts too, and the model is told that they are there", async () => {
    await using coder = await open();
    addresses.replace([scheme()]);
    const read = await resultOf(coder, "read_file", { path: "DB://users/42", start_line: 2 });
    expect(read).toEqual({
      isError: false,
      text: [expect.stringMatching(/^2:[^|]*\|name=Alice\n\(lines 2-2 of 2\)$/)],
    });
    expect(calls).toEqual([{ read: "DB://users/42" }]);
    expect(JSON.stringify(provider.requests[0]?.body)).toContain("- db://… for read_file and write_file: Rows");
  });

  test("come with what the host says about them, and with its refusals", async () => {
    await using coder = await open();
    addresses.replace([
      scheme({
        read: async (url) =>
          url.endsWith("1")
            ? { ok: true, content: "x", contentType: "text/plain", notes: ["fresh"] }
            : { ok: false, message: "row 2 not found" },
      }),
    ]);
    const { text } = await resultOf(coder, "read_file", { path: "db://1" });
    expect(text.slice(1)).toEqual(["(content type: text/plain)", "(fresh)"]);
    expect(await resultOf(coder, "read_file", { path: "db://2" })).toEqual({
      isError: true,
      text: ["row 2 not found"],
    });
  });

  test("are written where they can be, and not in a mode that only looks", async () => {
    await using coder = await open();
    addresses.replace([scheme(), scheme({ scheme: "log", writable: false })]);
    const write = (path: string) => resultOf(coder, "write_file", { path, content: "a\nb\n" });
    expect(await write("db://1")).toEqual({ isError: false, text: ["Wrote db://1 (2 lines, 4 bytes)."] });
    expect(await write("log://1")).toEqual({
      isError: true,
      text: ["log://1 cannot be written: addresses of log:// are only read."],
    });
    await coder.call("set_mode", { mode: "plan" });
    expect(await write("db://2")).toMatchObject({ isError: true });
    expect(calls).toEqual([{ write: "db://1", content: "a\nb\n" }]);
  });

  test("are no paths for any other tool", async () => {
    await using coder = await open();
    addresses.replace([scheme()]);
    const refusal = "db://1 is an address, not a path of a file. Only read_file and write_file take it.";
    const others: [string, Record<string, unknown>][] = [
      ["edit_file", { path: "db://1", old_string: "a", new_string: "b" }],
      ["append_file", { path: "db://1", content: "a" }],
      ["delete_file", { path: "db://1" }],
      ["list_dir", { path: "db://1" }],
      ["search_files", { pattern: "a", path: "db://1" }],
      ["shell", { command: "pwd", working_dir: "db://1" }],
    ];
    for (const [name, input] of others)
      expect([name, await resultOf(coder, name, input)]).toEqual([name, { isError: true, text: [refusal] }]);
    expect(calls).toEqual([]);
  });

  test("of schemes nobody registered are ordinary paths, and so are those of schemes that are gone", async () => {
    await using coder = await open();
    workspace.write("project/db:/users/1", "a file\n");
    const read = () => resultOf(coder, "read_file", { path: "db://users/1" });
    expect((await read()).text[0]).toContain("a file");
    addresses.replace([scheme()]);
    expect((await read()).text[0]).toContain("Alice");
    addresses.replace([]);
    expect((await read()).text[0]).toContain("a file");
  });

  test("that never change are asked for once, until they are written or schemes are given anew", async () => {
    await using coder = await open();
    addresses.replace([scheme({ immutable: true })]);
    const read = () => resultOf(coder, "read_file", { path: "db://1" });
    await read();
    await read();
    await resultOf(coder, "write_file", { path: "db://1", content: "x" });
    await read();
    addresses.replace([scheme({ immutable: true })]);
    await read();
    expect(calls).toEqual([
      { read: "db://1" },
      { write: "db://1", content: "x" },
      { read: "db://1" },
      { read: "db://1" },
    ]);
  });
});

describe("a warden", () => {
  test("refuses a call before the gate is asked, and the model is told why", async () => {
    await using coder = await open();
    const seen: unknown[] = [];
    warden = {
      async beforeTool({ name }, asks) {
        seen.push([name, asks.map(({ category }) => category)]);
        return name === "shell" ? "no commands today" : undefined;
      },
      beforeModel: async () => undefined,
      afterModel: () => {},
    };
    expect(await resultOf(coder, "shell", { command: "touch made" })).toEqual({
      isError: true,
      text: ["Not run: no commands today."],
    });
    expect(await resultOf(coder, "write_file", { path: "a.txt", content: "a" })).toMatchObject({ isError: false });
    expect(seen).toEqual([
      ["shell", ["shell"]],
      ["write_file", ["file_write"]],
    ]);
    expect(workspace.find("project/*")).toEqual(["project/a.txt"]);
  });

  test("ends the work before a request it refuses, and is told what the others used", async () => {
    await using coder = await open();
    const spent: unknown[] = [];
    warden = {
      beforeTool: async () => undefined,
      beforeModel: async ({ id }) => (spent.length === 0 ? undefined : `the tokens for ${id} are used up`),
      afterModel: (used) => void spent.push(used),
    };
    provider.answer(toolCallAnswer({ name: "list_dir", input: {} }));
    expect(await ask(coder, "go")).toEqual({
      type: "failed",
      error: { kind: "invalid-request", message: "the tokens for one are used up", retryable: false },
    });
    expect(provider.requests.length).toBe(1);
    expect(spent).toEqual([{ usage: { input: 20, output: 8, cacheRead: 0, cacheWrite: 0, cacheWriteLong: 0 } }]);
  });
});
