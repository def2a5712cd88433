import { describe, expect, test } from "bun:test";
import { type Frame, type RpcHost, startRpcHost } from "../support/rpc-host.ts";
import { type TempWorkspace, tempWorkspace } from "../support/temp-workspace.ts";

// What Ralph asks of the host, and what it makes of the answers.

const ECHO = {
  name: "echo",
  description: "Echoes",
  parameters: {
    type: "object",
    properties: { message: { type: "string" } },
    required: ["message"],
    additionalProperties: false,
  },
};

/** The model makes this call, and says something then. */
function callScript(name: string, input: object): string {
  return JSON.stringify({
    version: 1,
    turns: [{ steps: [{ tool: { name, input, id: "call" } }] }, { steps: [{ text: "Done." }] }],
  });
}

async function started(workspace: TempWorkspace, script: string): Promise<RpcHost> {
  const path = workspace.write("script.json", script);
  const host = startRpcHost(["--model", `scripted/${path}`], { workspace });
  await host.request({ type: "set_host_tools", tools: [ECHO] });
  await host.request({ type: "set_host_uri_schemes", schemes: [{ scheme: "DB", writable: true }] });
  return host;
}

const ofType = (type: string) => (frame: Frame) => frame.type === type;
const text = (words: string) => ({ content: [{ type: "text", text: words }] });

/** What the model was given for its call. */
function resultIn(host: RpcHost): { content: unknown; isError: boolean } | undefined {
  const [result] = host.events().flatMap((event) => (event.type === "tool_execution_end" ? [event] : []));
  return result && { content: result.result.content, isError: result.isError };
}

describe("a tool of the host", () => {
  test("is called, shows what it does, and answers", async () => {
    using workspace = tempWorkspace();
    await using host = await started(workspace, callScript("echo", { message: "hello" }));
    host.send({ type: "prompt", message: "go" });
    const call = await host.waitFor(ofType("host_tool_call"));
    host.send({ type: "host_tool_update", id: "host_1", partialResult: text("working") });
    host.send({ type: "host_tool_result", id: "host_9", result: text("of nothing") });
    host.send({ type: "host_tool_result", id: "host_1", result: text("hello back") });
    host.send({ type: "host_tool_result", id: "host_1", result: text("too late") });
    await host.waitForEvent("agent_end");
    expect(call).toEqual({
      type: "host_tool_call",
      id: "host_1",
      toolCallId: "call",
      toolName: "echo",
      arguments: { message: "hello" },
    } as Frame);
    const updates = host.events().filter(({ type }) => type === "tool_execution_update");
    expect(updates).toMatchObject([{ toolCallId: "call", toolName: "echo", partialResult: text("working") }]);
    expect(resultIn(host)).toEqual({ ...text("hello back"), isError: false });
    expect(host.frames().filter(({ success }) => success === false)).toEqual([]);
  });

  test("tells the model where it failed", async () => {
    using workspace = tempWorkspace();
    await using host = await started(workspace, callScript("echo", { message: "hello" }));
    host.send({ type: "prompt", message: "go" });
    const { id } = await host.waitFor(ofType("host_tool_call"));
    host.send({ type: "host_tool_result", id, result: text("no such row"), isError: true });
    await host.waitForEvent("agent_end");
    expect(resultIn(host)).toEqual({ ...text("no such row"), isError: true });
  });

  test("is not called with arguments that do not fit its schema", async () => {
    using workspace = tempWorkspace();
    await using host = await started(workspace, callScript("echo", { massage: 5 }));
    await host.prompt("go");
    expect(host.frames().filter(ofType("host_tool_call"))).toEqual([]);
    expect(resultIn(host)).toEqual({
      ...text('Not run: "massage" is not a property it may have; "message" is missing.'),
      isError: true,
    });
  });

  test("is told to stop when the work is stopped", async () => {
    using workspace = tempWorkspace();
    await using host = await started(workspace, callScript("echo", { message: "hello" }));
    host.send({ type: "prompt", message: "go" });
    await host.waitFor(ofType("host_tool_call"));
    const stopped = await host.request({ type: "abort" });
    const cancel = await host.waitFor(ofType("host_tool_cancel"));
    expect([cancel, stopped.success]).toEqual([
      { type: "host_tool_cancel", id: "host_cancel_1", targetId: "host_1" } as Frame,
      true,
    ]);
    expect(resultIn(host)).toMatchObject({ isError: true });
  });

  test("has gone when the input closes, and Ralph ends as it should", async () => {
    using workspace = tempWorkspace();
    await using host = await started(workspace, callScript("echo", { message: "hello" }));
    host.send({ type: "prompt", message: "go" });
    await host.waitFor(ofType("host_tool_call"));
    const { code, stderr } = await host.finish();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(resultIn(host)).toEqual({ ...text("The host that runs this tool has gone."), isError: true });
    expect(host.events().at(-1)).toMatchObject({ type: "agent_end", outcome: { type: "interrupted" } });
  });

  test("must have a name of its own and parameters a model can be given", async () => {
    using workspace = tempWorkspace();
    await using host = await started(workspace, callScript("echo", {}));
    const twice = await host.request({ type: "set_host_tools", tools: [ECHO, ECHO] });
    const list = await host.request({ type: "set_host_tools", tools: [{ ...ECHO, parameters: { type: "array" } }] });
    expect([twice.error, list.error]).toEqual([
      "The tool echo is there twice.",
      "The parameters of the tool echo must be a JSON Schema of type object.",
    ]);
  });
});

describe("an address of the host", () => {
  test("is read, and the model gets what the host says", async () => {
    using workspace = tempWorkspace();
    await using host = await started(workspace, callScript("read_file", { path: "db://users/42" }));
    host.send({ type: "prompt", message: "go" });
    const request = await host.waitFor(ofType("host_uri_request"));
    host.send({
      type: "host_uri_result",
      id: request.id,
      content: "name=Alice\n",
      contentType: "text/plain",
      notes: ["n"],
    });
    await host.waitForEvent("agent_end");
    expect(request).toEqual({
      type: "host_uri_request",
      id: "uri_1",
      operation: "read",
      url: "db://users/42",
    } as Frame);
    expect(JSON.stringify(resultIn(host))).toContain("name=Alice");
  });

  test("that cannot be read says why", async () => {
    using workspace = tempWorkspace();
    await using host = await started(workspace, callScript("read_file", { path: "db://users/42" }));
    host.send({ type: "prompt", message: "go" });
    const { id } = await host.waitFor(ofType("host_uri_request"));
    host.send({ type: "host_uri_result", id, isError: true, error: "row 42 not found" });
    await host.waitForEvent("agent_end");
    expect(resultIn(host)?.isError).toBe(true);
    expect(JSON.stringify(resultIn(host))).toContain("row 42 not found");
  });

  test("is let go when the work is stopped", async () => {
    using workspace = tempWorkspace();
    await using host = await started(workspace, callScript("read_file", { path: "db://users/42" }));
    host.send({ type: "prompt", message: "go" });
    await host.waitFor(ofType("host_uri_request"));
    await host.request({ type: "abort" });
    expect(await host.waitFor(ofType("host_uri_cancel"))).toEqual({
      type: "host_uri_cancel",
      id: "uri_cancel_1",
      targetId: "uri_1",
    } as Frame);
  });

  test("has a scheme that is not taken, in lower case", async () => {
    using workspace = tempWorkspace();
    await using host = await started(workspace, callScript("echo", {}));
    const set = await host.request({ type: "set_host_uri_schemes", schemes: [{ scheme: "Notes" }, { scheme: "DB" }] });
    const taken = await host.request({ type: "set_host_uri_schemes", schemes: [{ scheme: "HTTPS" }] });
    const twice = await host.request({ type: "set_host_uri_schemes", schemes: [{ scheme: "a" }, { scheme: "A" }] });
    expect([set.data, taken.error, twice.error]).toEqual([
      { schemes: ["notes", "db"] },
      "The scheme https cannot be the host's.",
      "The scheme a is there twice.",
    ]);
  });
});

describe("what Ralph wants to know", () => {
  const QUESTION = callScript("ask_user", { question: "Which?", options: ["left", "right"] });
  const isRequest = ofType("extension_ui_request");

  test("is a gate and a request with one id; an answer to the request counts, and a later one to the gate does not", async () => {
    using workspace = tempWorkspace();
    await using host = await started(workspace, QUESTION);
    host.send({ type: "prompt", message: "go" });
    const request = await host.waitFor(isRequest);
    const [gate] = host.frames().filter(ofType("workflow_gate"));
    host.send({ type: "extension_ui_response", id: "ui_99", value: "nobody asked" });
    host.send({ type: "extension_ui_response", id: request.id, value: "right" });
    await host.waitForEvent("agent_end");
    const late = await host.request({ type: "workflow_gate_response", gate_id: request.id, answer: "left" });
    expect(request).toEqual({
      type: "extension_ui_request",
      id: gate?.gate_id,
      method: "select",
      title: "Which?",
      options: ["left", "right"],
    } as Frame);
    expect(resultIn(host)).toEqual({ ...text("right"), isError: false });
    expect(late.error).toMatchObject({ code: "already_resolved" });
  });

  test("is taken back from the screen when the gate was answered", async () => {
    using workspace = tempWorkspace();
    await using host = await started(workspace, QUESTION);
    host.send({ type: "prompt", message: "go" });
    const { id } = await host.waitFor(isRequest);
    const answered = await host.request({ type: "workflow_gate_response", gate_id: id, answer: "left" });
    await host.waitForEvent("agent_end");
    const [, taken] = host.frames().filter(isRequest);
    expect(answered.data).toMatchObject({ status: "accepted" });
    expect(taken).toEqual({ type: "extension_ui_request", id: "ui_note_1", method: "cancel", targetId: id } as Frame);
    expect(resultIn(host)).toEqual({ ...text("left"), isError: false });
  });

  test("is taken back when the work is stopped", async () => {
    using workspace = tempWorkspace();
    await using host = await started(workspace, QUESTION);
    host.send({ type: "prompt", message: "go" });
    const { id } = await host.waitFor(isRequest);
    await host.request({ type: "abort" });
    expect(await host.waitFor((frame) => isRequest(frame) && frame.method === "cancel")).toMatchObject({
      targetId: id,
    });
  });

  test("waits on where a permission is answered with something it does not offer", async () => {
    using workspace = tempWorkspace();
    await using host = await started(workspace, callScript("write_file", { path: "made", content: "x" }));
    host.send({ type: "prompt", message: "go" });
    const request = await host.waitFor(isRequest);
    host.send({ type: "extension_ui_response", id: request.id, value: "perhaps" });
    const refused = await host.waitFor(({ command }) => command === "extension_ui_response");
    host.send({ type: "extension_ui_response", id: request.id, value: "yes" });
    await host.waitForEvent("agent_end");
    expect(request).toMatchObject({ id: "ui_1", method: "select", title: "Permission", timeout: expect.any(Number) });
    expect(refused).toMatchObject({ success: false, error: { code: "invalid_answer", target: "ui_1" } });
    expect(workspace.read("project/made")).toBe("x");
  });

  test("is declined where the host cancels", async () => {
    using workspace = tempWorkspace();
    await using host = await started(workspace, callScript("write_file", { path: "made", content: "x" }));
    host.send({ type: "prompt", message: "go" });
    const { id } = await host.waitFor(isRequest);
    host.send({ type: "extension_ui_response", id, cancelled: true, timedOut: true });
    await host.waitForEvent("agent_end");
    expect([resultIn(host)?.isError, workspace.find("project/made")]).toEqual([true, []]);
  });
});
