import { type Deferred, deferred } from "./deferred.ts";
import type { SessionEvent } from "./wire-types.ts";

/** With more than this waiting to be taken, pieces that add nothing to what comes later are left out. */
export const MAX_QUEUED_FOR_UPDATES = 16 * 1024 * 1024;
/** With more than this waiting, whoever iterates is told that it fell behind. */
export const MAX_QUEUED = 256 * 1024 * 1024;
/** What an event costs beside its characters. */
const EVENT_OVERHEAD = 500;

const UPDATES: ReadonlySet<SessionEvent["type"]> = new Set(["message_update", "tool_execution_update"]);

/** Events for one `for await`. Reading from Ralph never waits for it, so a loop may call the client from within. */
export class EventQueue implements AsyncIterableIterator<SessionEvent> {
  private readonly waiting: { event: SessionEvent; size: number }[] = [];
  private readonly takers: Deferred<IteratorResult<SessionEvent>>[] = [];
  private held = 0;
  private leftOut = 0;
  private ending: { error?: Error } | undefined;

  /** `onClose` is called when nobody wants more. */
  constructor(private readonly onClose: () => void) {}

  push(event: SessionEvent, characters: number): void {
    if (this.ending !== undefined) return;
    if (this.held > MAX_QUEUED_FOR_UPDATES && UPDATES.has(event.type)) {
      this.leftOut += 1;
      return;
    }
    if (this.leftOut > 0) this.add(leftOutNotice(this.leftOut), 0);
    this.leftOut = 0;
    this.add(event, characters);
    if (this.held > MAX_QUEUED)
      this.end(new Error(`Events are not taken fast enough: more than ${MAX_QUEUED} characters wait.`));
  }

  /** What waits is still given out. */
  end(error?: Error): void {
    if (this.ending !== undefined) return;
    this.ending = error === undefined ? {} : { error };
    this.onClose();
    for (const taker of this.takers.splice(0)) this.settle(taker);
  }

  next(): Promise<IteratorResult<SessionEvent>> {
    const taker = deferred<IteratorResult<SessionEvent>>();
    if (this.waiting.length > 0 || this.ending !== undefined) this.settle(taker);
    else this.takers.push(taker);
    return taker.promise;
  }

  async return(): Promise<IteratorResult<SessionEvent>> {
    this.waiting.length = 0;
    this.end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  private add(event: SessionEvent, characters: number): void {
    const taker = this.takers.shift();
    if (taker !== undefined) return taker.resolve({ done: false, value: event });
    const size = characters + EVENT_OVERHEAD;
    this.held += size;
    this.waiting.push({ event, size });
  }

  private settle(taker: Deferred<IteratorResult<SessionEvent>>): void {
    const next = this.waiting.shift();
    if (next !== undefined) {
      this.held -= next.size;
      return taker.resolve({ done: false, value: next.event });
    }
    const error = this.ending?.error;
    // Told once; after that the iterator is simply over.
    this.ending = {};
    if (error === undefined) taker.resolve({ done: true, value: undefined });
    else taker.reject(error);
  }
}

function leftOutNotice(count: number): SessionEvent {
  return {
    type: "notice",
    level: "warning",
    message: `${count} updates were left out, because more than ${MAX_QUEUED_FOR_UPDATES} characters waited to be taken. What has ended since is complete.`,
  };
}
