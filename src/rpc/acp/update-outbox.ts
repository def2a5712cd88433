import type { SessionUpdate } from "@agentclientprotocol/sdk";

/** Updates of one session on their way to the editor, in order. */
export interface UpdateOutbox {
  send(...updates: readonly SessionUpdate[]): void;
  /** Everything before this is written, or never can be. */
  drained(): Promise<void>;
}

/** With so many waiting, nobody reads. */
export const MOST_WAITING = 20_000;

export interface OutboxOptions {
  /** Resolves when the other side has room for more. */
  write(update: SessionUpdate): Promise<void>;
  /** More than `MOST_WAITING` wait. Called once. */
  onStuck(): void;
}

/** While the editor is slow, pieces of one answer grow together and an update of a call takes the place of the one before. */
export function createUpdateOutbox({ write, onStuck }: OutboxOptions): UpdateOutbox {
  const waiting: SessionUpdate[] = [];
  let sending: Promise<void> | undefined;
  let isClosed = false;
  const close = () => {
    isClosed = true;
    waiting.length = 0;
  };
  const sendAll = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await write(next).catch(close);
    sending = undefined;
  };
  return {
    send(...updates) {
      for (const update of updates) {
        if (isClosed) return;
        add(waiting, update);
      }
      if (waiting.length > MOST_WAITING) {
        close();
        onStuck();
      }
      if (waiting.length > 0) sending ??= sendAll();
    },
    drained: async () => sending,
  };
}

function add(waiting: SessionUpdate[], update: SessionUpdate): void {
  const last = waiting.at(-1);
  const merged = last === undefined ? undefined : mergedUpdate(last, update);
  if (merged === undefined) waiting.push(update);
  else waiting[waiting.length - 1] = merged;
}

/** The two as one, where that says the same. */
function mergedUpdate(one: SessionUpdate, next: SessionUpdate): SessionUpdate | undefined {
  if (one.sessionUpdate === "tool_call_update" && next.sessionUpdate === "tool_call_update")
    return one.toolCallId === next.toolCallId ? { ...one, ...next } : undefined;
  const isChunk = next.sessionUpdate === "agent_message_chunk" || next.sessionUpdate === "agent_thought_chunk";
  if (!isChunk || one.sessionUpdate !== next.sessionUpdate) return undefined;
  if (one.content.type !== "text" || next.content.type !== "text") return undefined;
  return { ...one, content: { type: "text", text: one.content.text + next.content.text } };
}
