import type { LiveAgent } from "../cli/agents/open-agent.ts";
import type { UserMessage } from "../protocol/messages.ts";
import { RalphError } from "./ralph-error.ts";

/** Messages the model is to see with the next prompt, without being asked for them. */
export interface HeldMessages {
  add(message: UserMessage): void;
  /** Puts them into the conversation if nothing runs; otherwise they wait on. */
  store(agent: LiveAgent): Promise<void>;
}

export function createHeldMessages(told: (message: UserMessage) => void): HeldMessages {
  const held: UserMessage[] = [];
  return {
    add: (message) => void held.push(message),
    async store(agent) {
      if (held.length === 0) return;
      const problem = await agent.withSession(async (session) => {
        for (let message = held[0]; message !== undefined; message = held[0]) {
          const stored = await session.append({ type: "message", message });
          if (!stored.ok) return stored.message;
          held.shift();
          told(message);
        }
        return undefined;
      });
      if (problem !== undefined) throw new RalphError("not-stored", problem);
    },
  };
}
