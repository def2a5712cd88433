import { type Chunking, type FakeAnswer, textAnswer } from "./fake-answer.ts";
import { type FakeModel, modelListing } from "./fake-model-listings.ts";
import { routeOf } from "./fake-routes.ts";
import { startLoopbackServer } from "./loopback-server.ts";
import { createRequestLog, type RecordedRequest } from "./request-log.ts";
import { sendAnswer, sendJson } from "./send-answer.ts";

// Every model provider at once, on loopback. The path of a request decides the wire format; a queue decides the answers.

export interface FakeProviderOptions {
  answers?: PlannedAnswer[];
  /** Served by the listing endpoints. */
  models?: FakeModel[];
  /** How bodies are cut into writes; one write per event where absent. */
  chunking?: Chunking;
}

/** An answer, or a function that makes one from the request it answers. */
export type PlannedAnswer = FakeAnswer | ((request: RecordedRequest) => FakeAnswer);

export interface FakeProvider {
  /** For example http://127.0.0.1:40123, to which each format's own path is added. */
  origin: string;
  /** Requests for answers and listings, in the order they came. */
  requests: RecordedRequest[];
  /** Adds to the end of the queue. An empty queue answers "ok". */
  answer(...answers: PlannedAnswer[]): void;
  /** The next request that was not yet given out by this function; rejects after five seconds. */
  nextRequest(): Promise<RecordedRequest>;
  /** How many connections are open. */
  connections(): number;
  /** Ends everything at once, open connections too. */
  stop(): void;
  [Symbol.dispose](): void;
}

export async function startFakeProvider(options: FakeProviderOptions = {}): Promise<FakeProvider> {
  const queue = [...(options.answers ?? [])];
  const requests = createRequestLog();
  let serial = 0;
  const server = await startLoopbackServer(async (request, reply) => {
    const recorded = requests.add(request);
    const listing = modelListing(request, options.models ?? [{ id: "fake-model" }]);
    if (listing !== undefined) return sendJson(reply, 200, listing);
    const route = routeOf(recorded);
    if (route === undefined) return sendJson(reply, 404, { error: { message: `nothing at ${request.path}` } });
    const planned = queue.shift() ?? textAnswer("ok");
    const answer = typeof planned === "function" ? planned(recorded) : planned;
    serial += 1;
    await sendAnswer(reply, { ...route, answer, serial, chunking: answer.chunking ?? options.chunking ?? "event" });
  });
  const stop = () => {
    server.stop();
    requests.stop();
  };
  return {
    origin: server.origin,
    requests: requests.all,
    answer: (...answers) => void queue.push(...answers),
    nextRequest: requests.next,
    connections: server.connections,
    stop,
    [Symbol.dispose]: stop,
  };
}
