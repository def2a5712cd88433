import type { Clock } from "../../system/clock.ts";

// One stream of server-sent events. Its events are kept here and fetched by whoever reads, so nothing waits anywhere else, and a
// client that lost its connection goes on where it was.

export interface EventStreamOptions {
  /** Unique in its session; the beginning of the names of its events. */
  id: string;
  /** Its events have names, and a reader that went away may come back for the rest. */
  isResumable: boolean;
  clock: Clock;
  /** A reader came or went. */
  onReader(change: 1 | -1): void;
  /** Nobody reads it, and nobody will. Called once at most. */
  onAbandoned(): void;
}

interface KeptEvent {
  sequence: number;
  bytes: Uint8Array;
  isNews: boolean;
}

interface Reader {
  /** The last event it was given whole. */
  sequence: number;
  /** The one it was given a part of. */
  current: { event: KeptEvent; offset: number } | undefined;
  /** Set while it waits for more. */
  take: ((bytes: Uint8Array | undefined) => void) | undefined;
  /** It took nothing since it was last looked at. */
  isStalled: boolean;
  /** With `reset` at once, whatever it has not taken yet. */
  close(how: "in order" | "reset"): void;
}

/** How long a client may take to come back. Its own pauses are a second or two. */
export const COME_BACK_MS = 10_000;
/** Of what is told before the answer; the oldest goes. */
const MOST_NEWS = 64;
/** A slow reader that takes such a piece now and then is still a reader. */
const PIECE_BYTES = 64 * 1024;
const STALLED = "The client does not read.";
const encoder = new TextEncoder();
const BEAT = encoder.encode(": \n\n");

/** What a reader reads over. */
export interface Connection {
  /** Aborted when it is gone. */
  signal: AbortSignal;
  /** Called before the stream is closed in order. */
  onEnd(): void;
}

export class EventStream {
  private readonly kept: KeptEvent[] = [];
  private reader: Reader | undefined;
  private last = 0;
  /** The last event somebody was given. */
  private taken = 0;
  private isEnded = false;
  private isAbandoned = false;
  private stopWaiting: (() => void) | undefined;

  constructor(private readonly options: EventStreamOptions) {}

  get isOver(): boolean {
    return this.isEnded;
  }

  /** Somebody reads it, or may come back to. */
  get isAwaited(): boolean {
    return this.reader !== undefined || this.stopWaiting !== undefined;
  }

  get bytes(): number {
    return this.kept.reduce((sum, { bytes }) => sum + bytes.length, 0);
  }

  /** What nobody has taken yet. */
  get waitingBytes(): number {
    return this.kept.reduce((sum, { sequence, bytes }) => sum + (sequence > this.taken ? bytes.length : 0), 0);
  }

  /** Something on the way to the answer: with too much of it the oldest is dropped. */
  tell(message: object): void {
    const news = this.kept.filter(({ isNews }) => isNews);
    const [oldest] = news;
    if (oldest !== undefined && news.length >= MOST_NEWS) this.kept.splice(this.kept.indexOf(oldest), 1);
    this.keep(message, true);
  }

  answer(message: object): void {
    this.keep(message, false);
  }

  /** Nothing more comes; what is there can still be read. */
  end(): void {
    this.isEnded = true;
    this.deliver();
  }

  /** Ends it for whoever reads, too. */
  cut(): void {
    this.isEnded = true;
    this.isAbandoned = true;
    this.reader?.close("in order");
    this.stopWaiting?.();
    this.stopWaiting = undefined;
  }

  /** Whether there is anything behind this event, now or later. */
  hasMore(after: number): boolean {
    return !this.isEnded || this.last > after;
  }

  /** The events behind this one, as they come. One reads at a time: who read before is sent away. */
  read(after: number, connection: Connection): ReadableStream<Uint8Array> {
    this.reader?.close("in order");
    this.stopWaiting?.();
    this.stopWaiting = undefined;
    const { id, isResumable } = this.options;
    // The first bytes let the client know that the stream is open and, where it can be resumed, by which name.
    const hello = isResumable ? encoder.encode(`id: ${id}-${after}\ndata: \n\n`) : BEAT;
    return this.attach({ after, hello }, connection);
  }

  /** A sign of life. A reader that took nothing between two of them is sent away. */
  beat(): void {
    const { reader } = this;
    if (reader === undefined) return;
    if (reader.take !== undefined) return reader.take(BEAT);
    if (reader.isStalled) return reader.close("reset");
    reader.isStalled = true;
  }

  private attach({ after, hello }: { after: number; hello: Uint8Array }, { signal, onEnd }: Connection) {
    const reader: Reader = {
      sequence: after,
      current: undefined,
      take: undefined,
      isStalled: false,
      close: () => undefined,
    };
    const leave = () => this.detach(reader);
    this.reader = reader;
    this.options.onReader(1);
    const stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          controller.enqueue(hello);
          reader.close = (how) => {
            leave();
            reader.take?.(undefined);
            if (how === "reset") return controller.error(new Error(STALLED));
            onEnd();
            controller.close();
          };
        },
        pull: (controller) => {
          const { promise, resolve } = Promise.withResolvers<void>();
          reader.take = (bytes) => {
            reader.take = undefined;
            reader.isStalled = false;
            if (bytes !== undefined) controller.enqueue(bytes);
            resolve();
          };
          this.deliver();
          return promise;
        },
        cancel: leave,
      },
      { highWaterMark: 0 },
    );
    signal.addEventListener("abort", leave, { once: true });
    if (signal.aborted) leave();
    return stream;
  }

  private keep(message: object, isNews: boolean): void {
    if (this.isEnded) return;
    this.last += 1;
    const name = this.options.isResumable ? `id: ${this.options.id}-${this.last}\n` : "";
    const bytes = encoder.encode(`${name}data: ${JSON.stringify(message)}\n\n`);
    this.kept.push({ sequence: this.last, bytes, isNews });
    this.deliver();
  }

  /** Hands the next piece to a reader that waits for one. */
  private deliver(): void {
    const { reader } = this;
    if (reader?.take === undefined) return;
    const event = reader.current?.event ?? this.kept.find(({ sequence }) => sequence > reader.sequence);
    if (event !== undefined) return reader.take(this.nextPiece(reader, event));
    if (this.isEnded) reader.close("in order");
  }

  private nextPiece(reader: Reader, event: KeptEvent): Uint8Array {
    const offset = reader.current?.offset ?? 0;
    const end = offset + PIECE_BYTES;
    reader.current = end < event.bytes.length ? { event, offset: end } : undefined;
    if (reader.current === undefined) {
      reader.sequence = event.sequence;
      this.taken = Math.max(this.taken, event.sequence);
      if (!this.options.isResumable) this.kept.splice(0, this.kept.indexOf(event) + 1);
    }
    return event.bytes.subarray(offset, end);
  }

  private detach(reader: Reader): void {
    if (this.reader !== reader) return;
    this.reader = undefined;
    const { isResumable, clock, onReader } = this.options;
    const isWanted = this.hasMore(reader.sequence);
    if (isWanted && isResumable)
      this.stopWaiting = clock.timer(COME_BACK_MS, () => {
        this.stopWaiting = undefined;
        this.abandon();
      });
    onReader(-1);
    if (isWanted && !isResumable) this.abandon();
  }

  private abandon(): void {
    if (this.isAbandoned) return;
    this.isAbandoned = true;
    this.options.onAbandoned();
  }
}
