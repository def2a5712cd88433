import type { EventFrame, FlatFrame } from "./frames.ts";
import type { SessionEvent } from "./session-event-shapes.ts";

/** Where lines go. What nobody has taken yet is held. */
export interface RpcOutput {
  write(text: string): void;
  /** Resolves when everything is taken, or never can be. */
  drained(): Promise<void>;
  /** Characters that wait. */
  readonly held: number;
}

/** With more than this waiting, pieces that add nothing to what comes later are left out. */
export const MAX_HELD_FOR_UPDATES = 1024 * 1024;
/** With more than this waiting, nobody reads. */
export const MAX_HELD = 64 * 1024 * 1024;

export interface Outbound {
  send(frame: FlatFrame): void;
  event(sessionId: string, event: SessionEvent): void;
}

export interface OutboundOptions {
  output: RpcOutput;
  /** Stands in every `frame_id`; another one for every process. */
  run: string;
  /** More than `MAX_HELD` waits. Called once. */
  onStuck(): void;
}

const DROPPABLE: ReadonlySet<SessionEvent["type"]> = new Set(["message_update", "tool_execution_update"]);
const MOST_SESSIONS = 10_000;

export function createOutbound({ output, run, onStuck }: OutboundOptions): Outbound {
  const sequences = new Map<string, number>();
  let frames = 0;
  let dropped = 0;
  let isStuck = false;
  const write = (frame: FlatFrame | EventFrame) => {
    if (isStuck) return;
    output.write(`${JSON.stringify(frame)}\n`);
    if (output.held <= MAX_HELD) return;
    isStuck = true;
    onStuck();
  };
  const numbered = (sessionId: string, event: SessionEvent) => {
    const seq = (sequences.get(sessionId) ?? 0) + 1;
    frames += 1;
    sequences.set(sessionId, seq);
    for (const oldest of sequences.keys()) if (sequences.size > MOST_SESSIONS) sequences.delete(oldest);
    write({
      type: "event",
      protocol_version: 2,
      session_id: sessionId,
      seq,
      frame_id: `frame_${run}_${frames}`,
      payload: { event_type: event.type, event },
    });
  };
  return {
    send: write,
    event(sessionId, event) {
      const isFull = output.held > MAX_HELD_FOR_UPDATES;
      if (isFull && DROPPABLE.has(event.type)) {
        dropped += 1;
        return;
      }
      if (dropped > 0 && (!isFull || event.type === "agent_end")) {
        numbered(sessionId, { type: "notice", level: "warning", message: leftOut(dropped) });
        dropped = 0;
      }
      numbered(sessionId, event);
    },
  };
}

function leftOut(count: number): string {
  return `${count} updates were left out, because more than ${MAX_HELD_FOR_UPDATES} characters waited to be read. What has ended since is complete.`;
}
