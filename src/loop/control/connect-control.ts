import { asNumber, asObject, asString, at, parseJson } from "../../protocol/json.ts";
import type { Clock } from "../../system/clock.ts";
import { errorCode } from "../../system/file-failure.ts";
import { InboundLines } from "./inbound-lines.ts";
import { OutboundQueue } from "./outbound-queue.ts";
import { socketPath } from "./socket-place.ts";

// The other end of the control socket, as our own commands use it.

export interface ConnectControlOptions {
  /** Where the sockets lie. */
  directory: string;
  /** Of the task. */
  name: string;
  clock: Clock;
  onEvent?: (event: ControlEvent) => void;
  /** Once, unless it is closed from here. `reason` is what the loop gave, where it gave one. */
  onClosed?: (reason: string | undefined) => void;
}

export interface ControlEvent {
  type: string;
  data: Record<string, unknown>;
}

export type RequestResult =
  | { ok: true; result: Record<string, unknown> }
  /** `code` is absent where no answer came. */
  | { ok: false; code?: number; message: string };

export interface ControlConnection {
  request(method: string, params?: Readonly<Record<string, unknown>>, timeoutMs?: number): Promise<RequestResult>;
  /** Reads no more until it is told to: the loop notices, and waits for nobody. */
  pause(): void;
  resume(): void;
  close(): void;
}

export type ConnectControlResult =
  | { ok: true; connection: ControlConnection }
  /** `no-loop`: nobody is there who would listen. */
  | { ok: false; reason: "no-loop" | "failed"; message: string };

const REQUEST_TIMEOUT_MS = 15_000;
/** Longer than anything a loop sends. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

export async function connectControl(options: ConnectControlOptions): Promise<ConnectControlResult> {
  const { directory, name } = options;
  const path = socketPath(directory, name);
  const client = new ControlClient(name, options);
  try {
    const socket = await Bun.connect({
      unix: path,
      socket: {
        open: (opened) => client.onOpen(opened),
        data: (_, chunk) => client.onData(chunk),
        drain: () => client.onRoom(),
        close: () => client.onClosed(),
        error: () => undefined,
      },
    });
    return { ok: true, connection: client.connection(socket) };
  } catch (error) {
    return notConnected(name, path, error);
  }
}

const NOBODY = new Set(["ENOENT", "ECONNREFUSED", "ENOTSOCK", "ENOTDIR"]);

function notConnected(name: string, path: string, error: unknown): ConnectControlResult {
  const code = errorCode(error);
  if (code !== undefined && NOBODY.has(code))
    return { ok: false, reason: "no-loop", message: `No loop named ${name} is running.` };
  const why = code === "EACCES" ? "it belongs to another user" : error instanceof Error ? error.message : String(error);
  return { ok: false, reason: "failed", message: `The loop ${name} cannot be reached at ${path}: ${why}.` };
}

/** The requests that wait for their answers, and the events in between. */
class ControlClient {
  private readonly inbound = new InboundLines(MAX_LINE_BYTES);
  private outbound: OutboundQueue | undefined;
  private readonly waiting = new Map<number, (result: RequestResult) => void>();
  private lastId = 0;
  private farewell: string | undefined;
  private isClosed = false;

  constructor(
    private readonly name: string,
    private readonly options: Pick<ConnectControlOptions, "clock" | "onEvent" | "onClosed">,
  ) {}

  connection(socket: Bun.Socket): ControlConnection {
    return {
      request: (method, params = {}, timeoutMs = REQUEST_TIMEOUT_MS) => this.request({ method, params }, timeoutMs),
      pause: () => socket.pause(),
      resume: () => socket.resume(),
      close: () => {
        if (this.isClosed) return;
        this.isClosed = true;
        this.settleAll();
        this.outbound?.end();
      },
    };
  }

  onOpen(socket: Bun.Socket): void {
    this.outbound = new OutboundQueue(socket);
  }

  onRoom(): void {
    this.outbound?.flush();
  }

  onData(chunk: Uint8Array): void {
    for (const line of this.inbound.take(chunk).lines) this.onLine(line);
  }

  onClosed(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.settleAll();
    this.options.onClosed?.(this.farewell);
  }

  private request(call: { method: string; params: unknown }, timeoutMs: number): Promise<RequestResult> {
    if (this.isClosed) return Promise.resolve(this.gone());
    const id = ++this.lastId;
    return new Promise((resolve) => {
      const stopTimer = this.options.clock.timer(timeoutMs, () => {
        const late = `The loop ${this.name} did not answer ${call.method} within ${timeoutMs / 1000} seconds.`;
        this.settle(id, { ok: false, message: late });
      });
      this.waiting.set(id, (result) => {
        stopTimer();
        resolve(result);
      });
      this.outbound?.send(Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", id, ...call })}\n`), false);
    });
  }

  private onLine(line: string | undefined): void {
    const message = asObject(parseJson(line ?? ""));
    if (message === undefined || this.isClosed) return;
    if (message.method === "event") return this.onEvent(message);
    const id = asNumber(message.id);
    if (id !== undefined) this.settle(id, resultOf(message));
  }

  private onEvent(message: Record<string, unknown>): void {
    const type = asString(at(message, "params", "type"));
    const data = asObject(at(message, "params", "data")) ?? {};
    if (type === "x/closing") this.farewell = asString(data.reason);
    // Not at once: whoever waits for an answer goes on before the events that came behind it.
    else if (type !== undefined) queueMicrotask(() => this.options.onEvent?.({ type, data }));
  }

  private settle(id: number, result: RequestResult): void {
    const resolve = this.waiting.get(id);
    this.waiting.delete(id);
    resolve?.(result);
  }

  private settleAll(): void {
    for (const id of [...this.waiting.keys()]) this.settle(id, this.gone());
  }

  private gone(): RequestResult {
    const why = this.farewell === undefined ? "it ended" : this.farewell;
    return { ok: false, message: `The loop ${this.name} closed the connection: ${why}.` };
  }
}

function resultOf(message: Record<string, unknown>): RequestResult {
  const error = asObject(message.error);
  if (error === undefined) return { ok: true, result: asObject(message.result) ?? {} };
  const code = asNumber(error.code);
  const text = asString(error.message) ?? "an error without a message";
  return { ok: false, message: text, ...(code === undefined ? {} : { code }) };
}
