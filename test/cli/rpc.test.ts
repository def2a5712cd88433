import { describe, expect, test } from "bun:test";
import type { SessionEvent } from "../../src/rpc/session-event-shapes.ts";
import { type Frame, type RpcHost, startRpcHost } from "../support/rpc-host.ts";
import { type TempWorkspace, tempWorkspace } from "../support/temp-workspace.ts";

// Conversations with `ralph --mode rpc`, line by line.

function started(workspace: TempWorkspace, script: string, args: string[] = []): RpcHost {
  const path = workspace.write("script.yml", script);
  return startRpcHost(["--model", `scripted/${path}`, ...args], { workspace });
}

const HELLO = `
version: 1
turns:
  - repeat: 50
    steps: [{ text: ["Hel", "lo"] }]
`;

const typesOf = (events: readonly SessionEvent[]) => events.map(({ type }) => type);
const framesOf = (host: RpcHost, type: string): Frame[] => host.frames().filter((frame) => frame.type === type);

describe("ralph --mode rpc", () => {
  test("says ready first, answers, tells a prompt's work in numbered events, and ends with its input", async () => {
    using workspace = tempWorkspace();
    await using host = started(workspace, HELLO);
    const events = await host.prompt("hi");
    const { code, stderr } = await host.finish();
    expect(host.frames()[0]).toEqual({ type: "ready" });
    expect(host.frames()[1]).toEqual({ id: "req_1", type: "response", command: "prompt", success: true });
    expect(typesOf(events)).toEqual([
      "agent_start",
      "message_start",
      "message_end",
      "turn_start",
      "message_start",
      ...Array<SessionEvent["type"]>(4).fill("message_update"),
      "message_end",
      "turn_end",
      "agent_end",
    ]);
    const frames = framesOf(host, "event");
    expect(frames.map(({ seq }) => seq)).toEqual(frames.map((_, index) => index + 1));
    expect(new Set(frames.map(({ frame_id }) => frame_id)).size).toBe(frames.length);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  test("counts the events of every session from 1, and goes on counting where it comes back to one", async () => {
    using workspace = tempWorkspace();
    await using host = started(workspace, HELLO);
    await host.prompt("one");
    const first = sessionOf(await host.request({ type: "get_state" }));
    await host.request({ type: "new_session" });
    await host.request({ type: "set_thinking_level", level: "low" });
    await host.prompt("two");
    const second = sessionOf(await host.request({ type: "get_state" }));
    const back = await host.request({ type: "switch_session", sessionPath: first });
    await host.prompt("three");
    await host.finish();
    expect(back).toEqual({
      id: back.id,
      type: "response",
      command: "switch_session",
      success: true,
      data: { cancelled: false },
    } as Frame);
    const seen = framesOf(host, "event");
    for (const session of [first, second]) {
      const numbers = seen.filter(({ session_id }) => session_id === session).map(({ seq }) => seq as number);
      expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    }
    expect(new Set(seen.map(({ session_id }) => session_id))).toEqual(new Set([first, second]));
    expect(seen.at(-1)?.session_id).toBe(first);
    const ofSecond = seen.filter(({ session_id }) => session_id === second).map(eventIn);
    expect(ofSecond[0]).toEqual({ type: "thinking_level_changed", thinkingLevel: "low" });
  });

  test("tells an unknown command and a broken line without an id, and goes on", async () => {
    using workspace = tempWorkspace();
    await using host = started(workspace, HELLO);
    host.send({ id: "x", type: "fly" });
    host.sendText('{"type":\n');
    host.sendText("\n");
    const state = await host.request({ type: "get_state" });
    await host.finish();
    expect(host.frames().slice(1, 3)).toEqual([
      {
        type: "response",
        command: "fly",
        success: false,
        error: { code: "unknown_command", message: "Unknown command: fly" },
      },
      {
        type: "response",
        command: "parse",
        success: false,
        error: { code: "parse_error", message: "The line is not JSON." },
      },
    ]);
    expect(state.success).toBe(true);
    expect(host.frames()).toHaveLength(4);
  });

  test("refuses a session name of nothing in the exact words", async () => {
    using workspace = tempWorkspace();
    await using host = started(workspace, HELLO);
    const answer = await host.request({ type: "set_session_name", name: "  " });
    expect(answer).toEqual({
      id: "req_1",
      type: "response",
      command: "set_session_name",
      success: false,
      error: "Session name cannot be empty",
    } as Frame);
  });

  test("fails a prompt while it works that does not say what becomes of it, and takes one that does", async () => {
    using workspace = tempWorkspace();
    await using host = await startedWaiting(workspace);
    await host.request({ type: "prompt", message: "begin" });
    await host.waitFor(isCall);
    const refused = await host.request({ type: "prompt", message: "more" });
    const taken = await host.request({ type: "prompt", message: "then this", streamingBehavior: "followUp" });
    const state = await host.request({ type: "get_state" });
    await host.request({ type: "abort" });
    const end = await host.waitForEvent("agent_end");
    await host.finish();
    expect([refused.success, refused.error, taken.success]).toEqual([
      false,
      'The agent is working. Say with streamingBehavior whether the message steers it ("steer") or waits ("followUp").',
      true,
    ]);
    expect(state.data).toMatchObject({ isStreaming: true, queuedMessageCount: 1 });
    expect(eventIn(end)).toMatchObject({ type: "agent_end", outcome: { type: "interrupted" } });
  });

  test("fails a prompt later with the same id where it was sent together with another", async () => {
    using workspace = tempWorkspace();
    await using host = await startedWaiting(workspace);
    host.sendText('{"type":"prompt","id":"a","message":"one"}\n{"type":"prompt","id":"b","message":"two"}\n');
    const failure = await host.waitFor((frame) => frame.type === "response" && frame.success === false);
    const answers = framesOf(host, "response").map(({ id, success }) => [id, success]);
    expect(failure.id).toBe("b");
    expect(answers.slice(1)).toEqual([
      ["a", true],
      ["b", true],
      ["b", false],
    ]);
  });

  test("answers get_state and abort while a command of the host runs, and keeps its output for the model", async () => {
    using workspace = tempWorkspace();
    await using host = started(workspace, HELLO);
    host.send({ id: "slow", type: "bash", command: "echo begun; sleep 60" });
    const state = await host.request({ type: "get_state" });
    const stopped = await host.request({ type: "abort_bash" });
    const ran = await host.waitFor(({ id }) => id === "slow");
    expect([state.success, stopped.success]).toEqual([true, true]);
    expect(ran.data).toMatchObject({ cancelled: true });
  });

  test("stops a prompt that was sent right before the abort, and works on one sent right behind it", async () => {
    using workspace = tempWorkspace();
    await using host = await startedWaiting(workspace);
    host.sendText(
      [
        '{"type":"prompt","message":"one"}',
        '{"type":"abort","id":"stop"}',
        '{"type":"prompt","message":"two"}',
        "",
      ].join("\n"),
    );
    const stop = await host.waitFor(({ id }) => id === "stop");
    await host.waitFor(isCall, host.frames().indexOf(stop));
    const ends = host.events().filter(({ type }) => type === "agent_end");
    expect(ends).toMatchObject([{ outcome: { type: "interrupted" } }]);
    const prompts = host.events().flatMap((event) => (event.type === "message_end" ? [event.message] : []));
    expect(prompts.filter(({ role }) => role === "user").map(({ content }) => content)).toEqual([
      [{ type: "text", text: "one" }],
      [{ type: "text", text: "two" }],
    ]);
  });

  test("keeps a list of phases and shows it in the state", async () => {
    using workspace = tempWorkspace();
    await using host = started(workspace, HELLO);
    const phases = [{ id: "phase-1", name: "Plan", tasks: [{ id: "task-1", content: "Look", status: "in_progress" }] }];
    const set = await host.request({ type: "set_todos", phases });
    const state = await host.request({ type: "get_state" });
    expect([set.data, (state.data as { todoPhases: unknown }).todoPhases]).toEqual([{ todoPhases: phases }, phases]);
  });

  test.each(["RALPH_RPC_EMIT_TITLE", "GJC_RPC_EMIT_TITLE", "SOMETHING_ELSE"])(
    "sends the name of the session as a title where it is asked to: %s",
    async (variable) => {
      using workspace = tempWorkspace();
      const environment = { [variable]: "1" };
      await using host = startRpcHost(["--model", "scripted/demo"], { workspace, environment });
      await host.request({ type: "set_session_name", name: "Tidy up" });
      await host.request({ type: "set_session_name", name: "Tidy up" });
      const titles = variable === "SOMETHING_ELSE" ? [] : ["Tidy up"];
      expect(framesOf(host, "extension_ui_request").map(({ method, title }) => [method, title])).toEqual(
        titles.map((title) => ["setTitle", title]),
      );
    },
  );

  test("gives tools and the system prompt only where they are asked for", async () => {
    using workspace = tempWorkspace();
    await using host = started(workspace, HELLO);
    const plain = (await host.request({ type: "get_state" })).data as Record<string, unknown>;
    const whole = (await host.request({ type: "get_state", include: ["dumpTools", "systemPrompt"] })).data;
    const { systemPrompt, dumpTools, ...rest } = whole as Record<string, unknown[]>;
    expect(rest).toEqual(plain as Record<string, unknown[]>);
    expect(systemPrompt).toHaveLength(1);
    expect(dumpTools).toContainEqual(expect.objectContaining({ name: "read_file" }));
  });
});

/** Waits in a tool of the host, which never answers. */
const WAITS = `
version: 1
turns:
  - repeat: 5
    steps: [{ tool: { name: wait, input: {} } }]
`;

const WAIT_TOOL = { name: "wait", description: "Waits", parameters: { type: "object", properties: {} } };

async function startedWaiting(workspace: TempWorkspace): Promise<RpcHost> {
  const host = started(workspace, WAITS);
  await host.request({ type: "set_host_tools", tools: [WAIT_TOOL] });
  return host;
}

const isCall = ({ type }: Frame) => type === "host_tool_call";

function sessionOf({ data }: Frame): string {
  return (data as { sessionId: string }).sessionId;
}

function eventIn({ payload }: Frame): SessionEvent {
  return (payload as { event: SessionEvent }).event;
}
