import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import {
  BUILTIN_TOOLS,
  type CustomTool,
  type CustomToolContext,
  createTools,
  EventBus,
  SessionManager,
  Settings,
} from "../../src/sdk.ts";
import { textAnswer, toolCallAnswer } from "../support/fake-answer.ts";
import { bodies, type OpenSession, openSdkDoor, type SdkDoor, saidIn } from "../support/sdk-door.ts";

let door: SdkDoor;

beforeEach(async () => {
  door = await openSdkDoor();
});
afterEach(() => door[Symbol.asyncDispose]());

const TEXT = {
  type: "object",
  properties: { text: { type: "string" } },
  required: ["text"],
  additionalProperties: false,
};

function echo(more: Partial<CustomTool> = {}): CustomTool {
  return { name: "echo", description: "Says it again.", parameters: TEXT, execute: ({ text }) => `${text}!`, ...more };
}

function toolsSent(): string[][] {
  return bodies(door).map(({ tools = [] }) => tools.map(({ name }) => name));
}

async function resultOf({ session, events }: OpenSession, name: string, input: Record<string, unknown>) {
  door.provider.answer(toolCallAnswer({ name, input }), textAnswer("Done."));
  await session.prompt("go");
  const end = events.findLast(({ type }) => type === "tool_execution_end");
  return end?.type === "tool_execution_end" ? { isError: end.isError, content: end.result.content } : undefined;
}

function text(words: string, isError = false) {
  return { isError, content: [{ type: "text" as const, text: words }] };
}

describe("tools of the program", () => {
  test("are called with what fits their schema, and know the task they are called in", async () => {
    const seen: { input: unknown; context: CustomToolContext }[] = [];
    const eventBus = new EventBus();
    const opened = await door.create({
      eventBus,
      taskDepth: 2,
      parentTaskPrefix: "parent-",
      outputSchema: { type: "string" },
      customTools: [
        echo({
          execute(input, context) {
            seen.push({ input, context });
            return { content: [{ type: "text", text: "seen" }] };
          },
        }),
      ],
    });
    door.provider.answer(toolCallAnswer({ name: "echo", input: { text: 3 } }));
    expect(await resultOf(opened, "echo", { text: "hi" })).toEqual(text("seen"));
    expect(seen.map(({ input }) => input)).toEqual([{ text: "hi" }]);
    const { signal, update, ...rest } = seen[0]?.context ?? ({} as CustomToolContext);
    expect([signal.aborted, typeof update]).toEqual([false, "function"]);
    expect(rest).toEqual({
      cwd: door.workspace.project,
      eventBus,
      taskDepth: 2,
      parentTaskPrefix: "parent-",
      outputSchema: { type: "string" },
      toolCallId: "call_1",
    });
    const refused = opened.events.find(({ type }) => type === "tool_execution_end");
    expect(JSON.stringify(refused)).toContain("Not run: /text: has to be string, not number.");
  });

  test("fail with what they throw, and their long texts are cut with a word about it", async () => {
    const opened = await door.create({
      customTools: [
        echo({
          execute({ text }) {
            if (text === "long") return "x".repeat(100_001);
            throw new Error(`no ${text}`);
          },
        }),
      ],
    });
    expect(await resultOf(opened, "echo", { text: "way" })).toEqual(text("no way", true));
    expect(await resultOf(opened, "echo", { text: "long" })).toEqual(
      text(`${"x".repeat(100_000)}\n[1 more characters were left out]`),
    );
  });

  test("that ask are refused where nobody answers", async () => {
    const asks: CustomTool["asks"] = () => [{ category: "plugin", resources: ["echo"], summary: "echo something" }];
    const opened = await door.create({ customTools: [echo({ asks })] });
    const refused = await resultOf(opened, "echo", { text: "hi" });
    expect([refused?.isError, JSON.stringify(refused).includes("Not run")]).toEqual([true, true]);
    const asked: string[] = [];
    opened.setToolUIContext({ onAsk: ({ summary }) => asked.push(summary) > 0 }, true);
    expect(await resultOf(opened, "echo", { text: "hi" })).toEqual(text("hi!"));
    expect(asked).toEqual(["echo something"]);
    opened.setToolUIContext({ onAsk: () => true }, false);
    expect((await resultOf(opened, "echo", { text: "hi" }))?.isError).toBe(true);
  });

  test.each([
    ["a name that is taken", { name: "read" }, "There is a tool read already. Give yours another name."],
    ["the name of yield", { name: "yield" }, "There is a tool yield already. Give yours another name."],
    ["no name", { name: "a b" }, '"a b" is no name for a tool: letters, digits, _ and -, at most 64.'],
    [
      "a schema nobody checks",
      { parameters: { type: "object", unevaluated: 1 } },
      "The parameters of echo: #/unevaluated is a keyword Ralph does not check. Leave it out, or say it in another way.",
    ],
    [
      "a schema of something else",
      { parameters: { type: "string" } },
      "The parameters of echo must be a JSON Schema of type object.",
    ],
  ] as [string, Partial<CustomTool>, string][])("with %s are refused", async (_, more, message) => {
    await expect(door.create({ customTools: [echo(more)] })).rejects.toThrow(message);
  });
});

test("files with long output carry the prefix of the task", async () => {
  const opened = await door.create({
    parentTaskPrefix: "task-7-",
    settings: Settings.isolated({ sandbox: "off" }),
    onAsk: () => true,
  });
  await resultOf(opened, "shell", { command: "seq 1 60000" });
  expect(door.workspace.find("ralph-home/data/artifacts/*")).toEqual([
    expect.stringMatching(/^ralph-home\/data\/artifacts\/task-7-shell-[0-9a-f-]{36}\.txt$/),
  ]);
});

describe("which tools there are", () => {
  test("is said by names, other spellings too, or by all of them at once", async () => {
    const named = await door.create({ toolNames: ["read", "grep", "find", "edit", "write"], customTools: [echo()] });
    expect(named.session.getActiveToolNames()).toEqual([
      "read_file",
      "search_files",
      "glob_files",
      "edit_file",
      "write_file",
      "echo",
    ]);
    const whole = await door.create({ tools: [...(await createTools(["read"])), echo()] });
    expect(whole.session.getActiveToolNames()).toEqual(["read_file", "echo"]);
    const none = await door.create({ tools: [] });
    expect(none.session.getActiveToolNames()).toEqual([]);
    await expect(door.create({ toolNames: ["raed"] })).rejects.toThrow('Unknown tool "raed". Did you mean read?');
    await expect(createTools(["raed"])).rejects.toThrow('Ralph has no tool "raed". There are: read_file,');
  });

  test("are those of the list when nothing is said", async () => {
    expect((await createTools()).map(({ name }) => name)).toEqual([...BUILTIN_TOOLS]);
    const { session } = await door.create();
    expect(session.getAllToolNames()).toEqual([...BUILTIN_TOOLS, "search_tools", "switch_mode"]);
  });

  test("changes on the way, for the next request and the next session, and what is off cannot be called", async () => {
    const opened = await door.create({ customTools: [echo()] });
    const { session } = opened;
    await session.prompt("before");
    session.setActiveToolsByName(["echo", "web_fetch"]);
    expect(session.getActiveToolNames()).toEqual(["echo", "web_fetch"]);
    const call = await resultOf(opened, "read_file", { path: "a.txt" });
    expect(JSON.stringify(call)).toContain('There is no tool named \\"read_file\\"');
    expect(() => session.setActiveToolsByName(["nobody"])).toThrow('There is no tool "nobody". There are: read_file,');
    await session.newSession();
    await session.prompt("after");
    const usual = [...(toolsSent()[0] ?? [])];
    expect(toolsSent()).toEqual([usual, ["echo", "web_fetch"], ["echo", "web_fetch"], ["echo", "web_fetch"]]);
    session.setActiveToolsByName(usual);
    await session.prompt("all");
    expect(toolsSent().at(-1)).toEqual(usual);
    expect(session.getAllToolNames().length).toBe(BUILTIN_TOOLS.length + 3);
  });
});

describe("yield", () => {
  const VERDICT = {
    type: "object",
    properties: { verdict: { enum: ["good", "bad"] } },
    required: ["verdict"],
    additionalProperties: false,
  };

  test("ends the work with a value that fits, and what does not fit is sent back", async () => {
    const { session } = await door.create({ outputSchema: VERDICT });
    door.provider.answer(
      toolCallAnswer({ name: "yield", input: { verdict: "so so" } }),
      toolCallAnswer({ name: "yield", input: { verdict: "good" } }),
    );
    const result = await session.prompt("judge");
    expect([result.outcome, result.yielded, session.lastYield]).toEqual([
      { type: "done" },
      { value: { verdict: "good" } },
      { verdict: "good" },
    ]);
    expect(door.provider.requests.length).toBe(2);
    expect(door.provider.requests[1]?.rawBody).toContain("the result does not fit: /verdict: has to be one of");
    door.provider.answer(toolCallAnswer({ name: "yield", input: { verdict: "bad" } }));
    await session.prompt("judge again");
    expect(session.lastYield).toEqual({ verdict: "bad" });
  });

  test("is asked for twice where the model only talks, and then there is no value", async () => {
    const { session } = await door.create({ requireYieldTool: true, toolNames: [] });
    door.provider.answer(textAnswer("Good, I think."), toolCallAnswer({ name: "yield", input: { value: [1, null] } }));
    expect((await session.prompt("judge")).yielded).toEqual({ value: [1, null] });
    const { yielded, text: last } = await session.prompt("judge again");
    expect([yielded, session.lastYield, last]).toEqual([undefined, undefined, "ok"]);
    const reminder = "You have not handed in the result. Call yield with it now.";
    expect(saidIn(bodies(door).at(-1) ?? { model: "", system: [], messages: [] })).toEqual([
      "judge",
      reminder,
      "judge again",
      reminder,
      reminder,
    ]);
  });

  test("is offered without being asked for where it is only named, and hidden where it is not", async () => {
    const { session } = await door.create({ toolNames: ["read", "yield"] });
    expect(session.getActiveToolNames()).toEqual(["read_file", "yield"]);
    expect((await session.prompt("talk")).yielded).toBeUndefined();
    expect(door.provider.requests.length).toBe(1);
    const plain = await door.create();
    expect(plain.session.getAllToolNames()).not.toContain("yield");
  });

  test("leaves what was said meanwhile to be worked on next", async () => {
    const { session } = await door.create({
      toolNames: ["yield"],
      customTools: [echo({ execute: () => session.steer("and then?").then(() => "said") })],
    });
    door.provider.answer(
      toolCallAnswer({ name: "echo", input: { text: "x" } }, { name: "yield", input: { value: 1 }, id: "call_2" }),
    );
    const first = await session.prompt("judge");
    expect(first.outcome).toEqual({ type: "done" });
    const request = await door.provider.nextRequest().then(() => door.provider.nextRequest());
    expect(request.rawBody).toContain("and then?");
  });

  test("takes any value of any schema that is no object, references included", async () => {
    const { session } = await door.create({
      sessionManager: SessionManager.inMemory(),
      outputSchema: { $defs: { count: { type: "integer" } }, type: "array", items: { $ref: "#/$defs/count" } },
    });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer()), async (value) => {
        door.provider.answer(toolCallAnswer({ name: "yield", input: { value } }));
        expect((await session.prompt("count")).yielded).toEqual({ value });
      }),
      { numRuns: 5 },
    );
    expect(bodies(door)[0]?.tools?.at(-1)?.input_schema).toMatchObject({
      properties: { value: { type: "array", items: { type: "integer" } } },
      required: ["value"],
    });
    await expect(door.create({ outputSchema: { type: "what" } })).rejects.toThrow("outputSchema: #/type");
  });
});
