import type { CoderHost } from "../../coder/coder-host.ts";
import { createRetrySwitch, type RetrySwitch } from "../../llm/retry-switch.ts";
import type { Message } from "../../protocol/messages.ts";
import type { Tool } from "../../protocol/tool-runs.ts";
import type { AgentPort, Outcome, Warden } from "../../rpc/agent-port.ts";
import { contextOf } from "../../sessions/context.ts";
import { createHostAddresses } from "../../tools/host-addresses.ts";
import type { RunContext } from "../run-context.ts";
import { exportPage } from "./export-page.ts";
import { createLiveAgents } from "./live-agents.ts";
import type { AgentWorld, LiveAgent } from "./open-agent.ts";
import { createPortCommands } from "./port-commands.ts";
import { createPortLogin } from "./port-login.ts";
import { nextModel, portModel, usableModels } from "./port-models.ts";
import { keptIn, promptOf, promptsIn, statsOf } from "./port-session.ts";
import { openSessions, type Sessions } from "./port-sessions.ts";
import { isStandIn } from "./stand-in-model.ts";

/** `current` is the agent of the session that is open now, for what only whoever opened the port needs of it. */
export type OpenedPort =
  | { ok: true; port: AgentPort; current(): LiveAgent }
  | { ok: false; message: string; code: number };

export interface PortOptions {
  version: string;
  /** What a program that embeds Ralph says about its agents. */
  own?: Pick<AgentWorld, "hasPerson" | "systemPrompt" | "modelChosen">;
  /** Its tools from the start. */
  tools?: readonly Tool[];
  isFinished?(): boolean;
}

/** The agent the flags of `context` ask for, for a face for programs. One is opened where nothing can answer yet, too. */
export async function openAgentPort(context: RunContext, options: PortOptions): Promise<OpenedPort> {
  const { version, own, tools = [], isFinished = () => false } = options;
  const brought: Brought = { tools, addresses: createHostAddresses(), warden: undefined };
  const retrySwitch = createRetrySwitch();
  const agents = createLiveAgents(context, {
    version,
    mayRestart: () => true,
    opensWithoutModel: true,
    retrySwitch,
    ...own,
    host: { ...hostOf(brought), isFinished },
  });
  const opened = await agents.start();
  if (!opened.ok) return { ok: false, message: opened.message, code: opened.code };
  const sessions = openSessions(context, agents, opened.agent);
  const { current } = sessions;
  return {
    ok: true,
    port: {
      ...sessionPart(context, sessions),
      ...modelPart(context, current),
      ...createPortCommands(context, current),
      ...createPortLogin(context, current),
      ...retryPart(retrySwitch),
      ...hostPart(brought, current),
      close: sessions.close,
    },
    current,
  };
}

/** What stays over sessions. */
interface Brought {
  tools: readonly Tool[];
  addresses: CoderHost["addresses"];
  warden: Warden | undefined;
}

function hostOf(brought: Brought): CoderHost {
  return {
    tools: () => brought.tools,
    addresses: brought.addresses,
    warden() {
      const { warden } = brought;
      if (warden === undefined) return undefined;
      return {
        beforeTool: (tool, asks) => warden.beforeTool(tool, asks),
        beforeModel: (model) => warden.beforeModel(portModel(model)),
        afterModel: (spent) => warden.afterModel(spent),
      };
    },
  };
}

type SessionPart = Pick<
  AgentPort,
  | "call"
  | "subscribe"
  | "state"
  | "messages"
  | "messageCount"
  | "newSession"
  | "switchSession"
  | "branchMessages"
  | "branch"
  | "stats"
  | "exportHtml"
  | "systemPrompt"
  | "keep"
  | "kept"
>;

function sessionPart(context: RunContext, { current, subscribe, newSession, switchSession }: Sessions): SessionPart {
  const counted = new WeakMap<LiveAgent, { leafId: string | null; count: number }>();
  return {
    subscribe,
    newSession,
    switchSession,
    call: async (name, params) => {
      const { bare, coder, whyWithoutModel } = current();
      if ("message" in params && whyWithoutModel !== undefined && isStandIn(coder.model()))
        return { ok: false, error: { code: "unavailable", message: whyWithoutModel } };
      return bare.call(name, params);
    },
    async state() {
      const answer = await current().coder.call("get_state", {});
      if (!answer.ok) throw new Error(answer.error.message);
      return answer.result;
    },
    messages: async () => veiled(current(), messagesOf(current())),
    messageCount() {
      const leafId = current().session.storedLeafId;
      const known = counted.get(current());
      const count = known?.leafId === leafId ? known.count : messagesOf(current()).length;
      counted.set(current(), { leafId, count });
      return count;
    },
    branchMessages: async () => promptsIn(current().session).map(({ entryId, text }) => ({ entryId, text })),
    branch: (entryId) => branch(current(), entryId),
    stats: async () => statsOf(current().session),
    exportHtml: (outputPath) => exportPage(context, current(), outputPath),
    systemPrompt: () => current().systemPrompt,
    async keep(kind, data) {
      const stored = await current().session.append({ type: "custom", kind, data });
      return stored.ok ? { ok: true } : { ok: false, message: stored.message };
    },
    kept: async (kind) => keptIn(current().session, kind),
  };
}

function messagesOf({ session }: LiveAgent): Message[] {
  return contextOf(session.entries, session.storedLeafId).messages;
}

/** As the events tell them. */
function veiled({ secrets }: LiveAgent, messages: Message[]): Message[] {
  if (secrets === undefined) return messages;
  const hidden: Message[] = [];
  const hide = secrets.veil((event) => void (event.type === "message-end" && hidden.push(event.message)));
  for (const message of messages) hide({ type: "message-end", message });
  return hidden;
}

async function branch({ bare, session }: LiveAgent, entryId: string): Promise<Outcome<{ text: string }>> {
  const prompt = promptOf(session.entries.get(entryId));
  if (prompt === undefined) return { ok: false, message: `The session has no prompt ${entryId}.` };
  const moved = await bare.call("branch", { entryId: prompt.parentId });
  return moved.ok ? { ok: true, text: prompt.text } : { ok: false, message: moved.error.message };
}

type ModelPart = Pick<AgentPort, "availableModels" | "model" | "cycleModel">;

function modelPart(context: RunContext, current: () => LiveAgent): ModelPart {
  const now = () => {
    const model = current().coder.model();
    return isStandIn(model) ? undefined : model;
  };
  return {
    availableModels: async () => (await usableModels(context, now())).models.map(portModel),
    model() {
      const model = now();
      return model === undefined ? undefined : portModel(model);
    },
    async cycleModel() {
      const { models, isScoped } = await usableModels(context, now());
      const { coder } = current();
      const next = nextModel(models, coder.model());
      if (next === undefined) return undefined;
      const changed = await coder.call("set_model", { model: `${next.provider}/${next.id}` });
      return changed.ok ? { model: portModel(coder.model()), isScoped } : undefined;
    },
  };
}

function retryPart(retrySwitch: RetrySwitch): Pick<AgentPort, "isAutoRetry" | "setAutoRetry" | "abortRetry"> {
  return { isAutoRetry: retrySwitch.isOn, setAutoRetry: retrySwitch.set, abortRetry: retrySwitch.cutShort };
}

type HostPart = Pick<AgentPort, "setHostTools" | "setHostSchemes" | "toolDefinitions" | "setWarden">;

function hostPart(brought: Brought, current: () => LiveAgent): HostPart {
  return {
    async setHostTools(tools) {
      const problem = current().coder.setHostTools(tools);
      if (problem !== undefined) return { ok: false, message: problem };
      brought.tools = tools;
      return { ok: true };
    },
    setHostSchemes: async (schemes) => brought.addresses.replace(schemes),
    toolDefinitions: () => current().coder.toolDefinitions(),
    setWarden(warden) {
      brought.warden = warden;
    },
  };
}
