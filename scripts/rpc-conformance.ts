import { RPC_COMMANDS, type RpcCommandName, type RpcResult } from "../src/rpc/commands.ts";
import { type InboundName, OUTBOUND_FRAMES } from "../src/rpc/frames.ts";
import { type Frame, type RpcHost, startRpcHost } from "../test/support/rpc-host.ts";
import { SAMPLE_COMMANDS } from "../test/support/rpc-samples.ts";
import { tempWorkspace } from "../test/support/temp-workspace.ts";

// Drives every command of `ralph --mode rpc` and every kind of frame once, over the wire, with a scripted model. Every frame is
// checked against its schema as it is read. Prints a line for each; exits with 1 where one did not do what it should.

const SUMMARY = ["Goal", "Decisions and constraints", "Done", "Failed", "Open work", "Next step"]
  .map((title) => `## ${title}\nMany words were said.`)
  .join("\n\n");

const SCRIPT = {
  version: 1,
  conversations: [
    { opens: "stop echo", turns: [{ steps: [{ tool: { name: "echo", input: {} } }] }] },
    { opens: "stop row", turns: [{ steps: [{ tool: { name: "read_file", input: { path: "db://rows/1" } } }] }] },
    { opens: "echo", turns: [{ steps: [{ tool: { name: "echo", input: {} } }] }, { steps: [{ text: "Echoed." }] }] },
    {
      opens: "row",
      turns: [
        { steps: [{ tool: { name: "read_file", input: { path: "db://rows/1" } } }] },
        { steps: [{ text: "Read." }] },
      ],
    },
    {
      opens: "ask",
      turns: [
        { steps: [{ tool: { name: "ask_user", input: { question: "Which?", options: ["left", "right"] } } }] },
        { steps: [{ text: "Asked." }] },
      ],
    },
    {
      opens: "write",
      turns: [
        { steps: [{ tool: { name: "write_file", input: { path: "made", content: "x" } } }] },
        { steps: [{ text: "Written." }] },
      ],
    },
    {
      opens: "flaky",
      turns: [{ failures: [[{ error: { kind: "server" } }]], steps: [{ thinking: "Hm." }, { text: "At last." }] }],
    },
    {
      opens: "long",
      turns: [
        { when: "summar", steps: [{ text: SUMMARY }] },
        { repeat: 20, steps: [{ text: "word ", repeat: 40_000 }] },
      ],
    },
  ],
  turns: [{ repeat: 50, steps: [{ text: ["Hel", "lo."] }] }],
};

/** Two models that play the script and cost nothing. */
function modelsFile(script: string): string {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const models = ["first", "second"].map((id) => ({ id, cost, contextWindow: 200_000, maxTokens: 32_000 }));
  return JSON.stringify({ providers: { rehearsal: { api: "scripted", auth: "none", baseUrl: script, models } } });
}

const ECHO = SAMPLE_COMMANDS.set_host_tools.tools;

type Drive = (host: RpcHost) => Promise<string>;

/** Commands that need something to be there first; the others are sent as the sample has them. */
const DRIVES: Partial<Record<RpcCommandName, Drive>> = {
  prompt: async (host) => {
    await host.prompt("hello");
    await opened(host);
    await host.prompt("flaky");
    return "answered at once, told by events, tried again after a failure";
  },
  steer: (host) => saidTo(host, "steer"),
  follow_up: (host) => saidTo(host, "follow_up"),
  abort_and_prompt: (host) => saidTo(host, "abort_and_prompt"),
  abort: async (host) => {
    await opened(host);
    await accepted(host, "set_host_tools", { tools: ECHO });
    const from = host.frames().length;
    await accepted(host, "prompt", { message: "stop echo" });
    await host.waitFor(ofType("host_tool_call"), from);
    await accepted(host, "abort");
    await host.waitFor(ofType("host_tool_cancel"), from);
    return "stopped a tool of the host, which was told";
  },
  new_session: async (host) => {
    const { sessionFile, sessionId } = await accepted(host, "get_state");
    await accepted(host, "new_session", { parentSession: sessionFile });
    const { sessionId: now } = await accepted(host, "get_state");
    if (now === sessionId) throw new Error(`The session is ${now} still.`);
    return "another session, which knows where it came from";
  },
  compact: async (host) => {
    await opened(host);
    for (const message of ["long", "more", "and more"]) await host.prompt(message);
    const data = await accepted(host, "compact", {});
    return `${data.tokensBefore} tokens became ${data.tokensAfter}`;
  },
  set_host_tools: async (host) => {
    await opened(host);
    await accepted(host, "set_host_tools", { tools: ECHO });
    const from = host.frames().length;
    await accepted(host, "prompt", { message: "echo" });
    const { id } = await host.waitFor(ofType("host_tool_call"), from);
    const content = [{ type: "text", text: "an echo" }];
    host.send({ type: "host_tool_update", id, partialResult: { content } });
    host.send({ type: "host_tool_result", id, result: { content } });
    await host.waitForEvent("agent_end", from);
    return "the model called it, and it answered";
  },
  set_host_uri_schemes: async (host) => {
    await accepted(host, "set_host_uri_schemes", SAMPLE_COMMANDS.set_host_uri_schemes);
    for (const message of ["row", "stop row"]) {
      await opened(host);
      const from = host.frames().length;
      await accepted(host, "prompt", { message });
      const { id } = await host.waitFor(ofType("host_uri_request"), from);
      if (message === "row") host.send({ type: "host_uri_result", id, content: "a row" });
      else await accepted(host, "abort");
      await host.waitForEvent("agent_end", from);
    }
    return "the model read an address, and another was let go";
  },
  login: async (host) => {
    const { providerId } = await accepted(host, "login", { providerId: "groq", key: "gsk_0123456789" });
    const { providers } = await accepted(host, "get_login_providers");
    const stored = providers.find(({ id }) => id === providerId)?.stored;
    if (stored === undefined) throw new Error(`Nothing is stored for ${providerId}.`);
    return `${providerId}: ${stored}`;
  },
  workflow_gate_response: async (host) => {
    await opened(host);
    const gate = await waiting(host, "ask");
    const rejected = await accepted(host, "workflow_gate_response", { gate_id: gate.gate_id, answer: 5 });
    const taken = await accepted(host, "workflow_gate_response", { gate_id: gate.gate_id, answer: "left" });
    await opened(host);
    const permission = await waiting(host, "write");
    host.send({ type: "extension_ui_response", id: permission.gate_id, value: "yes" });
    await host.waitForEvent("agent_end", host.frames().indexOf(permission));
    return `${rejected.status}, then ${taken.status}; a permission answered on the screen`;
  },
  switch_session: async (host) => {
    const { sessionFile = "" } = await accepted(host, "get_state");
    await opened(host);
    await accepted(host, "switch_session", { sessionPath: sessionFile });
    const { sessionFile: now } = await accepted(host, "get_state");
    if (now !== sessionFile) throw new Error(`${now} is open, not ${sessionFile}.`);
    return "back in the session before";
  },
  branch: async (host) => {
    await host.prompt("branch here");
    const { messages } = await accepted(host, "get_branch_messages");
    const { text } = await accepted(host, "branch", { entryId: messages.at(-1)?.entryId });
    return `before ${JSON.stringify(text)}`;
  },
  set_model: async (host) => {
    const { model } = await accepted(host, "get_state");
    const { id } = await accepted(host, "set_model", { provider: model?.provider, modelId: model?.id });
    return id === model?.id ? "the same again" : `${id} instead of ${model?.id}`;
  },
  set_thinking_level: async (host) => {
    await accepted(host, "set_thinking_level", { level: "off" });
    await accepted(host, "set_thinking_level", { level: "low" });
    const { thinkingLevel } = await accepted(host, "get_state");
    return thinkingLevel;
  },
};

/** Which of these sends each kind of frame that is no command. */
const SENT_BY: Record<InboundName, RpcCommandName> = {
  extension_ui_response: "workflow_gate_response",
  host_tool_update: "set_host_tools",
  host_tool_result: "set_host_tools",
  host_uri_result: "set_host_uri_schemes",
};

/** These leave nothing as it was. */
const LAST: readonly RpcCommandName[] = ["negotiate_unattended"];

async function main(): Promise<number> {
  using workspace = tempWorkspace();
  const script = workspace.write("script.json", JSON.stringify(SCRIPT));
  workspace.write("ralph-home/config/models.yml", modelsFile(script));
  const environment = { RALPH_RETRY_DELAY_MS: "1" };
  await using host = startRpcHost(["--model", "rehearsal/first"], { workspace, environment, timeoutMs: 120_000 });
  const names = (Object.keys(RPC_COMMANDS) as RpcCommandName[]).filter((name) => !LAST.includes(name));
  let failures = 0;
  for (const name of [...names, ...LAST]) {
    const drive = DRIVES[name] ?? ((driven) => sample(driven, name));
    const line = await drive(host).then(
      (what) => `ok    ${name}: ${what}`,
      (error: Error) => `FAIL  ${name}: ${error.message}`,
    );
    if (line.startsWith("FAIL")) failures += 1;
    console.log(line.split("\n")[0]);
  }
  for (const [frame, name] of Object.entries(SENT_BY)) console.log(`ok    ${frame}: see ${name}`);
  const { code, stderr } = await host.finish();
  const missing = unseen(host);
  console.log(
    `${missing.length === 0 ? "ok   " : "FAIL "} frames: ${missing.length === 0 ? "all kinds" : `never came: ${missing.join(", ")}`}`,
  );
  console.log(
    `${code === 0 && stderr === "" ? "ok   " : "FAIL "} end: exit code ${code} when the input closed ${stderr}`,
  );
  return failures + missing.length + (code === 0 && stderr === "" ? 0 : 1) === 0 ? 0 : 1;
}

async function sample(host: RpcHost, name: RpcCommandName): Promise<string> {
  const data = await accepted(host, name, SAMPLE_COMMANDS[name]);
  const text = JSON.stringify(data) ?? "";
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** The data of an answer that says it worked. */
async function accepted<Name extends RpcCommandName>(
  host: RpcHost,
  name: Name,
  params: object = {},
): Promise<RpcResult<Name>> {
  const answer = await host.request({ ...params, type: name });
  if (answer.success !== true) throw new Error(JSON.stringify(answer.error));
  return answer.data as RpcResult<Name>;
}

async function opened(host: RpcHost): Promise<void> {
  await accepted(host, "new_session");
}

async function saidTo(host: RpcHost, name: "steer" | "follow_up" | "abort_and_prompt"): Promise<string> {
  const from = host.frames().length;
  await accepted(host, name, { message: "hello" });
  await host.waitForEvent("agent_end", from);
  return "an idle agent takes it as a prompt";
}

/** The gate this prompt comes to. */
async function waiting(host: RpcHost, message: string): Promise<Frame> {
  const from = host.frames().length;
  await accepted(host, "prompt", { message });
  await host.waitFor(ofType("extension_ui_request"), from);
  return host.waitFor(ofType("workflow_gate"), from);
}

function ofType(type: string): (frame: Frame) => boolean {
  return (frame) => frame.type === type;
}

/** Nothing here runs an extension that could fail. */
function unseen(host: RpcHost): string[] {
  const seen = new Set(host.frames().map(({ type }) => type));
  return Object.keys(OUTBOUND_FRAMES).filter((type) => type !== "extension_error" && !seen.has(type));
}

process.exit(await main());
