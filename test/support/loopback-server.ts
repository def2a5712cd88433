import { createServer, type Server, type Socket } from "node:net";

// A small HTTP/1.1 server on a raw socket. A test decides about every byte on the wire, which no finished HTTP server
// allows: connections that break, bodies that stop in the middle, headers that never come.

export interface LoopbackRequest {
  method: string;
  /** Percent-encoded, without the query. */
  path: string;
  query: URLSearchParams;
  /** Names in lower case. */
  headers: Record<string, string>;
  rawBody: string;
}

/** One answer being written. Every method does nothing once the connection is gone. */
export interface LoopbackReply {
  /** Writes the status line and headers; the body follows in chunks of unknown total length. */
  head(status: number, headers: Record<string, string>): void;
  /** Resolves when the bytes have left, so that two chunks are rarely read as one. */
  chunk(bytes: Uint8Array): Promise<void>;
  end(): void;
  /** Closes the connection where it stands: politely (FIN) or with a reset (RST). */
  abandon(how: "close" | "reset"): void;
  /** Aborted when the client or the server closed the connection. */
  gone: AbortSignal;
}

export interface LoopbackServer {
  /** For example http://127.0.0.1:40123 */
  origin: string;
  connections(): number;
  stop(): void;
}

type Handler = (request: LoopbackRequest, reply: LoopbackReply) => Promise<void>;

export async function startLoopbackServer(handle: Handler): Promise<LoopbackServer> {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    // A client that goes away resets the connection; "close" follows and says everything.
    socket.on("error", () => {});
    serveConnection(socket, handle);
  });
  const port = await listen(server);
  return {
    origin: `http://127.0.0.1:${port}`,
    connections: () => sockets.size,
    stop: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      if (address === null || typeof address === "string") reject(new Error("the loopback server has no port"));
      else resolve(address.port);
    });
  });
}

function serveConnection(socket: Socket, handle: Handler): void {
  let received = Buffer.alloc(0);
  let busy = false;
  const gone = new AbortController();
  socket.once("close", () => gone.abort());
  const serveNext = async () => {
    const next = busy ? undefined : readRequest(received);
    if (next === undefined) return;
    received = received.subarray(next.length);
    busy = true;
    await handle(next.request, createReply(socket, gone.signal));
    busy = false;
    void serveNext();
  };
  socket.on("data", (bytes: Buffer) => {
    received = Buffer.concat([received, bytes]);
    void serveNext();
  });
}

/** The first complete request of the bytes and its length, or undefined while bytes are missing. */
function readRequest(bytes: Buffer): { request: LoopbackRequest; length: number } | undefined {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd === -1) return undefined;
  const [requestLine = "", ...headerLines] = bytes.toString("latin1", 0, headEnd).split("\r\n");
  const headers = readHeaders(headerLines);
  const rest = bytes.subarray(headEnd + 4);
  const body = headers["transfer-encoding"] === "chunked" ? readChunks(rest) : readLength(rest, headers);
  if (body === undefined) return undefined;
  const [method = "", target = ""] = requestLine.split(" ");
  const [path = "", query] = target.split("?", 2);
  const request = { method, path, query: new URLSearchParams(query), headers, rawBody: body.text };
  return { request, length: headEnd + 4 + body.length };
}

function readHeaders(lines: string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(":");
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  return headers;
}

function readLength(bytes: Buffer, headers: Record<string, string>): { text: string; length: number } | undefined {
  const length = Number(headers["content-length"] ?? 0);
  return bytes.length < length ? undefined : { text: bytes.toString("utf8", 0, length), length };
}

function readChunks(bytes: Buffer): { text: string; length: number } | undefined {
  const chunks: Buffer[] = [];
  let position = 0;
  while (true) {
    const lineEnd = bytes.indexOf("\r\n", position);
    if (lineEnd === -1) return undefined;
    const size = Number.parseInt(bytes.toString("latin1", position, lineEnd), 16);
    const end = lineEnd + 2 + size;
    if (bytes.length < end + 2) return undefined;
    chunks.push(bytes.subarray(lineEnd + 2, end));
    position = end + 2;
    if (size === 0) return { text: Buffer.concat(chunks).toString("utf8"), length: position };
  }
}

function createReply(socket: Socket, gone: AbortSignal): LoopbackReply {
  const write = (bytes: string | Uint8Array) =>
    new Promise<void>((resolve) => {
      if (gone.aborted || socket.destroyed) return resolve();
      const finish = () => {
        gone.removeEventListener("abort", finish);
        resolve();
      };
      gone.addEventListener("abort", finish);
      socket.write(bytes, finish);
    });
  return {
    gone,
    head: (status, headers) => {
      const fields = { ...headers, "transfer-encoding": "chunked" };
      const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
      void write(`HTTP/1.1 ${status} Fake\r\n${lines.join("")}\r\n`);
    },
    chunk: async (bytes) => {
      if (bytes.length === 0) return;
      await write(Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]));
    },
    end: () => void write("0\r\n\r\n"),
    abandon: (how) => {
      if (how === "reset") socket.resetAndDestroy();
      else socket.end(() => socket.destroy());
    },
  };
}
