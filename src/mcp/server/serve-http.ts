import type { Clock } from "../../system/clock.ts";
import { errorCode } from "../../system/file-failure.ts";
import type { EventStream } from "./event-stream.ts";
import { type HttpGate, refusedAtGate } from "./http-gate.ts";
import { type Accepted, accepted, isJson, readBody, versionProblem } from "./http-request.ts";
import type { HttpSession } from "./http-session.ts";
import { HttpSessions, MOST_SESSIONS } from "./http-sessions.ts";
import { ERROR, type McpOffer, type Reply, refusal } from "./mcp-session.ts";
import type { ReadMessage } from "./read-message.ts";

// The Model Context Protocol over HTTP ("Streamable HTTP"): one address, any number of clients, a session for each.

export interface HttpServing extends HttpGate {
  offer: McpOffer;
  /** 0 takes any that is free. */
  port: number;
  clock: Clock;
}

export type ServedHttp = { ok: true; url: string; stop(): Promise<void> } | { ok: false; message: string };

const PATH = "/mcp";
const MOST_BODY_BYTES = 4 * 1024 * 1024;
/** A connection over which nothing moves is given up, but for streams: those are looked after by their own signs of life. */
const IDLE_SECONDS = 30;

export function serveHttp(options: HttpServing): ServedHttp {
  const sessions = new HttpSessions(options);
  try {
    const server = Bun.serve({
      hostname: options.host,
      port: options.port,
      idleTimeout: IDLE_SECONDS,
      maxRequestBodySize: MOST_BODY_BYTES,
      development: false,
      // Without it, and not in development, the runtime shares a port with whoever has it.
      reusePort: false,
      fetch: (request, listener) =>
        answer({ request, sessions, gate: options, setTimeout: (seconds) => listener.timeout(request, seconds) }),
      error: (error) =>
        refuse({ status: 500, code: ERROR.internal, message: `This is a bug in Ralph: ${error.message}` }),
    });
    const host = options.host.includes(":") ? `[${options.host}]` : options.host;
    return {
      ok: true,
      url: `http://${host}:${server.port}${PATH}`,
      async stop() {
        sessions.endAll();
        await server.stop(true);
      },
    };
  } catch (error) {
    return { ok: false, message: whyNot(options, error) };
  }
}

/** The runtime has one code for every place it cannot listen at. */
function whyNot({ host, port }: HttpServing, error: unknown): string {
  const place = `${host} port ${port}`;
  if (errorCode(error) === "EADDRINUSE")
    return `${place} cannot be served: the port is taken, or this machine has no such address. Choose others with --port (0 for any that is free) and --host.`;
  return `${place} cannot be served: ${error instanceof Error ? error.message : String(error)}`;
}

interface Exchange {
  request: Request;
  /** How long nothing may move over the connection of this request; 0 for any time. */
  setTimeout(seconds: number): void;
  sessions: HttpSessions;
  gate: HttpGate;
}

async function answer(exchange: Exchange): Promise<Response> {
  const { request, gate } = exchange;
  const refused = refusedAtGate(request.headers, gate);
  if (refused !== undefined) return refuse({ ...refused, code: ERROR.invalidRequest });
  if (URL.parse(request.url)?.pathname !== PATH) return refuse(notFound(`There is nothing here but ${PATH}.`));
  if (request.method === "POST") return post(exchange);
  if (request.method === "GET") return get(exchange);
  if (request.method === "DELETE") return end(exchange);
  return refuse({ status: 405, code: ERROR.invalidRequest, message: "Only GET, POST and DELETE mean something here." });
}

async function post(exchange: Exchange): Promise<Response> {
  const { request, sessions } = exchange;
  const { headers } = request;
  if (!isJson(headers)) return refuse(badRequest("The body has to be application/json (Content-Type).", 415));
  const accept = accepted(headers);
  if (!accept.json && !accept.events)
    return refuse(badRequest("Accept has to name application/json or text/event-stream.", 406));
  const bytes = await bodyOf(request);
  if (bytes === undefined)
    return refuse(badRequest(`The body did not come whole, or is over ${MOST_BODY_BYTES} bytes.`, 413));
  const read = readBody(bytes);
  if (!read.ok) return refuse(read.problem);
  const { messages } = read;
  if (isInitialize(messages) && !headers.has(SESSION)) return initialize(sessions, messages);
  const found = sessionOf(exchange);
  if (found instanceof Response) return found;
  const full = found.refusal();
  if (full !== undefined) return refuse({ ...full, code: ERROR.internal });
  return replied(exchange, { session: found, ...read, accept });
}

/** Undefined where it is too long, or the client went away. */
async function bodyOf(request: Request): Promise<Uint8Array | undefined> {
  try {
    return await request.bytes();
  } catch {
    return undefined;
  }
}

const SESSION = "mcp-session-id";

function isInitialize([message, ...others]: readonly ReadMessage[]): boolean {
  return others.length === 0 && message?.type === "request" && message.method === "initialize";
}

async function initialize(sessions: HttpSessions, messages: readonly ReadMessage[]): Promise<Response> {
  const session = sessions.open();
  if (session === undefined)
    return refuse({
      status: 503,
      code: ERROR.internal,
      message: `${MOST_SESSIONS} sessions are in use, which is the most.`,
    });
  const [reply] = await session.answer(messages);
  if (session.protocol.version === undefined) return json(reply);
  sessions.keep(session);
  return json(reply, { [SESSION]: session.id });
}

/** The session a request names, or why it cannot be used. */
function sessionOf({ request: { headers }, sessions }: Exchange): HttpSession | Response {
  const problem = versionProblem(headers);
  if (problem !== undefined) return refuse(badRequest(problem));
  const id = headers.get(SESSION);
  if (id === null)
    return refuse(badRequest("The first request has to be initialize; the others name their Mcp-Session-Id."));
  return sessions.find(id) ?? refuse(notFound("There is no such session any more. Begin a new one with initialize."));
}

interface Asked {
  session: HttpSession;
  messages: readonly ReadMessage[];
  isBatch: boolean;
  accept: Accepted;
}

async function replied(exchange: Exchange, asked: Asked): Promise<Response> {
  const { request, setTimeout } = exchange;
  const { session, messages, isBatch, accept } = asked;
  const hasAnswer = messages.some(({ type }) => type === "request" || type === "invalid");
  if (!hasAnswer) {
    await session.answer(messages);
    return new Response(null, { status: 202, headers: HEADERS });
  }
  const isCall = messages.some((message) => message.type === "request" && message.method === "tools/call");
  if (accept.events && (isCall || !accept.json)) return events(exchange, session.answerAsEvents(messages), 0);
  setTimeout(0);
  const replies = await session.answer(messages, request.signal);
  setTimeout(IDLE_SECONDS);
  return isBatch
    ? json(replies)
    : json(replies[0] ?? refusal(idOf(messages), ERROR.internal, "The request was cancelled."));
}

function idOf([message]: readonly ReadMessage[]) {
  return message?.type === "request" ? message.id : null;
}

function get(exchange: Exchange): Response {
  const { headers } = exchange.request;
  if (!accepted(headers).events) return refuse(badRequest("Accept has to name text/event-stream.", 406));
  const session = sessionOf(exchange);
  if (session instanceof Response) return session;
  const last = headers.get("last-event-id");
  if (last !== null) return resumed(exchange, session, last);
  const full = session.refusal();
  if (full !== undefined) return refuse({ ...full, code: ERROR.internal });
  return events(exchange, session.listen(), 0);
}

function resumed(exchange: Exchange, session: HttpSession, last: string): Response {
  const found = session.resume(last);
  if (found === undefined) return refuse(badRequest("What Last-Event-ID names is not kept any more."));
  const { stream, after } = found;
  // Tells a client that it need not come again.
  if (!stream.hasMore(after)) return new Response(null, { status: 204, headers: HEADERS });
  return events(exchange, stream, after);
}

function end(exchange: Exchange): Response {
  const session = sessionOf(exchange);
  if (session instanceof Response) return session;
  exchange.sessions.end(session);
  return new Response(null, { status: 204, headers: HEADERS });
}

const HEADERS = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

/** While a stream is open its connection may be still for any time; afterwards no longer than others. */
function events({ request, setTimeout }: Exchange, stream: EventStream, after: number): Response {
  setTimeout(0);
  const body = stream.read(after, { signal: request.signal, onEnd: () => setTimeout(IDLE_SECONDS) });
  return new Response(body, {
    headers: { ...HEADERS, "content-type": "text/event-stream", "x-accel-buffering": "no" },
  });
}

function json(body: Reply | Reply[] | undefined, headers: Record<string, string> = {}): Response {
  return Response.json(body ?? {}, { headers: { ...HEADERS, ...headers } });
}

interface Refusal {
  status: number;
  code: number;
  message: string;
}

function refuse({ status, code, message }: Refusal): Response {
  const more = MORE_HEADERS[status] ?? {};
  return Response.json(refusal(null, code, message), { status, headers: { ...HEADERS, ...more } });
}

const MORE_HEADERS: Readonly<Record<number, Record<string, string>>> = {
  401: { "www-authenticate": "Bearer" },
  405: { allow: "GET, POST, DELETE" },
  429: { "retry-after": "1" },
  503: { "retry-after": "10" },
};

function badRequest(message: string, status = 400): Refusal {
  return { status, code: ERROR.invalidRequest, message };
}

function notFound(message: string): Refusal {
  return { status: 404, code: ERROR.invalidRequest, message };
}
