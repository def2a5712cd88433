import { Socket } from "node:net";

// A client of the Model Context Protocol over HTTP that knows nothing of ours, for what the protocol's own client never does.

export const TOKEN = "a-token-for-these-tests";

export interface ServerEvent {
  id?: string;
  /** Undefined for an event that has only a name. */
  data?: unknown;
}

export interface RawHttp {
  /** One request; what is not said is what a client of 2025-11-25 says. An undefined header is left out. */
  send(method: string, options?: { headers?: Record<string, string | undefined>; body?: unknown }): Promise<Response>;
  /** Introduces a client; the headers of its session. */
  session(protocolVersion?: string): Promise<Record<string, string>>;
  /** Asks for a tool; the answer is not waited for. */
  call(
    session: Record<string, string>,
    request: { id: number; name: string; args?: object; headers?: Record<string, string>; progressToken?: string },
  ): Promise<Response>;
}

export function rawHttp(url: string, token = TOKEN): RawHttp {
  const send: RawHttp["send"] = (method, { headers = {}, body } = {}) => {
    const all = {
      authorization: `Bearer ${token}`,
      accept: "application/json, text/event-stream",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    };
    const said = Object.entries(all).filter((header): header is [string, string] => header[1] !== undefined);
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return fetch(url, { method, headers: said, ...(body === undefined ? {} : { body: text }) });
  };
  return {
    send,
    async session(protocolVersion = "2025-11-25") {
      const body = { jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion } };
      const response = await send("POST", { body });
      await response.body?.cancel();
      return {
        "mcp-session-id": response.headers.get("mcp-session-id") ?? "",
        "mcp-protocol-version": protocolVersion,
      };
    },
    call(session, { id, name, args = {}, headers = {}, progressToken }) {
      const meta = progressToken === undefined ? {} : { _meta: { progressToken } };
      const params = { name, arguments: args, ...meta };
      const body = { jsonrpc: "2.0", id, method: "tools/call", params };
      return send("POST", { headers: { ...session, ...headers }, body });
    },
  };
}

export interface EventReader {
  /** Undefined at the end. Comments are passed over. */
  next(): Promise<ServerEvent | undefined>;
  rest(): Promise<ServerEvent[]>;
  leave(): Promise<void>;
}

export function eventsOf(response: Response): EventReader {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let held = "";
  const next = async (): Promise<ServerEvent | undefined> => {
    for (;;) {
      const end = held.indexOf("\n\n");
      if (end >= 0) {
        const event = readEvent(held.slice(0, end));
        held = held.slice(end + 2);
        if (event !== undefined) return event;
        continue;
      }
      const read = await reader?.read();
      if (read === undefined || read.done) return undefined;
      held += read.value;
    }
  };
  return {
    next,
    async rest() {
      const all: ServerEvent[] = [];
      for (let event = await next(); event !== undefined; event = await next()) all.push(event);
      return all;
    },
    leave: async () => void (await reader?.cancel()),
  };
}

function readEvent(text: string): ServerEvent | undefined {
  const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, "m").exec(text)?.[1];
  const [id, data] = [field("id"), field("data")];
  if (id === undefined && data === undefined) return undefined;
  return { ...(id === undefined ? {} : { id }), ...(data ? { data: JSON.parse(data) } : {}) };
}

/** Sends these bytes and never reads unless told to; `text` is what came until the connection ended. */
export async function silentReader(url: string, bytes: string | Uint8Array) {
  const { hostname, port } = new URL(url);
  const socket = new Socket();
  let received = "";
  const ended = Promise.withResolvers<string>();
  socket.setEncoding("latin1");
  socket.on("data", (text: string) => {
    received += text;
  });
  socket.on("error", () => undefined);
  socket.on("close", () => ended.resolve(received));
  await new Promise<void>((resolve) => socket.connect(Number(port), hostname, resolve));
  socket.pause();
  socket.write(bytes);
  return {
    read(): Promise<string> {
      socket.resume();
      return ended.promise;
    },
    [Symbol.dispose]: () => void socket.destroy(),
  };
}
