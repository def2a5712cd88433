import type { AgentEvent } from "../../protocol/agent-events.ts";

/** One sentence for a person. */
export function describeRules({ rules, stopped }: Extract<AgentEvent, { type: "rules-triggered" }>): string {
  const names = rules.map(({ name }) => name).join(", ");
  const which = rules.length === 1 ? `the rule ${names}` : `the rules ${names}`;
  return stopped
    ? `The answer was stopped: it broke ${which}. The model is told and answers again.`
    : `The model is reminded of ${which}.`;
}
