import { errorCode } from "../../system/file-failure.ts";
import { type CallbackAnswer, judgeCallback } from "./judge-callback.ts";

/** Waits on this machine for the browser to bring the answer of one login. */
export interface CallbackListener {
  port: number;
  /** The first answer that belongs to this login; nothing after it is taken. */
  answer: Promise<CallbackAnswer>;
  stop(): Promise<void>;
}

export type ListenResult = { ok: true; listener: CallbackListener } | { ok: false; message: string };

export function listenForCallback({ port, state }: { port: number; state: string }): ListenResult {
  const answer = Promise.withResolvers<CallbackAnswer>();
  let isAnswered = false;
  const serve = (request: Request, server: { port?: number | undefined }): Response => {
    if (isAnswered) return page(404, "This login is over.");
    const url = new URL(request.url);
    const judged = judgeCallback(
      { method: request.method, target: url.pathname + url.search, host: request.headers.get("host") ?? "" },
      { state, port: server.port ?? port },
    );
    if (judged.type === "turned-away") return page(judged.status, `Nothing was done: ${judged.why}.`);
    isAnswered = true;
    answer.resolve(judged.answer);
    const isGood = judged.answer.type === "code";
    return page(
      200,
      isGood ? "Ralph has the answer. You can close this page." : "Ralph was not let in. You can close this page.",
    );
  };
  try {
    const server = Bun.serve({
      hostname: "127.0.0.1",
      port,
      development: false,
      // Otherwise two programs could wait on one port, and the answer would go to either.
      reusePort: false,
      idleTimeout: IDLE_SECONDS,
      maxRequestBodySize: MAX_BODY_BYTES,
      fetch: serve,
      error: () => page(400, "Nothing was done."),
    });
    const listener = { port: server.port ?? port, answer: answer.promise, stop: () => stopped(server) };
    return { ok: true, listener };
  } catch (error) {
    return { ok: false, message: listenProblem(port, error) };
  }
}

const IDLE_SECONDS = 10;
const MAX_BODY_BYTES = 1024;
const LAST_ANSWER_MS = 1000;

/** The page that was just answered gets its answer; whoever holds a connection open does not hold this open. */
async function stopped(server: Bun.Server<unknown>): Promise<void> {
  const forced = setTimeout(() => void server.stop(true), LAST_ANSWER_MS);
  await server.stop(false);
  clearTimeout(forced);
}

function listenProblem(port: number, error: unknown): string {
  const isTaken = errorCode(error) === "EADDRINUSE";
  const why = isTaken
    ? "another program uses it, perhaps another login that still waits. End that one and try again"
    : error instanceof Error
      ? error.message
      : String(error);
  return `The login needs port ${port} of this machine: ${why}.`;
}

/** Nothing of the request is in it. */
function page(status: number, text: string): Response {
  return new Response(`${text}\n`, {
    status,
    headers: {
      "content-type": "text/plain; charset=utf-8",
      "content-security-policy": "default-src 'none'",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
      connection: "close",
    },
  });
}
