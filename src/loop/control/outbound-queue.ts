/** The part of a socket that is written to. It takes what fits, or says -1 when it is closed. */
export interface WritableSocket {
  write(data: Uint8Array): number;
  /** Nothing more is written. */
  end(): void;
}

interface Waiting {
  bytes: Uint8Array;
  isEvent: boolean;
}

const NEWLINE = 0x0a;

/** What waits to be sent to one other side, in order, in whole lines. Nobody else waits for it. */
export class OutboundQueue {
  private queue: Waiting[] = [];
  private isEnding = false;
  /** Bytes that were not taken yet, and how many of them are events. */
  unsent = 0;
  unsentEvents = 0;

  constructor(private readonly socket: WritableSocket) {}

  /** `bytes` are whole lines. */
  send(bytes: Uint8Array, isEvent: boolean): void {
    if (this.isEnding) return;
    this.queue.push({ bytes, isEvent });
    this.count(bytes.length, isEvent);
    this.flush();
  }

  /** Sends what fits. Called again when the socket says that there is room. */
  flush(): void {
    for (let [head] = this.queue; head !== undefined; [head] = this.queue) {
      const taken = this.socket.write(head.bytes);
      if (taken < 0) return this.forget();
      this.count(-taken, head.isEvent);
      if (taken < head.bytes.length) {
        head.bytes = head.bytes.subarray(taken);
        return;
      }
      this.queue.shift();
    }
    if (this.isEnding) this.socket.end();
  }

  /** Ends the connection behind what is sent already. */
  end(): void {
    this.isEnding = true;
    this.flush();
  }

  /** Gives up what waits, but for the rest of the line that is on its way, and ends with these lines. */
  endWith(lines: Uint8Array): void {
    if (this.isEnding) return;
    const [head] = this.queue;
    this.forget();
    if (head !== undefined) this.send(head.bytes.subarray(0, head.bytes.indexOf(NEWLINE) + 1), head.isEvent);
    this.send(lines, false);
    this.end();
  }

  private forget(): void {
    this.queue = [];
    this.unsent = 0;
    this.unsentEvents = 0;
  }

  private count(bytes: number, isEvent: boolean): void {
    this.unsent += bytes;
    if (isEvent) this.unsentEvents += bytes;
  }
}
