import type { Clock } from "../../system/clock.ts";
import { answerLine, errorLine } from "./answer-line.ts";
import { eventLine, type Listener } from "./event-fan-out.ts";
import { bitsOf } from "./event-types.ts";
import { InboundLines } from "./inbound-lines.ts";
import { ERROR, type MethodWorld } from "./methods.ts";
import { OutboundQueue } from "./outbound-queue.ts";

/** A request may be this long. */
export const MAX_FRAME_BYTES = 4 * 1024 * 1024;
/** Whoever lets more wait is too slow for events, and gets no further answers until it has read. */
export const MAX_UNSENT_BYTES = 1024 * 1024;
/** Requests that were read and wait for those before them. */
const MAX_WAITING_REQUESTS = 64;
/** Requests that are answered before others get their turn. */
const REQUESTS_PER_TURN = 32;
/** How long a client that has to go may take for its last line. */
const FAREWELL_MS = 2000;

export interface ClientSocket {
  /** Takes what fits and says how much that is; -1 when it is closed. */
  write(data: Uint8Array): number;
  /** Ends this direction; the client can still send. */
  shutdown(): void;
  end(): void;
  terminate(): void;
  pause(): void;
  resume(): void;
}

/** What a connection shares with the others. */
export interface ConnectionWorld
  extends Pick<MethodWorld, "controls" | "recentOutput" | "ptySequence" | "announce" | "stateChanged"> {
  clock: Clock;
  /** Sends the events of this moment, so that an answer comes behind what happened before it. */
  flushEvents(): void;
}

/** One client: its requests, answered one after the other, and the events it wants. */
export class ClientConnection implements Listener {
  wanted = 0;
  private readonly subscriptions = new Set<string>();
  private readonly inbound = new InboundLines(MAX_FRAME_BYTES);
  private readonly outbound: OutboundQueue;
  private readonly requests: (string | undefined)[] = [];
  private answering: Promise<void> | undefined;
  private isPaused = false;
  /** Nothing more is taken in. */
  private isInputOver = false;
  private hasClientEnded = false;
  private isClosed = false;
  private holdsInteractive = false;
  private roomWanted: (() => void) | undefined;
  private stopFarewell: (() => void) | undefined;
  private readonly methodWorld: MethodWorld;

  constructor(
    private readonly socket: ClientSocket,
    private readonly world: ConnectionWorld,
  ) {
    this.outbound = new OutboundQueue({
      write: (data) => socket.write(data),
      // What the client still sends has to be read: the system would forget our last words otherwise.
      end: () => (this.hasClientEnded ? socket.end() : socket.shutdown()),
    });
    this.methodWorld = {
      ...world,
      subscriptions: {
        list: () => [...this.subscriptions].sort(),
        change: (events, isWanted) => this.changeSubscriptions(events, isWanted),
      },
      holdInteractive: (isHeld) => {
        this.holdsInteractive = isHeld;
      },
    };
  }

  receive(lines: Uint8Array): void {
    // Another try first: the client may have read since the system last said that there is room.
    if (this.outbound.unsentEvents > MAX_UNSENT_BYTES) this.outbound.flush();
    if (this.outbound.unsentEvents > MAX_UNSENT_BYTES) return this.dismiss(SLOW);
    this.outbound.send(lines, true);
  }

  onData(chunk: Uint8Array): void {
    if (this.isInputOver) return;
    const { lines, isTooLong } = this.inbound.take(chunk);
    for (const line of lines) if (line?.trim() !== "") this.requests.push(line);
    if (isTooLong) this.isInputOver = true;
    if (this.requests.length > MAX_WAITING_REQUESTS && !this.isPaused) {
      this.isPaused = true;
      this.socket.pause();
    }
    void this.answerAll().then(() => {
      if (isTooLong) this.dismiss(LONG_LINE, TOO_LONG);
    });
  }

  onRoom(): void {
    this.outbound.flush();
    if (this.outbound.unsent <= MAX_UNSENT_BYTES) this.roomWanted?.();
  }

  /** The client sends no more. What it asked is answered. */
  onInputOver(): void {
    this.isInputOver = true;
    this.hasClientEnded = true;
    void this.answerAll().then(() => this.end());
  }

  onClosed(): void {
    this.isClosed = true;
    this.wanted = 0;
    this.stopFarewell?.();
    this.roomWanted?.();
    if (this.holdsInteractive) void this.giveBackInteractive();
  }

  private async giveBackInteractive(): Promise<void> {
    const request = { jsonrpc: "2.0", method: "set_interactive_mode", params: { enabled: false } };
    await answerLine(JSON.stringify(request), this.methodWorld);
  }

  /** Ends the connection behind what waits. */
  end(): void {
    this.leave(() => this.outbound.end());
  }

  /** Ends the connection with a notice instead of what waits. */
  dismiss(reason: string, lastAnswer = ""): void {
    const notice = eventLine("x/closing", { reason }, this.world.clock.now());
    this.leave(() => this.outbound.endWith(Buffer.from(`${lastAnswer}${notice}`)));
  }

  private leave(finish: () => void): void {
    if (this.isClosed) return;
    if (this.stopFarewell !== undefined) return this.hasClientEnded ? this.outbound.flush() : undefined;
    this.wanted = 0;
    this.isInputOver = true;
    this.stopFarewell = this.world.clock.timer(FAREWELL_MS, () => this.socket.terminate());
    finish();
  }

  private answerAll(): Promise<void> {
    this.answering ??= this.answerWaiting().then(() => {
      this.answering = undefined;
      return this.requests.length > 0 && !this.isClosed ? this.answerAll() : undefined;
    });
    return this.answering;
  }

  /** One at a time and in order: what was typed into a terminal must not overtake itself. */
  private async answerWaiting(): Promise<void> {
    for (let answered = 1; this.requests.length > 0 && !this.isClosed; answered++) {
      const answer = await answerLine(this.requests.shift(), this.methodWorld);
      if (answer !== undefined) this.sendAnswer(answer);
      if (this.outbound.unsent > MAX_UNSENT_BYTES) await this.room();
      if (answered % REQUESTS_PER_TURN === 0) await nextTurn();
    }
    if (this.isPaused && !this.isClosed) this.socket.resume();
    this.isPaused = false;
  }

  private sendAnswer(answer: string): void {
    this.world.flushEvents();
    this.outbound.send(Buffer.from(`${answer}\n`), false);
  }

  private room(): Promise<void> {
    if (this.isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      this.roomWanted = () => {
        this.roomWanted = undefined;
        resolve();
      };
    });
  }

  private changeSubscriptions(events: readonly string[], isWanted: boolean): void {
    this.world.flushEvents();
    for (const event of events) {
      if (isWanted) this.subscriptions.add(event);
      else this.subscriptions.delete(event);
    }
    this.wanted = bitsOf(this.subscriptions);
  }
}

const SLOW = `this client is too slow: more than ${MAX_UNSENT_BYTES} bytes of events wait for it; connect again and read faster`;
const LONG_LINE = `a line may have at most ${MAX_FRAME_BYTES} bytes`;
const TOO_LONG = `${errorLine({ id: null, code: ERROR.invalidRequest, message: "Invalid request", data: LONG_LINE })}\n`;

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
