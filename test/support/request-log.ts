import type { LoopbackRequest } from "./loopback-server.ts";

export interface RecordedRequest {
  method: string;
  path: string;
  query: Record<string, string>;
  /** Names in lower case. */
  headers: Record<string, string>;
  /** The parsed body, or undefined where it was not JSON. */
  body: unknown;
  rawBody: string;
  /** Milliseconds since the epoch. */
  at: number;
}

export interface RequestLog {
  all: RecordedRequest[];
  add(request: LoopbackRequest): RecordedRequest;
  next(): Promise<RecordedRequest>;
  /** Whoever still waits is told that nothing will come. */
  stop(): void;
}

const NEXT_REQUEST_LIMIT_MS = 5000;

/** Keeps what came in; `next` gives out one request after the other and waits for those to come, five seconds at most. */
export function createRequestLog(): RequestLog {
  const all: RecordedRequest[] = [];
  const waiting = new Set<{ wake: () => void; give: (reason: string) => void }>();
  let taken = 0;
  const next = (): Promise<RecordedRequest> =>
    new Promise((resolve, reject) => {
      const place = taken++;
      const waiter = {
        wake: () => {
          const request = all[place];
          if (request === undefined) return;
          settle();
          resolve(request);
        },
        give: (reason: string) => {
          settle();
          reject(new Error(`no request number ${place + 1} came: ${reason}`));
        },
      };
      const timer = setTimeout(() => waiter.give(`waited ${NEXT_REQUEST_LIMIT_MS} ms`), NEXT_REQUEST_LIMIT_MS);
      const settle = () => {
        clearTimeout(timer);
        waiting.delete(waiter);
      };
      waiting.add(waiter);
      waiter.wake();
    });
  return {
    all,
    next,
    add: (request: LoopbackRequest): RecordedRequest => {
      const recorded = record(request);
      all.push(recorded);
      for (const waiter of [...waiting]) waiter.wake();
      return recorded;
    },
    stop: () => {
      for (const waiter of [...waiting]) waiter.give("the fake provider was stopped");
    },
  };
}

function record(request: LoopbackRequest): RecordedRequest {
  const { method, path, query, headers, rawBody } = request;
  return { method, path, query: Object.fromEntries(query), headers, body: parse(rawBody), rawBody, at: Date.now() };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
