import type { ToolVerdict } from "../agent/run-tools.ts";
import type { AgentEvent } from "../protocol/agent-events.ts";
import type { ToolCallPart } from "../protocol/messages.ts";
import type { Tool } from "../protocol/tool-runs.ts";

/** What stands between an agent and everything that is different the next time, to record a run or to play one back. */
export interface Tape {
  /** Milliseconds from an unknown start, where they go into an event or decide something. */
  now(): number;
  randomId(): string;
  /** The tool as it is run. */
  tool(tool: Tool): Tool;
  /** What the gate says to a call. */
  verdict(call: ToolCallPart, decide: () => Promise<ToolVerdict>): Promise<ToolVerdict>;
  /** The event that is told next comes from the gate or the sandbox. */
  outside(event: AgentEvent): void;
}
