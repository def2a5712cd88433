import type { AgentState } from "../protocol/agent-state.ts";
import { sessionTotals } from "../sessions/totals.ts";
import { type Agent, nameOf } from "./agent.ts";

/** Everything a face may want to show beside the conversation. */
export function stateOf(agent: Agent): AgentState {
  const { chosen, options, run, name, brokenOff, autoCompaction } = agent;
  const { session, toolbox, queue, pending } = options;
  const { turns, usage, cost, largestPrompt } = sessionTotals(session.entries);
  return {
    sessionId: session.header.id,
    ...(session.path === undefined ? {} : { sessionPath: session.path }),
    ...(name === undefined ? {} : { name }),
    leafId: session.leafId,
    model: nameOf(chosen.model),
    effort: chosen.effort,
    mode: toolbox.mode(),
    safe: toolbox.isSafe(),
    sandbox: options.sandboxStanding(),
    isBusy: run !== undefined,
    ...(brokenOff === undefined ? {} : { brokenOff }),
    autoCompaction,
    queueModes: { ...queue.queue.modes },
    waiting: queue.waiting(),
    asks: pending.asks(),
    tasks: [...toolbox.tasks()],
    ...shownCommand(options.commands.running()),
    jobs: options.jobs.list().filter(({ isRunning }) => isRunning).length,
    limits: { turns: options.maxTurns, ...options.limits },
    tools: toolbox.advertised().map(({ name }) => name),
    context: agent.compactor.size(),
    totals: { turns, usage, ...(cost === undefined ? {} : { cost }), largestPrompt },
  };
}

function shownCommand(command: string | undefined): Pick<AgentState, "command"> {
  return command === undefined ? {} : { command };
}
