import type { AgentState } from "../protocol/agent-state.ts";
import type { AgentPort } from "./agent-port.ts";
import type { RpcParams, RpcResult } from "./commands.ts";
import { phasesOf } from "./todo-phases.ts";

export type Compaction = "automatic" | "overflow" | "person" | undefined;

/** What `get_state` answers. */
export async function wireState(
  agent: Pick<AgentPort, "state" | "model" | "messageCount" | "systemPrompt" | "toolDefinitions">,
  compaction: Compaction,
  { include = [] }: RpcParams<"get_state">,
): Promise<RpcResult<"get_state">> {
  const state = await agent.state();
  const model = agent.model();
  const { steering, followUp, interrupt } = state.queueModes;
  const wantsTools = include.includes("tools") || include.includes("dumpTools");
  return {
    ...(model === undefined ? {} : { model: { ...model, input: [...model.input] } }),
    thinkingLevel: state.effort,
    // A compaction somebody asked for keeps the agent busy, and no prompt is worked on.
    isStreaming: state.isBusy && compaction !== "person",
    isCompacting: compaction !== undefined,
    ...(state.brokenOff === undefined ? {} : { brokenOff: state.brokenOff }),
    steeringMode: steering,
    followUpMode: followUp,
    interruptMode: interrupt,
    ...(state.sessionPath === undefined ? {} : { sessionFile: state.sessionPath }),
    sessionId: state.sessionId,
    ...(state.name === undefined ? {} : { sessionName: state.name }),
    autoCompactionEnabled: state.autoCompaction,
    messageCount: agent.messageCount(),
    queuedMessageCount: state.waiting.length,
    todoPhases: phasesOf(state.tasks),
    contextUsage: contextUsage(state.context),
    ...(include.includes("systemPrompt") ? { systemPrompt: [agent.systemPrompt()] } : {}),
    ...(wantsTools ? { dumpTools: agent.toolDefinitions().map((definition) => ({ ...definition })) } : {}),
  };
}

function contextUsage({ tokens, window }: AgentState["context"]): RpcResult<"get_state">["contextUsage"] {
  const percent = window === 0 ? 0 : Math.round((tokens / window) * 1000) / 10;
  return { tokens, contextWindow: window, percent };
}
