import { asObject, asString, at, type JsonObject } from "../../protocol/json.ts";
import { InboundLines } from "../../rpc/inbound-lines.ts";
import { parseStrictJson } from "../../rpc/strict-json.ts";
import type { Clock } from "../../system/clock.ts";
import { type ReadMessage, type RpcId, readMessage } from "./read-message.ts";
import type { ServedResources, ServedTool } from "./served-tools.ts";

// The server side of the Model Context Protocol over lines of JSON: one connection, one client.

/** Newest first; the newest is offered to a client that wants another one. */
export const PROTOCOL_VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;

export const ERROR = {
  parse: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  resourceNotFound: -32_002,
} as const;

const MAX_LINE_BYTES = 4 * 1024 * 1024;
const TOO_LONG = { ok: false, message: "The line is no text, or longer than 4 MB." } as const;
const MOST_CALLS = 32;

export interface McpServerOptions {
  version: string;
  instructions: string;
  tools: readonly ServedTool[];
  resources: ServedResources;
  input: AsyncIterable<Uint8Array>;
  /** Takes one line, without its end. */
  write(line: string): void;
  clock: Clock;
  signal: AbortSignal;
}

/** Serves until the client closes its side, and what it asked last is answered, or the signal is aborted. */
export async function serveMcp(options: McpServerOptions): Promise<void> {
  const server = new McpServer(options);
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

/** Those that need a client that has introduced itself. */
const METHODS: ReadonlySet<string> = new Set([
  "tools/list",
  "tools/call",
  "resources/list",
  "resources/templates/list",
  "resources/read",
]);

type Answer = { result: JsonObject } | { error: { code: number; message: string } };
type Params = Record<string, unknown>;

class McpServer {
  private isInitialized = false;
  /** What is being answered, by its id. */
  private readonly running = new Map<RpcId, AbortController>();
  /** Settle when everything a line asked for is sent. */
  private readonly lines = new Set<Promise<void>>();

  constructor(private readonly options: McpServerOptions) {}

  /** Undefined for a line that is too long or no text. */
  take(line: string | undefined): void {
    if (line?.trim() === "") return;
    const read = line === undefined ? TOO_LONG : parseStrictJson(line);
    if (!read.ok) return this.send({ id: null, ...failed(ERROR.parse, read.message) });
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
    for (const stop of this.running.values()) stop.abort();
    await this.idle();
  }

  private async takeOne(value: unknown): Promise<void> {
    const answer = await this.handle(readMessage(value));
    if (answer !== undefined) this.send(answer);
  }

  /** One protocol version has them. */
  private async takeBatch(values: readonly unknown[]): Promise<void> {
    const answers = await Promise.all(values.map((value) => this.handle(readMessage(value))));
    const told = answers.filter((answer) => answer !== undefined);
    if (told.length > 0) this.options.write(JSON.stringify(told.map((answer) => ({ jsonrpc: "2.0", ...answer }))));
  }

  private async handle(message: ReadMessage): Promise<({ id: RpcId | null } & Answer) | undefined> {
    if (message.type === "answer") return undefined;
    if (message.type === "invalid") return { id: message.id, ...failed(ERROR.invalidRequest, message.message) };
    if (message.type === "notification") return this.notified(message.method, message.params);
    const { id, method, params } = message;
    if (this.running.has(id))
      return { id, ...failed(ERROR.invalidRequest, `A request with the id ${JSON.stringify(id)} is being answered.`) };
    if (this.running.size >= MOST_CALLS)
      return { id, ...failed(ERROR.internal, `${MOST_CALLS} requests are being answered, which is the most.`) };
    const stop = new AbortController();
    this.running.set(id, stop);
    const answer = await this.answer(method, params, stop.signal).catch((error: unknown) =>
      failed(ERROR.internal, `This is a bug in Ralph: ${error instanceof Error ? error.message : String(error)}`),
    );
    this.running.delete(id);
    return stop.signal.aborted ? undefined : { id, ...answer };
  }

  private notified(method: string, params: Params): undefined {
    if (method !== "notifications/cancelled") return;
    const id = params.requestId;
    if (typeof id === "string" || typeof id === "number") this.running.get(id)?.abort();
  }

  private async answer(method: string, params: Params, signal: AbortSignal): Promise<Answer> {
    if (method === "ping") return { result: {} };
    if (method === "initialize") return this.initialize(params);
    if (METHODS.has(method) && !this.isInitialized)
      return failed(ERROR.invalidRequest, "The first request has to be initialize.");
    switch (method) {
      case "tools/list":
        return { result: { tools: this.options.tools.map(describeTool) } };
      case "tools/call":
        return this.call(params, signal);
      case "resources/list":
        return { result: { resources: (await this.options.resources.list()).map((row) => ({ ...row })) } };
      case "resources/templates/list":
        return { result: { resourceTemplates: [] } };
      case "resources/read":
        return this.read(params);
      default:
        return failed(ERROR.methodNotFound, `Method not found: ${method.slice(0, 100)}`);
    }
  }

  private initialize({ protocolVersion }: Params): Answer {
    const wanted = asString(protocolVersion);
    if (wanted === undefined) return failed(ERROR.invalidParams, "protocolVersion must be a text.");
    this.isInitialized = true;
    const { version, instructions } = this.options;
    return {
      result: {
        protocolVersion: PROTOCOL_VERSIONS.find((known) => known === wanted) ?? PROTOCOL_VERSIONS[0],
        capabilities: { tools: {}, resources: {} },
        serverInfo: { name: "ralph", title: "Ralph", version },
        instructions,
      },
    };
  }

  private async call(params: Params, signal: AbortSignal): Promise<Answer> {
    const name = asString(params.name) ?? "";
    const tool = this.options.tools.find((row) => row.name === name);
    if (tool === undefined) return failed(ERROR.invalidParams, `Unknown tool: ${name.slice(0, 100)}`);
    const prepared = tool.prepare(params.arguments);
    if (typeof prepared === "string") return toolFailure(prepared);
    const token = at(params, "_meta", "progressToken");
    const done = await prepared({ signal, progress: (progress) => this.tellProgress(token, progress) });
    if (!done.ok) return toolFailure(done.message);
    const content = [{ type: "text", text: JSON.stringify(done.value) }];
    return { result: { content, structuredContent: done.value } };
  }

  private tellProgress(token: unknown, progress: { progress: number; total?: number; message?: string }): void {
    if (typeof token !== "string" && typeof token !== "number") return;
    this.send({ method: "notifications/progress", params: { progressToken: token, ...progress } });
  }

  private async read(params: Params): Promise<Answer> {
    const uri = asString(params.uri) ?? "";
    const read = await this.options.resources.read(uri);
    if (read === undefined) return failed(ERROR.resourceNotFound, `Resource not found: ${uri.slice(0, 200)}`);
    if ("message" in read) return failed(ERROR.internal, read.message);
    return { result: { contents: [{ uri, ...read }] } };
  }

  private send(message: JsonObject | ({ id: RpcId | null } & Answer)): void {
    this.options.write(JSON.stringify({ jsonrpc: "2.0", ...asObject(message) }));
  }
}

function describeTool({ name, title, description, inputSchema, outputSchema, hints }: ServedTool): JsonObject {
  return { name, title, description, inputSchema, outputSchema, annotations: { title, ...hints } };
}

/** What the model that called can do something about. */
function toolFailure(message: string): Answer {
  return { result: { content: [{ type: "text", text: message }], isError: true } };
}

function failed(code: number, message: string): { error: { code: number; message: string } } {
  return { error: { code, message } };
}
