import { asString, at, type JsonObject } from "../../protocol/json.ts";
import type { ReadMessage, RpcId } from "./read-message.ts";
import type { ServedResources, ServedTool } from "./served-tools.ts";

// What is said between a server of the Model Context Protocol and one client, whatever carries it.

/** Newest first; the newest is offered to a client that wants another one. */
export const PROTOCOL_VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;
export type ProtocolVersion = (typeof PROTOCOL_VERSIONS)[number];

export const ERROR = {
  parse: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  resourceNotFound: -32_002,
} as const;

const MOST_CALLS = 32;

export interface McpOffer {
  version: string;
  instructions: string;
  tools: readonly ServedTool[];
  resources: ServedResources;
}

export interface Asking {
  /** Takes a notification about what is asked here. */
  tell(notification: JsonObject): void;
  /** Aborted when nobody can be answered any more. */
  signal?: AbortSignal;
}

type Answer = { result: JsonObject } | { error: { code: number; message: string } };
export type Reply = { jsonrpc: "2.0"; id: RpcId | null } & Answer;
type Params = Record<string, unknown>;

/** Those that need a client that has introduced itself. */
const METHODS: ReadonlySet<string> = new Set([
  "tools/list",
  "tools/call",
  "resources/list",
  "resources/templates/list",
  "resources/read",
]);

export class McpSession {
  private negotiated: ProtocolVersion | undefined;
  /** What is being answered, by its id. */
  private readonly running = new Map<RpcId, AbortController>();

  constructor(private readonly offer: McpOffer) {}

  /** Undefined before the client has introduced itself. */
  get version(): ProtocolVersion | undefined {
    return this.negotiated;
  }

  get isAnswering(): boolean {
    return this.running.size > 0;
  }

  /** Undefined where there is nothing to answer: a notification, or a request that was given up. */
  async take(message: ReadMessage, asking: Asking): Promise<Reply | undefined> {
    if (message.type === "answer") return undefined;
    if (message.type === "invalid") return refusal(message.id, ERROR.invalidRequest, message.message);
    if (message.type === "notification") return this.notified(message.method, message.params);
    const { id } = message;
    if (this.running.has(id))
      return refusal(id, ERROR.invalidRequest, `A request with the id ${JSON.stringify(id)} is being answered.`);
    if (this.running.size >= MOST_CALLS)
      return refusal(id, ERROR.internal, `${MOST_CALLS} requests are being answered, which is the most.`);
    return this.answered(message, asking);
  }

  /** Gives up what is being answered. */
  close(): void {
    for (const stop of this.running.values()) stop.abort();
  }

  private async answered(
    { id, method, params }: Extract<ReadMessage, { type: "request" }>,
    { tell, signal }: Asking,
  ): Promise<Reply | undefined> {
    const stop = new AbortController();
    const giveUp = () => stop.abort();
    if (signal?.aborted === true) giveUp();
    signal?.addEventListener("abort", giveUp, { once: true });
    this.running.set(id, stop);
    const answer = await this.answer(method, params, { tell, signal: stop.signal }).catch((error: unknown) =>
      failed(ERROR.internal, `This is a bug in Ralph: ${error instanceof Error ? error.message : String(error)}`),
    );
    this.running.delete(id);
    signal?.removeEventListener("abort", giveUp);
    return stop.signal.aborted ? undefined : { jsonrpc: "2.0", id, ...answer };
  }

  private notified(method: string, params: Params): undefined {
    if (method !== "notifications/cancelled") return;
    const id = params.requestId;
    if (typeof id === "string" || typeof id === "number") this.running.get(id)?.abort();
  }

  private async answer(method: string, params: Params, asking: Required<Asking>): Promise<Answer> {
    if (method === "ping") return { result: {} };
    if (method === "initialize") return this.initialize(params);
    if (METHODS.has(method) && this.negotiated === undefined)
      return failed(ERROR.invalidRequest, "The first request has to be initialize.");
    switch (method) {
      case "tools/list":
        return { result: { tools: this.offer.tools.map(describeTool) } };
      case "tools/call":
        return this.call(params, asking);
      case "resources/list":
        return { result: { resources: (await this.offer.resources.list()).map((row) => ({ ...row })) } };
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
    this.negotiated = PROTOCOL_VERSIONS.find((known) => known === wanted) ?? PROTOCOL_VERSIONS[0];
    const { version, instructions } = this.offer;
    return {
      result: {
        protocolVersion: this.negotiated,
        capabilities: { tools: {}, resources: {} },
        serverInfo: { name: "ralph", title: "Ralph", version },
        instructions,
      },
    };
  }

  private async call(params: Params, { tell, signal }: Required<Asking>): Promise<Answer> {
    const name = asString(params.name) ?? "";
    const tool = this.toolNamed(name);
    if (tool === undefined) return failed(ERROR.invalidParams, `Unknown tool: ${name.slice(0, 100)}`);
    const prepared = tool.prepare(params.arguments);
    if (typeof prepared === "string") return toolFailure(prepared);
    const progressToken = at(params, "_meta", "progressToken");
    const isAsked = typeof progressToken === "string" || typeof progressToken === "number";
    const done = await prepared({
      signal,
      progress: (progress) => {
        if (isAsked) tell({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken, ...progress } });
      },
    });
    if (!done.ok) return toolFailure(done.message);
    const content = [{ type: "text", text: JSON.stringify(done.value) }];
    return { result: { content, structuredContent: done.value } };
  }

  /** Clients that group names with a dot mean the same tool: `ralph.run` is `ralph_run`. */
  private toolNamed(name: string): ServedTool | undefined {
    const { tools } = this.offer;
    return tools.find((row) => row.name === name) ?? tools.find((row) => row.name === name.replace(".", "_"));
  }

  private async read(params: Params): Promise<Answer> {
    const uri = asString(params.uri) ?? "";
    const read = await this.offer.resources.read(uri);
    if (read === undefined) return failed(ERROR.resourceNotFound, `Resource not found: ${uri.slice(0, 200)}`);
    if ("message" in read) return failed(ERROR.internal, read.message);
    return { result: { contents: [{ uri, ...read }] } };
  }
}

export function refusal(id: RpcId | null, code: number, message: string): Reply {
  return { jsonrpc: "2.0", id, ...failed(code, message) };
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
