import type { AgentFace, OpenedAgent } from "../../interactive/services.ts";
import type { AgentState } from "../../protocol/agent-state.ts";

/** Stands for an agent that is being opened: what is asked of it is asked of the real one as soon as it is there. */
export function lateAgent(opening: Promise<AgentFace>): OpenedAgent {
  return {
    face: {
      call: async (name, params) => (await opening).call(name, params),
      subscribe: () => () => {},
    },
    state: STARTING,
    earlier: [],
    leftOut: 0,
    close: async () => {},
  };
}

const STARTING: AgentState = {
  sessionId: "",
  leafId: null,
  model: "starting",
  effort: "off",
  mode: "default",
  safe: false,
  sandbox: "untried",
  isBusy: false,
  autoCompaction: true,
  queueModes: { steering: "all", followUp: "all", interrupt: "wait" },
  waiting: [],
  asks: [],
  tasks: [],
  jobs: 0,
  limits: { turns: 200 },
  tools: [],
  context: { tokens: 0, window: 0 },
  totals: { turns: 0, usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, largestPrompt: 0 },
};
