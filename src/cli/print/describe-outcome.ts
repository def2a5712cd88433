import type { AgentOutcome } from "../../protocol/agent-events.ts";
import type { ModelErrorKind } from "../../protocol/model-errors.ts";

/** What a person is told when it did not end well: what happened and what to do. */
export function describeOutcome(outcome: AgentOutcome): string | undefined {
  switch (outcome.type) {
    case "done":
      return undefined;
    case "failed":
      return withAdvice(outcome.error.message, ADVICE[outcome.error.kind]);
    case "refused":
      return "The model refused to answer. Say it differently or use another model.";
    case "truncated":
      return "The answer is cut: it reached the model's output limit. Ask for less, or raise --max-output-tokens.";
    case "limit-reached":
      return `Stopped: the limit of ${outcome.allowed} ${outcome.limit} is reached.`;
    case "interrupted":
      return "Interrupted.";
    case "not-stored":
      return withAdvice(outcome.message, "Nothing more was done: what is not kept must not go on.");
    case "repeating":
      return `Stopped: the model repeats itself (${outcome.what}, ${outcome.times} times). Say what it should do differently.`;
  }
}

const ADVICE: Partial<Record<ModelErrorKind, string>> = {
  credentials: "The key was refused.",
  quota: "The account has no quota left: wait, pay, or use another --model.",
  "rate-limit": "Wait a little, or use another --model.",
  "not-found": "See what can be used: ralph models",
  network: "Check the network, the address in models.yml and the proxy: ralph doctor",
  timeout: "Try again, or raise timeouts in config.yml.",
  "context-overflow": "Send less, or use a --model with a larger window.",
};

function withAdvice(message: string, advice: string | undefined): string {
  return advice === undefined ? message : `${message.replace(/\.$/, "")}. ${advice}`;
}
