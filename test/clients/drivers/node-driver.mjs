// Takes the steps of a scenario with the built client: node node-driver.mjs CLIENT SCENARIO
import { readFileSync } from "node:fs";
import process from "node:process";
import { pathToFileURL } from "node:url";

const [, , clientPath, scenarioPath] = process.argv;
const { startRalph } = await import(pathToFileURL(clientPath).href);
const { steps, tools, ...process_ } = JSON.parse(readFileSync(scenarioPath, "utf8"));

const remembered = {};
const gates = [];
let client;
let work;
let hold;
let released;
let cancelled = 0;

function arm() {
  hold = later();
  released = later();
}

function later() {
  let resolve;
  const promise = new Promise((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

const functions = {
  lookup({ key }, { update }) {
    update("looking");
    return `row ${key}`;
  },
  async hold(_, { signal }) {
    signal.addEventListener("abort", () => {
      cancelled += 1;
    });
    hold.resolve();
    return released.promise;
  },
};

function onApproval({ kind, stage, context, options }) {
  gates.push({ kind, stage, tool: context.tool, options });
  return true;
}

async function collect(prompt) {
  const types = [];
  let text = "";
  for await (const event of prompt) {
    if (types.at(-1) !== event.type) types.push(event.type);
    if (event.type === "message_update" && event.assistantMessageEvent.type === "text_delta")
      text += event.assistantMessageEvent.delta;
  }
  const { outcome, messages } = await prompt;
  return { outcome, messages: messages.map(brief), text, types, gates: gates.splice(0) };
}

function brief({ role, content, toolName, isError, stopReason }) {
  return { role, toolName, isError, stopReason, text: content.map((part) => part.text ?? part.name).join("|") };
}

const STEPS = {
  async start({ session }) {
    const options = { ...process_, onApproval };
    client = await startRalph(session === undefined ? options : { ...options, session: remembered[session] });
    return {};
  },
  async call({ command, params, remember }) {
    const answer = await client.call(command, params);
    if (remember !== undefined) remembered[remember] = answer.sessionId;
    return command === "get_messages" ? { messages: answer.messages.map(brief) } : answer;
  },
  "set-tools": () => client.setHostTools(tools.map((tool) => ({ ...tool, run: functions[tool.name] }))),
  prompt: ({ message }) => collect(client.prompt(message)),
  async begin({ message }) {
    arm();
    work = collect(client.prompt(message));
    work.catch(() => {});
    return {};
  },
  end: () => work,
  async held() {
    await hold.promise;
    return {};
  },
  async release({ result }) {
    released.resolve(result);
    return {};
  },
  steer: ({ message }) => client.steer({ message }),
  async abort() {
    await client.abort();
    return { cancelled };
  },
  async stop() {
    const { exitCode, stderr } = await client.stop();
    return { exitCode, stderr };
  },
  async kill() {
    process.kill(client.pid, "SIGKILL");
    const { exitCode, signal, stderr } = await client.exited;
    return { ended: exitCode === null && signal === "SIGKILL", stderr, cancelled };
  },
};

const transcript = [];
for (const step of steps) {
  try {
    transcript.push({ step: step.step, result: await STEPS[step.step](step) });
  } catch (error) {
    const { name, code, data, message } = error;
    transcript.push({
      step: step.step,
      error: { name, code, data, message: name === "RpcError" ? message : undefined },
    });
  }
}
process.stdout.write(JSON.stringify(transcript));
