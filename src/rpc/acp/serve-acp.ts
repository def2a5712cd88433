import {
  type AgentConnection,
  type AgentContext,
  agent as agentApp,
  type ClientCapabilities,
  type McpServer,
  MessageTooLargeError,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
} from "@agentclientprotocol/sdk";
import type { AcpHost, OpenedAcpAgent } from "./acp-host.ts";
import { AcpSession } from "./acp-session.ts";
import { chooseOption } from "./choose-option.ts";
import { createEditorFiles } from "./editor-files.ts";
import { configOptions, modeState } from "./session-options.ts";
import { sessionPage } from "./session-page.ts";

// The agent side of the Agent Client Protocol: any number of sessions over one connection.

export interface AcpStreams {
  input: ReadableStream<Uint8Array>;
  output: WritableStream<Uint8Array>;
}

export interface ServedAcp {
  /** Resolves when the editor has gone, and every session is closed; with why Ralph hung up, for people, where it did. */
  ended: Promise<string | undefined>;
  stop(): void;
}

/** The longest message: pictures in a prompt are the longest there are. */
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_SESSIONS = 32;

export function serveAcp(host: AcpHost, { input, output }: AcpStreams): ServedAcp {
  const server = new AcpServer(host);
  const connection = server.connect(ndJsonStream(output, input, { maxMessageBytes: MOST_BYTES }));
  const ended = connection.closed.then(async () => {
    await server.closeAll();
    return hungUp(connection.signal.reason);
  });
  return { ended, stop: () => connection.close() };
}

class EditorStuck extends Error {}

function hungUp(reason: unknown): string | undefined {
  if (reason instanceof EditorStuck)
    return "The editor does not read what it is sent. Ralph ends; its sessions are kept.";
  if (reason instanceof MessageTooLargeError)
    return `The editor sent a message of more than ${MOST_BYTES} bytes. Ralph ends; its sessions are kept. Send less, or a link to the file.`;
  return undefined;
}

interface Wish {
  cwd: string;
  sessionId: string | undefined;
  mcpServers: readonly McpServer[];
  client: AgentContext;
}

class AcpServer {
  private readonly sessions = new Map<string, AcpSession>();
  /** How many are being opened. */
  private opening = 0;
  private capabilities: ClientCapabilities = {};
  private connection: AgentConnection | undefined;

  constructor(private readonly host: AcpHost) {}

  connect(stream: ReturnType<typeof ndJsonStream>): AgentConnection {
    this.connection = this.app().connect(stream);
    return this.connection;
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.sessions.values()].map((session) => session.close()));
  }

  private app() {
    const { agent } = methods;
    return agentApp({ name: "ralph" })
      .onRequest(agent.initialize, ({ params }) => {
        this.capabilities = params.clientCapabilities ?? {};
        return this.introduction();
      })
      .onRequest(agent.authenticate, () => {
        throw RequestError.invalidParams(undefined, HOW_TO_SIGN_IN);
      })
      .onRequest(agent.session.new, async ({ params, client }) => {
        const { cwd, mcpServers } = params;
        const session = await this.open({ cwd, mcpServers, client, sessionId: undefined });
        return { sessionId: session.agent.sessionId, ...(await this.standing(session)) };
      })
      .onRequest(agent.session.load, async ({ params, client }) => {
        const session = this.sessions.get(params.sessionId) ?? (await this.open({ ...params, client }));
        await session.replay();
        return this.standing(session);
      })
      .onRequest(agent.session.resume, async ({ params, client }) => {
        const { mcpServers = [], ...wish } = params;
        const session = this.sessions.get(params.sessionId) ?? (await this.open({ ...wish, mcpServers, client }));
        await session.tellEnd();
        return this.standing(session);
      })
      .onRequest(agent.session.list, async ({ params }) => {
        const page = sessionPage(await this.host.listSessions(params.cwd ?? undefined), params.cursor ?? undefined);
        if (page === undefined) throw RequestError.invalidParams(undefined, "This cursor was not given out here.");
        return page;
      })
      .onRequest(agent.session.close, async ({ params: { sessionId } }) => {
        const session = this.find(sessionId);
        this.sessions.delete(sessionId);
        await session.close();
      })
      .onRequest(agent.session.prompt, ({ params, signal }) => this.prompt(params, signal))
      .onNotification(agent.session.cancel, async ({ params }) => {
        await this.sessions.get(params.sessionId)?.cancel();
      })
      .onRequest(agent.session.setMode, async ({ params }) => {
        await this.choose(params.sessionId, "mode", params.modeId);
      })
      .onRequest(agent.session.setConfigOption, async ({ params }) => {
        const session = await this.choose(params.sessionId, params.configId, params.value);
        const { configOptions: options } = await this.standing(session);
        return { configOptions: options };
      });
  }

  /** There is one version; an editor that wants another one hangs up when it reads this. */
  private introduction() {
    return {
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: "ralph", title: "Ralph", version: this.host.version },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, audio: false, embeddedContext: true },
        mcpCapabilities: { http: false, sse: false },
        sessionCapabilities: { list: {}, resume: {}, close: {} },
      },
      authMethods: [],
    };
  }

  private async open({ cwd, sessionId, mcpServers, client }: Wish): Promise<AcpSession> {
    if (this.sessions.size + this.opening >= MOST_SESSIONS)
      throw RequestError.invalidRequest(undefined, `${MOST_SESSIONS} sessions are open, which is the most. Close one.`);
    this.opening += 1;
    const notes: string[] = [];
    let session: AcpSession | undefined;
    const id = () => session?.agent.sessionId ?? sessionId ?? "";
    const opened = await this.host
      .open({
        cwd,
        sessionId,
        editor: createEditorFiles({ client, capabilities: this.capabilities.fs, sessionId: id }),
        mayRestart: () => session?.updates.mayRestart() ?? true,
        note: (text) => (session === undefined ? notes.push(text) : session.note(text)),
      })
      .finally(() => {
        this.opening -= 1;
      });
    session = await this.adopt(opened, { cwd, client });
    for (const note of [...notes, ...mcpNotes(mcpServers)]) session.note(note);
    session.introduce();
    return session;
  }

  private async adopt(opened: OpenedAcpAgent, { cwd, client }: Pick<Wish, "cwd" | "client">): Promise<AcpSession> {
    if (!opened.ok) throw refusal(opened);
    const { agent } = opened;
    const state = await agent.call("get_state", {});
    if (!state.ok) throw RequestError.internalError(undefined, state.error.message);
    const { host, capabilities } = this;
    const onStuck = () => this.connection?.close(new EditorStuck());
    const session = new AcpSession({ agent, state: state.result, cwd, host, client, capabilities, onStuck });
    this.sessions.set(agent.sessionId, session);
    return session;
  }

  private find(sessionId: string): AcpSession {
    const session = this.sessions.get(sessionId);
    if (session === undefined) throw RequestError.sessionNotFound(sessionId);
    return session;
  }

  private async standing({ agent }: AcpSession) {
    const state = await agent.call("get_state", {});
    if (!state.ok) throw RequestError.internalError(undefined, state.error.message);
    const { result } = state;
    return { modes: modeState(result, agent.choices), configOptions: configOptions(result, agent.choices) };
  }

  private async prompt(
    { sessionId, prompt }: { sessionId: string; prompt: Parameters<AcpSession["prompt"]>[0] },
    signal: AbortSignal,
  ) {
    const session = this.find(sessionId);
    const cancel = () => void session.cancel();
    signal.addEventListener("abort", cancel, { once: true });
    return session.prompt(prompt).finally(() => signal.removeEventListener("abort", cancel));
  }

  private async choose(sessionId: string, option: string, value: unknown): Promise<AcpSession> {
    const session = this.find(sessionId);
    const problem = await chooseOption(session.agent, option, value);
    if (problem !== undefined) throw RequestError.invalidParams(undefined, problem);
    return session;
  }
}

const HOW_TO_SIGN_IN =
  "There is nothing to sign in to here. Set the key of a provider where the editor starts Ralph, for example ANTHROPIC_API_KEY, and see: ralph models";

function mcpNotes(servers: readonly McpServer[]): string[] {
  if (servers.length === 0) return [];
  const names = servers.map(({ name }) => name).join(", ");
  return [
    `The editor names MCP servers (${names}). Ralph does not start servers of an editor, so their tools are missing here.`,
  ];
}

function refusal({ reason, message }: Extract<OpenedAcpAgent, { ok: false }>): RequestError {
  if (reason === "credentials") return RequestError.authRequired(undefined, message);
  if (reason === "invalid") return RequestError.invalidParams(undefined, message);
  // The code of a resource that is not there, with words that say which.
  return reason === "not-found" ? new RequestError(-32_002, message) : RequestError.internalError(undefined, message);
}
