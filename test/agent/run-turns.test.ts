import { describe, expect, test } from "bun:test";
import { createMessageQueue, type MessageQueue } from "../../src/agent/message-queue.ts";
import { type AgentOptions, runTurns } from "../../src/agent/run-turns.ts";
import type { AgentEvent } from "../../src/protocol/agent-events.ts";
import type { AssistantMessage, AssistantPart, Message, UserMessage } from "../../src/protocol/messages.ts";
import type { ModelEnd } from "../../src/protocol/model-events.ts";
import type { ModelRequest } from "../../src/protocol/model-request.ts";
import type { Tool, ToolContext } from "../../src/protocol/tool-runs.ts";

const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };

describe("the turn loop", () => {
  test("runs the calls of an answer, gives the results back, and ends when the model has nothing more to do", async () => {
    const { result, events, requests } = await agent({
      answers: [calls(["read", { path: "a" }]), says("Done.")],
      tools: [tool("read", { isReadOnly: true })],
    });
    expect(result.outcome).toEqual({ type: "done" });
    expect(result.messages.map(roleOf)).toEqual(["user", "assistant", "tool-result", "assistant"]);
    expect(result.totals).toEqual({ turns: 2, usage: { input: 2, output: 2, cacheRead: 0, cacheWrite: 0 } });
    expect(requests.map((request) => request.messages.length)).toEqual([1, 3]);
    expect(events.map((event) => event.type)).toEqual([
      "turn-start",
      "message-start",
      "message-end",
      "tool-start",
      "tool-end",
      "turn-end",
      "turn-start",
      "message-start",
      "message-end",
      "turn-end",
      "agent-end",
    ]);
  });

  test("runs reading calls beside each other, the others in order, and the same reading call once", async () => {
    const order: string[] = [];
    const gate = Promise.withResolvers<void>();
    const slow = tool("read", {
      isReadOnly: true,
      run: async ({ call }) => {
        order.push(`start ${call.input.path}`);
        if (call.input.path === "a") await gate.promise;
        else gate.resolve();
        order.push(`end ${call.input.path}`);
      },
    });
    const write = tool("write", { run: async ({ call }) => void order.push(`write ${call.input.path}`) });
    const { result } = await agent({
      answers: [
        calls(["read", { path: "a" }], ["read", { path: "b" }], ["read", { path: "a" }], ["write", { path: "c" }]),
        says("ok"),
      ],
      tools: [slow, write],
    });
    expect(order).toEqual(["start a", "start b", "end b", "end a", "write c"]);
    expect(result.messages.filter((message) => message.role === "tool-result")).toHaveLength(4);
  });

  test("gives every call a result: unknown tools, wrong arguments, denials and tools that break", async () => {
    const broken = tool("broken", { run: () => Promise.reject(new Error("oops")) });
    const picky: Tool = { ...tool("picky"), prepare: () => ({ message: '"path" is missing' }) };
    const answer = calls(["nobody", {}], ["picky", {}], ["forbidden", {}], ["broken", {}]);
    const half = answer.content.concat({ type: "tool-call", id: "h", name: "broken", input: {}, invalidInput: "{" });
    const { result } = await agent({
      answers: [{ ...answer, content: half }, says("ok")],
      tools: [broken, picky, tool("forbidden")],
      deny: { forbidden: "the person said no" },
    });
    expect(textsOf(result.messages)).toEqual([
      "Not run: no tool is called nobody.",
      'Not run: "path" is missing.',
      "Not run: the person said no.",
      "The tool broke: oops. This is a defect of the tool.",
      "Not run: the arguments were not a JSON object; send them again, complete.",
    ]);
  });

  test("puts steering in at the next tool boundary and drops the rest of the batch for it", async () => {
    const queue = createMessageQueue();
    const first = tool("first", { run: async () => queue.add("steering", user("stop that")) });
    const { result } = await agent({
      answers: [calls(["first", {}], ["second", {}]), says("ok")],
      tools: [first, tool("second")],
      queue,
    });
    expect(textsOf(result.messages)[1]).toBe("Not run: the person said something new, which comes first.");
    expect(result.messages.map(roleOf)).toEqual([
      "user",
      "assistant",
      "tool-result",
      "tool-result",
      "user",
      "assistant",
    ]);
  });

  test("finishes the batch first where steering waits, and delivers follow-ups when the model would stop", async () => {
    const queue = createMessageQueue({ steering: "all", followUp: "one-at-a-time", interrupt: "wait" });
    queue.add("follow-up", user("and then"));
    queue.add("follow-up", user("and last"));
    const first = tool("first", { run: async () => queue.add("steering", user("by the way")) });
    const { result } = await agent({
      answers: [calls(["first", {}], ["second", {}]), says("one"), says("two"), says("three")],
      tools: [first, tool("second")],
      queue,
    });
    expect(textsOf(result.messages)).toEqual(["first done", "second done"]);
    expect(result.messages.filter((message) => message.role === "user").map((message) => wordsOf(message))).toEqual([
      "go",
      "by the way",
      "and then",
      "and last",
    ]);
  });

  test("stops when it is aborted while a tool runs, and every call still has a result", async () => {
    const controller = new AbortController();
    const slow = tool("slow", {
      run: ({ signal }) =>
        new Promise<void>((resolve) => {
          signal.addEventListener("abort", () => resolve());
          controller.abort();
        }),
    });
    const { result } = await agent({
      answers: [calls(["slow", {}], ["after", {}])],
      tools: [slow, tool("after")],
      signal: controller.signal,
    });
    expect(result.outcome).toEqual({ type: "interrupted" });
    expect(textsOf(result.messages)).toEqual(["slow done", "Not run: the turn was stopped."]);
  });

  test("keeps what a broken answer said, without its calls, and reports the failure", async () => {
    const error = { kind: "stream-cut", message: "cut", retryable: true } as const;
    const partial = { ...says("Half"), stopReason: "cut" as const };
    const { result } = await agent({ answers: [{ type: "error", error, partial }] });
    expect([result.outcome, result.messages.at(-1)]).toEqual([{ type: "failed", error }, partial]);
  });

  test("asks a model that said nothing to go on, a few times", async () => {
    const silent: AssistantMessage = { ...says(""), content: [{ type: "thinking", text: "hm" }] };
    const { result, requests } = await agent({ answers: [silent, silent, silent] });
    expect([result.outcome, requests.length]).toEqual([{ type: "done" }, 3]);
  });

  test("asks for a summary at the turn limit and leaves a valid conversation behind", async () => {
    const { result, requests } = await agent({
      answers: [calls(["read", { n: 1 }]), calls(["read", { n: 2 }]), calls(["read", { n: 3 }])],
      tools: [tool("read")],
      maxTurns: 2,
    });
    expect(result.outcome).toEqual({ type: "limit-reached", limit: "turns", allowed: 2 });
    expect(requests.at(-1)?.toolChoice).toBe("none");
    expect(result.messages.at(-1)).toMatchObject({ role: "tool-result", isError: true });
  });

  test("names what is repeated: first to the model, then as the reason to stop", async () => {
    const { result } = await agent({
      answers: Array.from({ length: 20 }, () => calls(["read", { path: "a" }])),
      tools: [tool("read", { isReadOnly: true })],
    });
    expect(result.outcome).toEqual({ type: "repeating", what: "the call read with the same result", times: 6 });
    const remarks = result.messages.filter((message) => message.role === "tool-result" && message.content.length > 1);
    expect(remarks).toHaveLength(4);
  });

  test("stops before the next turn when another limit is reached", async () => {
    const limit = { type: "limit-reached", limit: "tokens", allowed: 1 } as const;
    const { result } = await agent({
      answers: [calls(["read", {}]), says("never")],
      tools: [tool("read")],
      limitReached: (totals) => (totals.usage.output >= 1 ? limit : undefined),
    });
    expect([result.outcome, result.totals.turns]).toEqual([limit, 1]);
  });

  test("sends another history from the moment it is handed one, and counts what that cost", async () => {
    const seen: string[][] = [];
    const spent = [undefined, { usage: { ...usage, input: 100 }, cost: 2 }];
    const { result, requests } = await agent({
      answers: [calls(["read", {}]), says("Done.")],
      tools: [tool("read")],
      beforeTurn: async (messages) => {
        seen.push(messages.map(roleOf));
        return seen.length === 2 ? [user("shorter")] : undefined;
      },
      takeSpent: () => spent.shift(),
    });
    expect(seen).toEqual([["user"], ["user", "assistant", "tool-result"]]);
    expect(requests.map((request) => request.messages.map(wordsOf))).toEqual([["go"], ["shorter"]]);
    expect(result.messages.map(wordsOf)).toEqual(["shorter", "Done."]);
    expect(result.totals).toEqual({ turns: 2, cost: 2, usage: { ...usage, input: 102, output: 3 } });
  });

  test("tries a failed turn again with another history, once, and not after words had arrived", async () => {
    const error = { kind: "context-overflow", message: "too long", retryable: false } as const;
    const failed = { type: "error" as const, error };
    const again = { afterFailure: async () => [user("shorter")] };
    const saved = await agent({ answers: [failed, says("Done.")], ...again });
    expect([saved.result.outcome, saved.result.totals.turns]).toEqual([{ type: "done" }, 1]);
    expect(saved.requests.map((request) => request.messages.map(wordsOf))).toEqual([["go"], ["shorter"]]);
    const lost = await agent({ answers: [failed, failed], ...again });
    expect(lost.result.outcome).toEqual({ type: "failed", error });
    const half = await agent({ answers: [{ ...failed, partial: { ...says("Half"), stopReason: "cut" } }], ...again });
    expect([half.result.outcome, half.requests.length]).toEqual([{ type: "failed", error }, 1]);
    const refused = await agent({ answers: [failed], afterFailure: async () => undefined });
    expect(refused.result.outcome).toEqual({ type: "failed", error });
  });
});

interface Setting
  extends Partial<
    Pick<AgentOptions, "maxTurns" | "limitReached" | "signal" | "beforeTurn" | "afterFailure" | "takeSpent">
  > {
  answers: (AssistantMessage | Extract<ModelEnd, { type: "error" }>)[];
  tools?: Tool[];
  deny?: Record<string, string>;
  queue?: MessageQueue;
}

async function agent({ answers, tools = [], deny = {}, queue = createMessageQueue(), ...more }: Setting) {
  const events: AgentEvent[] = [];
  const requests: ModelRequest[] = [];
  const waiting = [...answers];
  const result = await runTurns([user("go")], {
    request: (messages) => ({ system: { base: "" }, messages: [...messages], tools: [], effort: "off", stream: true }),
    streamModel: async (request) => {
      requests.push(request);
      const next = waiting.shift();
      if (next === undefined) throw new Error("the test has no further answer");
      return "type" in next ? next : { type: "done", message: next };
    },
    findTool: (name) => tools.find((candidate) => candidate.name === name),
    unknownTool: (name) => `no tool is called ${name}`,
    beforeTool: async ({ name }) =>
      deny[name] === undefined ? { type: "allow" } : { type: "deny", reason: deny[name] },
    emit: (event) => void events.push(event),
    now: () => 0,
    queue,
    costOf: () => undefined,
    maxTurns: 50,
    goesOnWhenCut: true,
    signal: new AbortController().signal,
    ...more,
  });
  return { result, events, requests };
}

function tool(
  name: string,
  more: { isReadOnly?: boolean; run?: (context: ToolContext) => Promise<unknown> } = {},
): Tool {
  return {
    name,
    aliases: [],
    description: "",
    parameters: {},
    isReadOnly: more.isReadOnly ?? false,
    prepare: () => ({
      asks: [],
      run: async (context) => {
        await more.run?.(context);
        return { content: [{ type: "text", text: `${name} done` }] };
      },
    }),
  };
}

function answer(content: AssistantPart[], stopReason: AssistantMessage["stopReason"]): AssistantMessage {
  return { role: "assistant", content, provider: "p", api: "a", model: "m", stopReason, usage };
}

function says(text: string): AssistantMessage {
  return answer([{ type: "text", text }], "stop");
}

function calls(...wanted: [name: string, input: Record<string, unknown>][]): AssistantMessage {
  return answer(
    wanted.map(([name, input], index) => ({ type: "tool-call", id: `c${index}`, name, input })),
    "tool-use",
  );
}

function user(text: string): UserMessage {
  return { role: "user", content: [{ type: "text", text }] };
}

function roleOf(message: Message): string {
  return message.role;
}

function wordsOf(message: Message): string {
  return message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

function textsOf(messages: Message[]): string[] {
  return messages.filter((message) => message.role === "tool-result").map((message) => wordsOf(message));
}
