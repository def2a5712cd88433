import { describe, expect, test } from "bun:test";
import { at } from "../../src/protocol/json.ts";
import { findProcess } from "../../src/system/process-table.ts";
import { textAnswer, toolCallAnswer } from "../support/fake-answer.ts";
import { type FrontDoor, openFrontDoor, outcomeOf } from "../support/front-door.ts";

interface Sent {
  model: unknown;
  system: unknown;
  tools: { name: string }[];
  messages: { role: string; content: unknown }[];
}

function sent({ provider }: FrontDoor): Sent[] {
  return provider.requests.map(({ body }) => body as Sent);
}

function toolNames(request: Sent | undefined): string[] {
  return request?.tools.map(({ name }) => name) ?? [];
}

/** What a provider caches: model, system prompt, tools, and the conversation up to the part that changes. */
function prefixOf(request: Sent | undefined): string {
  const plain = JSON.stringify(request, (key, value) => (key === "cache_control" ? undefined : value));
  const { model, system, tools, messages } = JSON.parse(plain) as Sent;
  const conversation = messages.map(({ role, content }) => ({ role, content: withoutContext(content) }));
  return JSON.stringify([model, system, tools, conversation]);
}

/** The changing part is the last block of the last message. */
function withoutContext(content: unknown): unknown {
  const blocks = Array.isArray(content) ? content : [{ type: "text", text: content }];
  return blocks.filter((block) => !String(at(block, "text")).startsWith("<context>"));
}

function expectSamePrefix(before: Sent | undefined, after: Sent | undefined): void {
  const [old, young] = [prefixOf(before), prefixOf(after)];
  // The list of messages is closed in one and goes on in the other.
  expect(young.slice(0, old.length - 2)).toBe(old.slice(0, -2));
}

describe("what providers cache stays byte for byte the same", () => {
  test("over turns, a change of mode, added tools, new tasks and a resume", async () => {
    using ralph = await openFrontDoor();
    ralph.workspace.write("project/a.txt", "one\n");
    ralph.workspace.write("project/AGENTS.md", "Be kind.");
    ralph.provider.answer(
      toolCallAnswer({ name: "read_file", input: { path: "a.txt" } }),
      toolCallAnswer({ name: "search_tools", input: { query: "file_info", limit: 1 } }),
      toolCallAnswer({ name: "switch_mode", input: { mode: "plan" } }),
      toolCallAnswer({ name: "TodoWrite", input: { todos: [{ content: "look", status: "pending", id: "1" }] } }),
      textAnswer("I looked."),
      textAnswer("I go on."),
    );
    await ralph.run(["-p", "look", "--yolo"]);
    // Somebody changes the instructions in between: the session goes on with those it began with.
    ralph.workspace.write("project/AGENTS.md", "Be quick.");
    await ralph.run(["-p", "-c", "go on"]);
    const requests = sent(ralph);
    expect(requests).toHaveLength(6);
    for (const [index, request] of requests.entries()) {
      const before = requests[index - 1];
      if (before === undefined) continue;
      const grew = index === 2;
      expectSamePrefix(grew ? { ...before, tools: request.tools } : before, request);
      expect(toolNames(request).slice(0, before.tools.length)).toEqual(toolNames(before));
    }
    expect(toolNames(requests[2]).slice(toolNames(requests[1]).length)).toEqual(["file_info"]);
    // Mode and tasks are there after the resume as well, in the part that changes.
    const tail = JSON.stringify(requests[5]?.messages.at(-1));
    expect(tail).toContain("look");
    expect(JSON.stringify(requests[4]?.messages.at(-1))).toContain("Mode: plan.");
    expect(tail).toContain("Mode: plan.");
  });
});

describe("a resumed session", () => {
  test("keeps model and effort unless others are given now", async () => {
    using ralph = await openFrontDoor();
    await ralph.run(["-p", "one", "--model", "anthropic/claude-haiku-4-5", "--effort", "low"]);
    await ralph.run(["-p", "-c", "two"]);
    await ralph.run(["-p", "-c", "three", "--model", "anthropic/claude-sonnet-4-6"]);
    await ralph.run(["-p", "-c", "four"]);
    expect(sent(ralph).map(({ model }) => model)).toEqual([
      "claude-haiku-4-5",
      "claude-haiku-4-5",
      "claude-sonnet-4-6",
      "claude-sonnet-4-6",
    ]);
    const [first, second] = ralph.provider.requests.map(({ body }) => at(body, "thinking"));
    expect(second).toEqual(first);
  });

  test("says so when its model cannot be used any more, and goes on with another", async () => {
    using ralph = await openFrontDoor();
    await ralph.run(["-p", "one", "--model", "openai/gpt-5.5"], {
      environment: { OPENAI_API_KEY: "sk-openai", OPENAI_BASE_URL: `${ralph.provider.origin}/v1` },
    });
    const { code, stderr } = await ralph.run(["-p", "-c", "two"]);
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(
        /^ralph: The session used openai\/gpt-5\.5, which cannot be used now: .* It goes on with anthropic\/.*\n$/,
      ),
    ]);
  });

  test("sends what was typed and never sent", async () => {
    using ralph = await openFrontDoor();
    await ralph.run(["-p", "one"]);
    const [file = ""] = ralph.workspace.find("ralph-home/data/sessions/**/*.jsonl");
    const lines = ralph.workspace.read(file).trimEnd().split("\n");
    const leaf = JSON.parse(lines.at(-1) ?? "{}").id;
    const waiting = {
      id: "waiting1",
      parentId: leaf,
      at: "2026-01-01T00:00:00.000Z",
      type: "queued",
      kind: "follow-up",
    };
    const message = { role: "user", content: [{ type: "text", text: "and then this" }] };
    ralph.workspace.write(file, `${[...lines, JSON.stringify({ ...waiting, message })].join("\n")}\n`);
    await ralph.run(["-p", "-c", "two"]);
    await ralph.run(["-p", "-c", "three"]);
    const texts = (request: Sent | undefined) =>
      JSON.stringify(request?.messages)
        .match(/"(one|two|three|and then this|ok)"/g)
        ?.map((text) => text.slice(1, -1));
    expect(sent(ralph).map(texts)).toEqual([
      ["one"],
      ["one", "ok", "two"],
      ["one", "ok", "two", "ok", "and then this"],
      ["one", "ok", "two", "ok", "and then this", "ok", "three"],
    ]);
  });

  test("can be forked: the copy goes on, the original stays as it was", async () => {
    using ralph = await openFrontDoor();
    await ralph.run(["-p", "one"]);
    const [file = ""] = ralph.workspace.find("ralph-home/data/sessions/**/*.jsonl");
    const before = ralph.workspace.read(file);
    expect((await ralph.run(["-p", "-c", "--fork", "two"])).code).toBe(0);
    expect(ralph.workspace.read(file)).toBe(before);
    expect(ralph.workspace.find("ralph-home/data/sessions/**/*.jsonl")).toHaveLength(2);
    expect(sent(ralph)[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  });

  test("that is open elsewhere is refused, and can be forked", async () => {
    using ralph = await openFrontDoor();
    await ralph.run(["-p", "one"]);
    const gate = Promise.withResolvers<void>();
    ralph.provider.answer(textAnswer("slow", { fault: { type: "hold", afterEvents: 1, until: gate.promise } }));
    await using first = ralph.start(["-p", "-c", "two"]);
    first.closeInput();
    await ralph.provider.nextRequest();
    await ralph.provider.nextRequest();
    const { code, stdout, stderr } = await ralph.run(["-p", "-c", "three"]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(
      /^ralph: The session .* is open in ralph \(process \d+ on .*\)\. Close it there, or fork the session\.\n$/,
    );
    expect((await ralph.run(["-p", "-c", "--fork", "three"])).code).toBe(0);
    gate.resolve();
    expect((await first.exited).code).toBe(0);
  });
});

describe("safe mode", () => {
  test("offers only tools that look, refuses the others below the model, and survives a resume", async () => {
    using ralph = await openFrontDoor();
    const write = toolCallAnswer({ name: "write_file", input: { path: "x.txt", content: "x" } });
    ralph.provider.answer(write, textAnswer("no"), write, textAnswer("no"));
    await ralph.run(["-p", "write", "--safe", "--yolo"]);
    await ralph.run(["-p", "-c", "write again", "--yolo"]);
    expect(ralph.workspace.find("project/x.txt")).toEqual([]);
    const [first, second, third] = sent(ralph);
    expect(toolNames(first)).toEqual([
      "read_file",
      "search_files",
      "glob_files",
      "list_dir",
      "view_image",
      "web_fetch",
      "update_plan",
    ]);
    expect(toolNames(third)).toEqual(toolNames(first));
    expect(JSON.stringify(second?.messages)).toContain("safe mode offers only");
    expect(JSON.stringify(sent(ralph)[3]?.messages.at(-1))).toContain("safe mode offers only");
  });
});

test("a session nobody can find is a usage error that says what to do", async () => {
  using ralph = await openFrontDoor();
  const { code, stdout } = outcomeOf(await ralph.run(["-p", "-c", "hello"]));
  expect([code, stdout]).toEqual([2, ""]);
});

test("commands a killed Ralph left running are ended when its session is resumed", async () => {
  using ralph = await openFrontDoor();
  ralph.provider.answer(
    toolCallAnswer({ name: "shell", input: { command: "echo $$ > pid; setsid sleep 300 & sleep 301" } }),
  );
  // In the sandbox nothing outlives a killed Ralph.
  await using first = ralph.start(["-p", "go", "--yolo", "--sandbox", "off"]);
  first.closeInput();
  const pidFile = `${ralph.workspace.project}/pid`;
  while (!(await Bun.file(pidFile).exists()) || (await Bun.file(pidFile).text()) === "") await Bun.sleep(5);
  first.kill("SIGKILL");
  await first.exited;
  const { stderr } = await ralph.run(["-p", "-c", "go on"]);
  expect(stderr).toMatch(/ralph: What Ralph had left running was ended \(process \d+(, \d+)+\)\.\n/);
  const pid = Number(await Bun.file(pidFile).text());
  expect(findProcess(pid)).toBeUndefined();
});
