import type { Clock } from "../../system/clock.ts";
import { EventStream } from "./event-stream.ts";
import { type McpOffer, McpSession, PROTOCOL_VERSIONS, type Reply } from "./mcp-session.ts";
import type { ReadMessage } from "./read-message.ts";

// One client over HTTP: what it asked, and the streams it is answered over.

export interface HttpSessionOptions {
  offer: McpOffer;
  clock: Clock;
  onReader(change: 1 | -1): void;
}

/** What a client is refused, with the status of HTTP. */
export interface Refused {
  status: number;
  message: string;
}

const MOST_STREAMS = 64;
const MOST_WAITING = 16 * 1024 * 1024;
/** Of answers that were given: so much, and so many, can be given once more. */
const MOST_KEPT_BYTES = 256 * 1024;
const MOST_KEPT = 16;

export class HttpSession {
  readonly id = crypto.randomUUID();
  readonly protocol: McpSession;
  /** On the clock that never goes back. */
  lastUsed: number;
  private readonly streams = new Map<string, EventStream>();
  private opened = 0;

  constructor(private readonly options: HttpSessionOptions) {
    this.protocol = new McpSession(options.offer);
    this.lastUsed = options.clock.monotonic();
  }

  /** Something is being answered, read, or waited for. */
  get isBusy(): boolean {
    return this.protocol.isAnswering || this.streams.values().some((stream) => stream.isAwaited);
  }

  get waitingBytes(): number {
    return this.streams.values().reduce((sum, stream) => sum + stream.waitingBytes, 0);
  }

  use(): void {
    this.lastUsed = this.options.clock.monotonic();
  }

  /** Why nothing more can be asked now. */
  refusal(): Refused | undefined {
    const open = this.streams.values().reduce((count, { isAwaited }) => count + (isAwaited ? 1 : 0), 0);
    if (open >= MOST_STREAMS)
      return { status: 429, message: `${MOST_STREAMS} streams are open in this session, which is the most.` };
    if (this.waitingBytes > MOST_WAITING)
      return { status: 429, message: `More than ${MOST_WAITING} bytes wait to be read. Read them first.` };
    return undefined;
  }

  /** The replies, once all of them are there. */
  async answer(messages: readonly ReadMessage[], signal?: AbortSignal): Promise<Reply[]> {
    const asking = { tell: () => undefined, ...(signal && { signal }) };
    const replies = await Promise.all(messages.map((message) => this.protocol.take(message, asking)));
    this.use();
    return replies.filter((reply) => reply !== undefined);
  }

  /** The replies as they come, and what is told on the way to them. */
  answerAsEvents(messages: readonly ReadMessage[]): EventStream {
    const stop = new AbortController();
    const stream = this.open(() => stop.abort());
    const asking = { tell: (notification: object) => stream.tell(notification), signal: stop.signal };
    const replies = messages.map(async (message) => {
      const reply = await this.protocol.take(message, asking);
      if (reply !== undefined) stream.answer(reply);
    });
    void Promise.all(replies).then(() => {
      stream.end();
      this.forget();
    });
    return stream;
  }

  /** For what the server has to say by itself, until the client goes. */
  listen(): EventStream {
    return this.open(() => undefined, false);
  }

  /** The stream of the event a client got last. */
  resume(lastEvent: string): { stream: EventStream; after: number } | undefined {
    const [, id = "", sequence = ""] = /^(\w{1,20})-(\d{1,10})$/.exec(lastEvent) ?? [];
    const stream = this.streams.get(id);
    return stream && { stream, after: Number(sequence) };
  }

  beat(): void {
    for (const stream of this.streams.values()) stream.beat();
  }

  close(): void {
    this.protocol.close();
    for (const stream of this.streams.values()) stream.cut();
    this.streams.clear();
  }

  private open(onAbandoned: () => void, mayResume = true): EventStream {
    this.opened += 1;
    const id = `s${this.opened}`;
    const stream = new EventStream({
      id,
      // Older clients take the first event, which only has a name, for a message.
      isResumable: mayResume && this.protocol.version === PROTOCOL_VERSIONS[0],
      clock: this.options.clock,
      onReader: (change) => {
        this.use();
        this.options.onReader(change);
        if (change < 0) this.forget();
      },
      onAbandoned: () => {
        this.streams.delete(id);
        onAbandoned();
      },
    });
    this.streams.set(id, stream);
    return stream;
  }

  /** Of what is over, only the newest is kept, and nothing long. */
  private forget(): void {
    const over = [...this.streams].filter(([, stream]) => stream.isOver && !stream.isAwaited).reverse();
    let [bytes, count] = [0, 0];
    for (const [id, stream] of over) {
      const isKept = count < MOST_KEPT && bytes + stream.bytes <= MOST_KEPT_BYTES;
      if (!isKept) this.streams.delete(id);
      count += isKept ? 1 : 0;
      bytes += isKept ? stream.bytes : 0;
    }
  }
}
