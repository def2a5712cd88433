import type { EventFrame, FlatFrame } from "./frames.ts";
import { createJoinedUpdates } from "./joined-updates.ts";
import type { SessionEvent } from "./session-event-shapes.ts";

/** Where lines go. What nobody has taken yet is held. */
export interface RpcOutput {
  write(text: string): void;
  /** Resolves when everything is taken, or never can be. */
  drained(): Promise<void>;
  /** Characters that wait. */
  readonly held: number;
}

/** With more than this waiting, pieces are joined instead of being sent one by one. */
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

const MOST_SESSIONS = 10_000;

export function createOutbound({ output, run, onStuck }: OutboundOptions): Outbound {
  const sequences = new Map<string, number>();
  let frames = 0;
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
  const joined = createJoinedUpdates();
  let joiningFor: string | undefined;
  const flush = () => {
    if (joiningFor === undefined) return;
    const sessionId = joiningFor;
    joiningFor = undefined;
    for (const event of joined.take()) numbered(sessionId, event);
    const leftOut = joined.takeLeftOut();
    if (leftOut > 0) numbered(sessionId, { type: "notice", level: "warning", message: outputLeftOut(leftOut) });
  };
  const join = (sessionId: string, event: SessionEvent): boolean => {
    if (joiningFor !== undefined && joiningFor !== sessionId) flush();
    if (!joined.add(event)) return false;
    if (joiningFor === undefined) void output.drained().then(flush);
    joiningFor = sessionId;
    return true;
  };
  return {
    send: write,
    event(sessionId, event) {
      if (output.held > MAX_HELD_FOR_UPDATES && join(sessionId, event)) return;
      flush();
      numbered(sessionId, event);
    },
  };
}

function outputLeftOut(count: number): string {
  return `${count} characters of output were left out, because more than ${MAX_HELD_FOR_UPDATES} characters waited to be read. The results of the tools are complete.`;
}
