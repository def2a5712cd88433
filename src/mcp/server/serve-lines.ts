import { InboundLines } from "../../rpc/inbound-lines.ts";
import { parseStrictJson } from "../../rpc/strict-json.ts";
import type { Clock } from "../../system/clock.ts";
import { ERROR, type McpOffer, McpSession, type Reply, refusal } from "./mcp-session.ts";
import { readMessage } from "./read-message.ts";

// The Model Context Protocol over lines of JSON: one connection, one client.

const MAX_LINE_BYTES = 4 * 1024 * 1024;
const TOO_LONG = { ok: false, message: "The line is no text, or longer than 4 MB." } as const;

export interface LinesServing {
  offer: McpOffer;
  input: AsyncIterable<Uint8Array>;
  /** Takes one line, without its end. */
  write(line: string): void;
  clock: Clock;
  signal: AbortSignal;
}

/** Serves until the client closes its side, and what it asked last is answered, or the signal is aborted. */
export async function serveLines(options: LinesServing): Promise<void> {
  const server = new LineServer(options);
  const lines = new InboundLines(MAX_LINE_BYTES);
  const stopped = new Promise<"stopped">((resolve) => {
    if (options.signal.aborted) resolve("stopped");
    options.signal.addEventListener("abort", () => resolve("stopped"), { once: true });
  });
  const input = options.input[Symbol.asyncIterator]();
  for (;;) {
    const next = await Promise.race([input.next(), stopped]);
    if (next === "stopped" || next.done === true) break;
    for (const line of lines.take(next.value)) server.take(line.type === "text" ? line.text : undefined);
  }
  for (const line of lines.rest()) server.take(line.type === "text" ? line.text : undefined);
  const grace = Promise.withResolvers<void>();
  const stopTimer = options.clock.timer(options.signal.aborted ? 0 : LAST_ANSWERS_MS, grace.resolve);
  await Promise.race([server.idle(), grace.promise]);
  stopTimer();
  await server.close();
}

/** How long what was asked last may take, when nobody can ask any more. */
const LAST_ANSWERS_MS = 1000;

class LineServer {
  private readonly session: McpSession;
  /** Settle when everything a line asked for is sent. */
  private readonly lines = new Set<Promise<void>>();

  constructor(private readonly options: LinesServing) {
    this.session = new McpSession(options.offer);
  }

  /** Undefined for a line that is too long or no text. */
  take(line: string | undefined): void {
    if (line?.trim() === "") return;
    const read = line === undefined ? TOO_LONG : parseStrictJson(line);
    if (!read.ok) return this.send(refusal(null, ERROR.parse, read.message));
    const { value } = read;
    const isBatch = Array.isArray(value) && value.length > 0;
    const done = isBatch ? this.takeBatch(value as unknown[]) : this.takeOne(value);
    this.lines.add(done);
    void done.finally(() => this.lines.delete(done));
  }

  /** Everything that was asked is answered. */
  async idle(): Promise<void> {
    while (this.lines.size > 0) await Promise.all(this.lines);
  }

  async close(): Promise<void> {
    this.session.close();
    await this.idle();
  }

  private async takeOne(value: unknown): Promise<void> {
    const reply = await this.reply(value);
    if (reply !== undefined) this.send(reply);
  }

  /** One protocol version has them. */
  private async takeBatch(values: readonly unknown[]): Promise<void> {
    const replies = await Promise.all(values.map((value) => this.reply(value)));
    const told = replies.filter((reply) => reply !== undefined);
    if (told.length > 0) this.send(told);
  }

  private reply(value: unknown): Promise<Reply | undefined> {
    return this.session.take(readMessage(value), { tell: (notification) => this.send(notification) });
  }

  private send(message: object): void {
    this.options.write(JSON.stringify(message));
  }
}
