import { expect } from "bun:test";
import {
  type CallToolResult,
  Client,
  type ClientOptions,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { type LiveRalph, type RunOptions, ralphCommand, startRalph } from "./run-ralph.ts";
import type { TempWorkspace } from "./temp-workspace.ts";

// The protocol's own client, and `ralph mcp serve` as a process of its own.

export interface McpClient {
  client: Client;
  /** The structured result, or what the tool said it could not do. */
  call(name: string, args?: Record<string, unknown>): Promise<unknown>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A server of its own, over standard input and output. */
export async function serveStdio(
  workspace: TempWorkspace,
  flags: string[] = [],
  options: ClientOptions = {},
): Promise<McpClient> {
  const [command = "", ...before] = ralphCommand();
  const transport = new StdioClientTransport({
    command,
    args: [...before, "mcp", "serve", ...flags],
    cwd: workspace.project,
    env: workspace.environment,
  });
  const client = new Client({ name: "test", version: "1" }, options);
  await client.connect(transport);
  return wrapped(client);
}

export interface HttpServer {
  ralph: LiveRalph;
  url: string;
  token: string;
  /** `through` is another address of it. */
  connect(options?: ClientOptions, through?: string): Promise<McpClient & { transport: StreamableHTTPClientTransport }>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A server over HTTP, on any port, for any number of clients. */
export async function serveOverHttp(flags: string[], options: RunOptions): Promise<HttpServer> {
  const words = ["mcp", "serve", "--transport", "http", "--port", "0", ...flags];
  const ralph = startRalph(words, { timeoutMs: 60_000, ...options });
  const [url] = await ralph.waitForOutput(/^http:\S+$/m);
  const given = options.environment?.RALPH_MCP_TOKEN;
  const [, token = ""] = given === undefined ? await ralph.waitForOutput(/Bearer (\S+)/) : ["", given];
  return {
    ralph,
    url,
    token,
    async connect(clientOptions = {}, through = url) {
      const transport = new StreamableHTTPClientTransport(new URL(through), {
        authProvider: { token: async () => token },
      });
      const client = new Client({ name: "test", version: "1" }, clientOptions);
      await client.connect(transport);
      return { ...wrapped(client), transport };
    },
    [Symbol.asyncDispose]: () => ralph[Symbol.asyncDispose](),
  };
}

function wrapped(client: Client): McpClient {
  return {
    client,
    async call(name, args = {}) {
      const result = (await client.callTool({ name, arguments: args })) as CallToolResult;
      const [first] = result.content;
      const text = first?.type === "text" ? first.text : "";
      if (result.isError === true) return `failed: ${text}`;
      expect(JSON.parse(text)).toEqual(result.structuredContent);
      return result.structuredContent;
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}
