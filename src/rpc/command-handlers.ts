import { EFFORTS } from "../protocol/effort.ts";
import type { MethodName, MethodParams, MethodResult } from "../protocol/methods.ts";
import type { AgentPort, PortModel } from "./agent-port.ts";
import type { RpcCommandName, RpcParams, RpcResult } from "./commands.ts";
import type { GateBroker } from "./gates/gate-broker.ts";
import type { HostTools } from "./host-tools.ts";
import type { HostUris } from "./host-uris.ts";
import type { RpcCommand } from "./read-line.ts";
import { phasesOf, tasksOf } from "./todo-phases.ts";
import type { TypedError } from "./typed-error.ts";
import type { UnattendedControl } from "./unattended/control.ts";
import { readPrompt, wireMessage } from "./wire-messages.ts";
import { type Compaction, wireState } from "./wire-state.ts";

export interface CommandWorld {
  agent: AgentPort;
  hostTools: HostTools;
  hostUris: HostUris;
  broker: GateBroker;
  control: UnattendedControl;
  /** Asks the host to show a person this address. */
  openUrl(url: string, instructions: string): void;
  /** What asked for the compaction that runs; undefined where none does. */
  compaction(): Compaction;
}

export type RpcAnswer<Data = unknown> = { ok: true; data?: Data } | { ok: false; error: string | TypedError };

type Handlers = {
  [Name in RpcCommandName]: (world: CommandWorld, params: RpcParams<Name>) => Promise<RpcAnswer<RpcResult<Name>>>;
};

export function handleCommand(command: RpcCommand, world: CommandWorld): Promise<RpcAnswer> {
  // The name and the fields of a command belong together, which the compiler cannot follow through a table.
  const handle = HANDLERS[command.name] as (world: CommandWorld, params: RpcCommand["params"]) => Promise<RpcAnswer>;
  return handle(world, command.params);
}

/** What the commands of `commands.ts` do. */
const HANDLERS: Handlers = {
  async prompt({ agent }, { streamingBehavior, ...said }) {
    const read = readPrompt(said);
    if (!read.ok) return failed(read.message);
    const whileBusy = streamingBehavior === "followUp" ? "follow-up" : streamingBehavior;
    return asked(agent, "prompt", { message: read.message, ...(whileBusy === undefined ? {} : { whileBusy }) });
  },
  async steer({ agent }, said) {
    const read = readPrompt(said);
    return read.ok ? asked(agent, "steer", { message: read.message }) : failed(read.message);
  },
  async follow_up({ agent }, said) {
    const read = readPrompt(said);
    return read.ok ? asked(agent, "follow_up", { message: read.message }) : failed(read.message);
  },
  abort: ({ agent }) => asked(agent, "abort", {}),
  async abort_and_prompt({ agent }, said) {
    const read = readPrompt(said);
    if (!read.ok) return failed(read.message);
    const stopped = await asked(agent, "abort", {});
    return stopped.ok ? asked(agent, "prompt", { message: read.message }) : stopped;
  },
  async new_session({ agent }, { parentSession }) {
    const opened = await agent.newSession(parentSession);
    return opened.ok ? done({ cancelled: false }) : failed(opened.message);
  },
  async get_state({ agent, compaction }, params) {
    return done(await wireState(agent, compaction(), params));
  },
  async set_todos({ agent }, { phases }) {
    const read = tasksOf(phases);
    if (!read.ok) return failed(read.message);
    return mapped(await agent.call("set_tasks", { tasks: read.tasks }), ({ tasks }) => ({
      todoPhases: phasesOf(tasks),
    }));
  },
  async set_host_tools({ agent, hostTools }, { tools: definitions }) {
    const read = hostTools.read(definitions);
    if (!read.ok) return failed(read.message);
    const set = await agent.setHostTools(read.tools);
    return set.ok ? done({ toolNames: read.tools.map(({ name }) => name) }) : failed(set.message);
  },
  async set_host_uri_schemes({ agent, hostUris, control }, { schemes: definitions }) {
    const read = hostUris.read(definitions);
    if (!read.ok) return failed(read.message);
    await agent.setHostSchemes(read.schemes.map((scheme) => control.guardScheme(scheme)));
    return done({ schemes: read.schemes.map(({ scheme }) => scheme) });
  },
  async workflow_gate_response({ broker }, { gate_id, answer, idempotency_key }) {
    const result = await broker.answer({ gate_id, answer, idempotency_key });
    return result.ok ? done(result.resolution) : { ok: false, error: result.error };
  },
  async negotiate_unattended({ control }, { declaration }) {
    const negotiated = await control.negotiate(declaration);
    return negotiated.ok ? done(negotiated.result) : { ok: false, error: negotiated.error };
  },
  async set_model({ agent }, { provider, modelId }) {
    const name = `${provider}/${modelId}`;
    const known = (await agent.availableModels()).some((model) => model.provider === provider && model.id === modelId);
    if (!known) return failed(`Model not found: ${name}`);
    const set = await agent.call("set_model", { model: name });
    const model = agent.model();
    if (!set.ok) return failed(set.error.message);
    return model === undefined ? failed(`Model not found: ${name}`) : done(wireModel(model));
  },
  async cycle_model({ agent }) {
    const cycled = await agent.cycleModel();
    if (cycled === undefined) return done(null);
    const { effort } = await agent.state();
    return done({ model: wireModel(cycled.model), thinkingLevel: effort, isScoped: cycled.isScoped });
  },
  async get_available_models({ agent }) {
    return done({ models: (await agent.availableModels()).map(wireModel) });
  },
  async get_login_providers({ agent }) {
    return done({ providers: [...(await agent.loginProviders())] });
  },
  async login({ agent, openUrl }, { providerId, key, redirectUrl }) {
    const wish = { provider: providerId, key, redirectUrl };
    const logged = await agent.login(wish, (url) => openUrl(url, LOGIN_INSTRUCTIONS));
    return logged.ok ? done({ providerId }) : failed(logged.message);
  },
  set_thinking_level: ({ agent }, { level }) => asked(agent, "set_effort", { effort: level }),
  cycle_thinking_level: ({ agent }) => cycleEffort(agent),
  set_steering_mode: ({ agent }, { mode }) => asked(agent, "set_queue_modes", { steering: mode }),
  set_follow_up_mode: ({ agent }, { mode }) => asked(agent, "set_queue_modes", { followUp: mode }),
  set_interrupt_mode: ({ agent }, { mode }) => asked(agent, "set_queue_modes", { interrupt: mode }),
  async compact({ agent }, { customInstructions: focus }) {
    return mapped(await agent.call("compact", focus === undefined ? {} : { focus }), (result) => result);
  },
  set_auto_compaction: ({ agent }, { enabled }) => asked(agent, "set_auto_compaction", { enabled }),
  async set_auto_retry({ agent }, { enabled }) {
    agent.setAutoRetry(enabled);
    return { ok: true };
  },
  async abort_retry({ agent }) {
    agent.abortRetry();
    return { ok: true };
  },
  async bash({ agent }, { command }) {
    if (command.trim() === "") return failed("The command is empty.");
    const ran = await agent.runCommand(command);
    if (!ran.ok) return failed(ran.message);
    const { ok: _, ...result } = ran;
    return done(result);
  },
  async abort_bash({ agent }) {
    agent.abortCommand();
    return { ok: true };
  },
  async get_session_stats({ agent }) {
    return done(await agent.stats());
  },
  async export_html({ agent }, { outputPath }) {
    const exported = await agent.exportHtml(outputPath);
    return exported.ok ? done({ path: exported.path }) : failed(exported.message);
  },
  async switch_session({ agent }, { sessionPath }) {
    const opened = await agent.switchSession(sessionPath);
    return opened.ok ? done({ cancelled: false }) : failed(opened.message);
  },
  async branch({ agent }, { entryId }) {
    const branched = await agent.branch(entryId);
    return branched.ok ? done({ text: branched.text, cancelled: false }) : failed(branched.message);
  },
  async get_branch_messages({ agent }) {
    return done({ messages: (await agent.branchMessages()).map(({ entryId, text }) => ({ entryId, text })) });
  },
  async get_last_assistant_text({ agent }) {
    const last = (await agent.messages()).findLast(({ role }) => role === "assistant");
    const texts = last?.content.flatMap((part) => (part.type === "text" ? [part.text] : []));
    return done({ text: texts === undefined || texts.length === 0 ? null : texts.join("") });
  },
  async set_session_name({ agent }, { name }) {
    const trimmed = name.trim();
    if (trimmed === "") return failed("Session name cannot be empty");
    if (trimmed.length > MAX_NAME_CHARACTERS)
      return failed(`The session name has ${trimmed.length} characters; the limit is ${MAX_NAME_CHARACTERS}.`);
    return asked(agent, "set_name", { name: trimmed });
  },
  async get_messages({ agent }) {
    return done({ messages: (await agent.messages()).map(wireMessage) });
  },
};

const LOGIN_INSTRUCTIONS =
  "Open this address in a browser to log in. Where that browser runs on another machine, send the address it ended on as redirectUrl.";

const MAX_NAME_CHARACTERS = 200;

function done<Data>(data: Data): { ok: true; data: Data } {
  return { ok: true, data };
}

function failed(error: string): { ok: false; error: string } {
  return { ok: false, error };
}

/** A method whose result the wire does not tell. */
async function asked<Name extends MethodName>(
  agent: AgentPort,
  name: Name,
  params: MethodParams<Name>,
): Promise<{ ok: true } | { ok: false; error: string }> {
  const answer = await agent.call(name, params);
  return answer.ok ? { ok: true } : failed(answer.error.message);
}

function mapped<Result, Data>(
  answer: { ok: true; result: Result } | { ok: false; error: { message: string } },
  data: (result: Result) => Data,
): RpcAnswer<Data> {
  return answer.ok ? done(data(answer.result)) : failed(answer.error.message);
}

/** The next level the model takes: levels it gives way from are passed over. */
async function cycleEffort(agent: AgentPort): Promise<RpcAnswer<RpcResult<"cycle_thinking_level">>> {
  const { effort: before } = await agent.state();
  const start = EFFORTS.indexOf(before);
  for (let step = 1; step < EFFORTS.length; step++) {
    const wish = EFFORTS[(start + step) % EFFORTS.length] ?? before;
    const set = await agent.call("set_effort", { effort: wish });
    if (!set.ok) return failed(set.error.message);
    const { effort }: MethodResult<"set_effort"> = set.result;
    if (effort !== before) return done({ level: effort });
  }
  return done(null);
}

function wireModel(model: PortModel): RpcResult<"set_model"> {
  return { ...model, input: [...model.input] };
}
