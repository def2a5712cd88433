import { existsSync, readFileSync, writeFileSync } from "node:fs";
import {
  type ClientCapabilities,
  type ClientContext,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  client,
  methods,
  ndJsonStream,
  RequestError,
  type RequestPermissionRequest,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { type FrontDoor, KEY, NO_SERVERS } from "./front-door.ts";
import { ralphCommand } from "./run-ralph.ts";

// An editor made of the protocol's own library, with `ralph acp` as its agent: a process of its own.

export interface AcpEditorOptions {
  capabilities?: ClientCapabilities;
  /** The kind of the option that is taken, or "cancelled"; asked for every permission. */
  permit?(request: RequestPermissionRequest): string | Promise<string>;
  elicit?(request: CreateElicitationRequest): CreateElicitationResponse;
  flags?: string[];
  /** How it is started; `acp` where nothing is said. */
  words?: readonly string[];
  environment?: Record<string, string | undefined>;
}

export interface AcpEditor {
  agent: ClientContext;
  pid: number;
  /** Of all sessions, in order. */
  updates: { sessionId: string; update: SessionUpdate }[];
  permissions: RequestPermissionRequest[];
  elicitations: CreateElicitationRequest[];
  /** Texts that are open, saved or not, by path. */
  buffers: Map<string, string>;
  /** What the agent asked of files, in order. */
  fileCalls: string[];
  /** Resolves with the first update that fits, also one that came before. */
  update(fits: (update: SessionUpdate) => boolean): Promise<SessionUpdate>;
  /** A line as it is. */
  writeLine(line: string): void;
  kill(): Promise<void>;
  stderr(): string;
  /** Hangs up. Gives the exit code. */
  leave(): Promise<number>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function openAcpEditor(ralph: FrontDoor, options: AcpEditorOptions = {}): Promise<AcpEditor> {
  const child = Bun.spawn([...ralphCommand(), ...(options.words ?? ["acp"]), ...(options.flags ?? [])], {
    cwd: ralph.workspace.root,
    env: {
      ...ralph.workspace.environment,
      ...NO_SERVERS,
      ANTHROPIC_API_KEY: KEY,
      ANTHROPIC_BASE_URL: ralph.provider.origin,
      RALPH_RETRY_DELAY_MS: "1",
      ...options.environment,
    },
    stdio: ["pipe", "pipe", "pipe"],
    timeout: 60_000,
    killSignal: "SIGKILL",
  });
  let stderr = "";
  const reading = (async () => {
    for await (const piece of child.stderr) stderr += new TextDecoder().decode(piece);
  })();
  const heard = listen();
  const files = openFiles();
  const app = client({ name: "test-editor" })
    .onNotification(methods.client.session.update, ({ params }) => heard.hear(params))
    .onRequest(methods.client.session.requestPermission, async ({ params }) => {
      heard.permissions.push(params);
      const wanted = (await options.permit?.(params)) ?? "cancelled";
      const option = params.options.find(({ kind, optionId }) => kind === wanted || optionId === wanted);
      if (option === undefined) return { outcome: { outcome: "cancelled" } };
      return { outcome: { outcome: "selected", optionId: option.optionId } };
    })
    .onRequest(methods.client.elicitation.create, ({ params }) => {
      heard.elicitations.push(params);
      return options.elicit?.(params) ?? { action: "cancel" };
    })
    .onRequest(methods.client.fs.readTextFile, ({ params }) => files.read(params.path))
    .onRequest(methods.client.fs.writeTextFile, ({ params }) => files.write(params.path, params.content));
  const output = new WritableStream<Uint8Array>({
    write(bytes) {
      child.stdin.write(bytes);
      child.stdin.flush();
    },
  });
  const connection = app.connect(ndJsonStream(output, child.stdout));
  const end = async () => {
    child.kill("SIGKILL");
    await Promise.all([child.exited, reading]);
    connection.close();
  };
  await connection.agent.request(methods.agent.initialize, {
    protocolVersion: 1,
    clientCapabilities: options.capabilities ?? {},
  });
  return {
    agent: connection.agent,
    pid: child.pid,
    updates: heard.updates,
    permissions: heard.permissions,
    elicitations: heard.elicitations,
    update: heard.update,
    buffers: files.buffers,
    fileCalls: files.calls,
    writeLine(line) {
      child.stdin.write(`${line}\n`);
      child.stdin.flush();
    },
    kill: end,
    stderr: () => stderr,
    async leave() {
      child.stdin.end();
      const code = await child.exited;
      await reading;
      return code;
    },
    [Symbol.asyncDispose]: end,
  };
}

function listen() {
  const updates: AcpEditor["updates"] = [];
  const waiters = new Set<() => void>();
  return {
    updates,
    permissions: [] as RequestPermissionRequest[],
    elicitations: [] as CreateElicitationRequest[],
    hear(params: { sessionId: string; update: SessionUpdate }) {
      updates.push({ sessionId: params.sessionId, update: params.update });
      for (const waiter of [...waiters]) waiter();
    },
    update: (fits: (update: SessionUpdate) => boolean) =>
      new Promise<SessionUpdate>((resolve, reject) => {
        const timer = setTimeout(() => {
          waiters.delete(check);
          reject(new Error(`No update fits within 10 s: ${JSON.stringify(updates.map(({ update }) => update))}`));
        }, 10_000);
        const check = () => {
          const found = updates.find(({ update }) => fits(update));
          if (found === undefined) return;
          clearTimeout(timer);
          waiters.delete(check);
          resolve(found.update);
        };
        waiters.add(check);
        check();
      }),
  };
}

/** As editors do it: texts without carriage returns, written into the buffer and saved with those the file had. */
function openFiles() {
  const buffers = new Map<string, string>();
  const calls: string[] = [];
  const onDisk = (path: string) => (existsSync(path) ? readFileSync(path, "utf8") : undefined);
  return {
    buffers,
    calls,
    read(path: string) {
      calls.push(`read ${path}`);
      const text = buffers.get(path) ?? onDisk(path);
      if (text === undefined) throw RequestError.resourceNotFound(path);
      return { content: text.replaceAll("\r\n", "\n") };
    },
    write(path: string, content: string) {
      calls.push(`write ${path}`);
      const hasReturns = onDisk(path)?.includes("\r\n") === true;
      buffers.set(path, content);
      writeFileSync(path, hasReturns ? content.replaceAll("\n", "\r\n") : content);
      return {};
    },
  };
}

/** The text of all chunks of a kind, joined. */
export function textOf(updates: readonly { update: SessionUpdate }[], kind: SessionUpdate["sessionUpdate"]): string {
  return updates
    .map(({ update }) =>
      update.sessionUpdate === kind && "content" in update && isText(update.content) ? update.content.text : "",
    )
    .join("");
}

function isText(content: unknown): content is { type: "text"; text: string } {
  return typeof content === "object" && content !== null && "type" in content && content.type === "text";
}
