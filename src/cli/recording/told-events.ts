import type { AgentEvent } from "../../protocol/agent-events.ts";

/** How much of an event a recording keeps to explain a difference with. */
export const TOLD_TEXT_LENGTH = 2000;

/** Told by the gate, which is not asked when a run is played back. */
export function fromOutside({ type }: AgentEvent): boolean {
  return type === "ask-start" || type === "ask-end" || type === "decided";
}
