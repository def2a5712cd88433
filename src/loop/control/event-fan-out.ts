import { EVENT_BITS, type EventType } from "./event-types.ts";
import { WIRE_ZONE, wireTime } from "./wire-time.ts";

/** Somebody who may want events. */
export interface Listener {
  /** The types it wants, as bits. */
  wanted: number;
  /** Whole lines. The same bytes go to everybody who wants the same. */
  receive(lines: Uint8Array): void;
}

/** How much is gathered before it is handed out in the middle of a turn. */
const BATCH_CHARACTERS = 64 * 1024;

/**
 * Hands events to everybody who wants them. Each is written as text once, and those of one turn are encoded and sent together.
 * Without a listener nothing is done at all.
 */
export class EventFanOut {
  private pending: { bit: number; line: string }[] = [];
  private pendingCharacters = 0;
  private scheduled: NodeJS.Immediate | undefined;

  constructor(
    private readonly listeners: ReadonlySet<Listener>,
    private readonly now: () => number,
  ) {}

  publish(type: EventType, data: unknown): void {
    const bit = EVENT_BITS[type];
    if (!this.isWanted(bit)) return;
    const line = eventLine(type, data, this.now());
    this.pending.push({ bit, line });
    this.pendingCharacters += line.length;
    if (this.pendingCharacters >= BATCH_CHARACTERS) return this.flush();
    this.scheduled ??= setImmediate(() => this.flush());
  }

  /** Hands out what waits. What is sent to a listener otherwise comes behind what happened before it. */
  flush(): void {
    clearImmediate(this.scheduled);
    this.scheduled = undefined;
    if (this.pending.length === 0) return;
    const { pending } = this;
    this.pending = [];
    this.pendingCharacters = 0;
    const batches = new Map<number, Uint8Array>();
    for (const listener of this.listeners) {
      const { wanted } = listener;
      const lines = batches.get(wanted) ?? encoded(pending, wanted);
      batches.set(wanted, lines);
      if (lines.length > 0) listener.receive(lines);
    }
  }

  private isWanted(bit: number): boolean {
    for (const { wanted } of this.listeners) if ((wanted & bit) !== 0) return true;
    return false;
  }
}

export function eventLine(type: string, data: unknown, now: number): string {
  const params = { type, timestamp: wireTime(now), data, zone: WIRE_ZONE };
  return `${JSON.stringify({ jsonrpc: "2.0", method: "event", params })}\n`;
}

function encoded(pending: readonly { bit: number; line: string }[], wanted: number): Uint8Array {
  let text = "";
  for (const { bit, line } of pending) if ((bit & wanted) !== 0) text += line;
  return Buffer.from(text);
}
