import type { AgentOutcome, CompactionResult } from "../../protocol/agent-events.ts";
import type { ModelEvent } from "../../protocol/model-events.ts";

/** Why the work stopped, for a person; undefined where it is simply done. */
export function outcomeWords(outcome: AgentOutcome): string | undefined {
  switch (outcome.type) {
    case "done":
      return undefined;
    case "failed":
      return outcome.error.message;
    case "refused":
      return "The model refused to answer. Say it differently, or choose another /model.";
    case "truncated":
      return "The answer is cut: it was longer than the model may write. Ask it to go on, or for less.";
    case "limit-reached":
      return `Stopped: the limit of ${outcome.allowed} ${outcome.limit} is reached.`;
    case "interrupted":
      return "Stopped.";
    case "not-stored":
      return `Nothing more is done, because it could not be stored: ${outcome.message}`;
    case "repeating":
      return `Stopped: the model repeats itself (${outcome.what}, ${outcome.times} times). Say what it should do differently.`;
  }
}

export function compactionWords(result: CompactionResult): string {
  switch (result.type) {
    case "promoted":
      return `The conversation goes on with ${result.model}, which has more room.`;
    case "summarised":
      return `${counted(result.messages, "message was", "messages were")} ${result.way === "server" ? "compacted by the provider" : "summarised"}, from ${shown(result.tokensBefore)} to ${shown(result.tokensAfter)} tokens.`;
    case "pruned":
      return `${counted(result.results, "tool result was", "tool results were")} shortened, from ${shown(result.tokensBefore)} to ${shown(result.tokensAfter)} tokens.`;
    case "trimmed":
      return `${counted(result.messages, "old message was", "old messages were")} left out: ${result.problem}`;
    case "failed":
      return `The conversation could not be shortened: ${result.problem}`;
    case "interrupted":
      return "The shortening was stopped.";
  }
}

export function retryWords({ attempt, delayMs, error }: Extract<ModelEvent, { type: "attempt-retry" }>): string {
  return `${error.message.replace(/\.$/, "")}; trying again in ${(delayMs / 1000).toFixed(1)} s (attempt ${attempt + 1})`;
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

function shown(count: number): string {
  return count.toLocaleString("en-US");
}

/** `stopped`: the answer was stopped for them. */
export function ruleWords(rules: readonly { name: string }[], stopped: boolean): string {
  const names = rules.map(({ name }) => name).join(", ");
  const which = rules.length === 1 ? `the rule ${names}` : `the rules ${names}`;
  return stopped
    ? `This answer was stopped: it broke ${which}. The model is told and answers again.`
    : `The model is reminded of ${which}.`;
}
