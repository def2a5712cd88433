import type { QueueModes } from "../protocol/agent-state.ts";
import type { UserMessage } from "../protocol/messages.ts";

// What a person says while the agent works. Steering goes in at the next tool boundary, follow-ups when the agent would stop.

export type QueueKind = "steering" | "follow-up";

export const DEFAULT_QUEUE_MODES: QueueModes = {
  steering: "one-at-a-time",
  followUp: "one-at-a-time",
  interrupt: "immediate",
};

export interface MessageQueue {
  add(kind: QueueKind, message: UserMessage): void;
  /** The messages that are delivered now; they leave the queue. */
  take(kind: QueueKind): UserMessage[];
  /** The newest one that waits, for a person who wants to change it; it leaves the queue. */
  takeBack(): UserMessage | undefined;
  waiting(kind: QueueKind): readonly UserMessage[];
  modes: QueueModes;
}

export function createMessageQueue(modes: QueueModes = DEFAULT_QUEUE_MODES): MessageQueue {
  const queues: Record<QueueKind, UserMessage[]> = { steering: [], "follow-up": [] };
  return {
    modes: { ...modes },
    add: (kind, message) => void queues[kind].push(message),
    take(kind) {
      const mode = kind === "steering" ? this.modes.steering : this.modes.followUp;
      return queues[kind].splice(0, mode === "all" ? queues[kind].length : 1);
    },
    takeBack: () => queues["follow-up"].pop() ?? queues.steering.pop(),
    waiting: (kind) => queues[kind],
  };
}
