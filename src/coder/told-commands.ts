import type { MessageQueue } from "../agent/message-queue.ts";
import type { UserMessage } from "../protocol/messages.ts";
import type { EntryDraft, Session } from "../sessions/session.ts";
import { commandsMessage, untoldCommands } from "../sessions/untold-commands.ts";

/** What the person ran themselves, told to the model before the next thing they say. */
export interface ToldCommands {
  /** What is to be told now; undefined where there is nothing. */
  next(): UserMessage | undefined;
  /** The entry of a message that came from here; undefined for any other. */
  entryOf(message: UserMessage): EntryDraft | undefined;
  /** The queue, with what is to be told in front of what it delivers. */
  before(queue: MessageQueue): MessageQueue;
}

export function createToldCommands(session: Session): ToldCommands {
  const ids = new WeakMap<UserMessage, string[]>();
  const next = () => {
    const commands = untoldCommands(session.entries, session.storedLeafId);
    if (commands.length === 0) return undefined;
    const message = commandsMessage(commands);
    ids.set(
      message,
      commands.map(({ id }) => id),
    );
    return message;
  };
  return {
    next,
    entryOf(message) {
      const commandIds = ids.get(message);
      return commandIds === undefined ? undefined : { type: "message", message, commandIds };
    },
    before: (queue) => ({
      get modes() {
        return queue.modes;
      },
      add: (kind, message) => queue.add(kind, message),
      take(kind) {
        const messages = queue.take(kind);
        const told = messages.length === 0 ? undefined : next();
        return told === undefined ? messages : [told, ...messages];
      },
      takeBack: () => queue.takeBack(),
      waiting: (kind) => queue.waiting(kind),
    }),
  };
}
