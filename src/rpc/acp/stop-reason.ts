import type { StopReason } from "@agentclientprotocol/sdk";
import type { AgentOutcome } from "../../protocol/agent-events.ts";

/** How a prompt ended: a reason of the protocol, with words where the reason alone does not say it, or a failure. */
export type PromptEnd =
  | { ok: true; stopReason: StopReason; words?: string }
  | { ok: false; message: string; needsCredentials: boolean };

export function promptEnd(outcome: AgentOutcome): PromptEnd {
  switch (outcome.type) {
    case "done":
      return { ok: true, stopReason: "end_turn" };
    case "interrupted":
      return { ok: true, stopReason: "cancelled" };
    case "refused":
      return { ok: true, stopReason: "refusal" };
    case "truncated":
      return { ok: true, stopReason: "max_tokens" };
    case "limit-reached": {
      const words = `Stopped: the limit of ${outcome.allowed} ${outcome.limit} is reached.`;
      return { ok: true, stopReason: outcome.limit === "tokens" ? "max_tokens" : "max_turn_requests", words };
    }
    case "repeating": {
      const words = `Stopped: the model repeats itself (${outcome.what}, ${outcome.times} times). Say what it should do differently.`;
      return { ok: true, stopReason: "end_turn", words };
    }
    case "failed":
      if (outcome.error.kind === "aborted") return { ok: true, stopReason: "cancelled" };
      return { ok: false, message: outcome.error.message, needsCredentials: outcome.error.kind === "credentials" };
    case "not-stored":
      return { ok: false, message: outcome.message, needsCredentials: false };
  }
}
