import { createMessageQueue, type MessageQueue, type QueueKind } from "../agent/message-queue.ts";
import type { UserMessage } from "../protocol/messages.ts";
import type { AppendEntryResult, Session } from "../sessions/session.ts";
import type { WaitingMessage } from "../sessions/waiting-messages.ts";

/** The queue of a session: what waits in it is on disk, so that nothing a person said is lost with the process. */
export interface StoredQueue {
  /** What the turn loop takes from. */
  queue: MessageQueue;
  add(kind: QueueKind, message: UserMessage): Promise<AppendEntryResult>;
  takeBack(): Promise<{ ok: true; message?: UserMessage } | Extract<AppendEntryResult, { ok: false }>>;
  waiting(): { kind: QueueKind; message: UserMessage }[];
  /** The entry a message waited as, for the entry that says it was sent. */
  entryOf(message: UserMessage): string | undefined;
}

export function createStoredQueue(session: Session, restored: readonly WaitingMessage[]): StoredQueue {
  const queue = createMessageQueue();
  const entryIds = new Map<UserMessage, string>();
  const keep = (kind: QueueKind, message: UserMessage, id: string) => {
    entryIds.set(message, id);
    queue.add(kind, message);
  };
  for (const { kind, message, id } of restored) keep(kind, message, id);
  return {
    queue,
    async add(kind, message) {
      // Two prompts with the same words are two messages.
      const own = { ...message };
      const stored = await session.append({ type: "queued", kind, message: own });
      if (stored.ok) keep(kind, own, stored.entry.id);
      return stored;
    },
    async takeBack() {
      const message = queue.takeBack();
      const targetId = message === undefined ? undefined : entryIds.get(message);
      if (message === undefined || targetId === undefined) return { ok: true };
      entryIds.delete(message);
      const stored = await session.append({ type: "unqueued", targetId });
      return stored.ok ? { ok: true, message } : stored;
    },
    waiting: () =>
      (["steering", "follow-up"] as const).flatMap((kind) => queue.waiting(kind).map((message) => ({ kind, message }))),
    entryOf(message) {
      const id = entryIds.get(message);
      entryIds.delete(message);
      return id;
    },
  };
}
