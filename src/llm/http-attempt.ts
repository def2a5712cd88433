import type { ModelError } from "../protocol/model-errors.ts";
import type { ModelEnd } from "../protocol/model-events.ts";
import type { ModelRequest } from "../protocol/model-request.ts";
import type { Credential, Model } from "../protocol/models.ts";
import type { Clock } from "../system/clock.ts";
import { redactSecrets } from "../system/redact.ts";
import type { Attempt, AttemptContext } from "./attempt.ts";
import { AttemptWatch, type Timeouts } from "./attempt-watch.ts";
import { authHeaders } from "./auth.ts";
import { bodyJson } from "./body-json.ts";
import { prepareMessages } from "./conversation.ts";
import { notAnApi, refusalError } from "./errors.ts";
import { type AnswerReader, createAnswerReader, MAX_ANSWER_BYTES, TOO_LONG } from "./read-answer.ts";
import { transformRequest } from "./request-transform.ts";
import type { WireProtocol } from "./wire-protocol.ts";

export interface HttpAttemptOptions {
  model: Model;
  credential: Credential;
  protocol: WireProtocol;
  clock: Clock;
  timeouts: Timeouts;
  userAgent: string;
  /** The proxy for this model's address, if the environment names one. */
  proxy?: string;
  /** Gets what goes over the wire, without secrets, for `--debug`. */
  trace?: (line: string) => void;
}

/** One request over HTTP: send, check the status, read the answer. No secret is in what it says. */
export function createHttpAttempt(options: HttpAttemptOptions): Attempt {
  return async (context) => {
    const { end, begun } = await attemptOnce(options, context);
    if (end.type === "done") return { end, begun };
    const message = redact(end.error.message, options.credential);
    return { end: { ...end, error: { ...end.error, message } }, begun };
  };
}

async function attemptOnce(options: HttpAttemptOptions, context: AttemptContext): ReturnType<Attempt> {
  const { model, protocol } = options;
  if (!isWebAddress(model.baseUrl)) return { end: noAddress(model), begun: false };
  const wire = await wireRequest(options, context);
  const reader = createAnswerReader(readingOf(protocol, context.request), {
    model,
    tools: context.request.tools,
    emit: context.emit,
  });
  const watch = watchOver(options, context, wire);
  try {
    options.trace?.(`> POST ${withoutSecrets(wire.url)} ${redact(wire.body, options.credential)}`);
    const response = await watch.race(send(wire, watch.signal, options.proxy));
    if (response.type === "stopped") return { end: reader.end(response.error), begun: false };
    options.trace?.(`< ${response.value.status} ${withoutSecrets(wire.url)}`);
    if (!response.value.ok) return { end: await refused(response.value, options, watch), begun: false };
    const page = webPage(response.value, wire);
    if (page !== undefined) return { end: reader.end(page), begun: false };
    return await (wire.streamed ? readStream : readWhole)(response.value, reader, watch);
  } finally {
    watch.stop();
  }
}

function readingOf(protocol: WireProtocol, { compact }: ModelRequest): WireProtocol {
  const { readCompaction } = protocol;
  return compact === true && readCompaction !== undefined ? { ...protocol, readBody: readCompaction } : protocol;
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

/** An address may carry a password or a key in its query. */
function withoutSecrets(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

function noAddress(model: Model): ModelEnd {
  const message = `"${model.baseUrl}" is not an address: set baseUrl of provider ${model.provider} in models.yml`;
  return { type: "error", error: { kind: "invalid-request", message, retryable: false } };
}

interface WireCall {
  url: string;
  headers: Record<string, string>;
  body: string;
  streamed: boolean;
}

async function wireRequest(options: HttpAttemptOptions, { request }: AttemptContext): Promise<WireCall> {
  const { model, protocol, credential } = options;
  const prepared = { ...request, messages: prepareMessages(request.messages, model) };
  const wire = protocol.buildRequest(prepared, model);
  const headers = lowerCased({
    "content-type": "application/json",
    accept: request.stream ? "text/event-stream, application/json" : "application/json",
    "user-agent": options.userAgent,
    ...wire.headers,
    ...authHeaders(model, credential),
    ...model.headers,
  });
  const final = transformRequest({ headers, body: wire.body }, model.requestTransform);
  const call = {
    url: model.baseUrl.replace(/\/+$/, "") + wire.path,
    headers: final.headers,
    body: bodyJson(final.body),
    streamed: request.compact !== true && (request.stream || protocol.streamsAlways === true),
  };
  if (credential.type !== "aws") return call;
  const { signAwsRequest } = await import("./aws-signature.ts");
  const now = new Date(options.clock.now());
  return { ...call, headers: signAwsRequest({ ...call, method: "POST", service: "bedrock", credential, now }) };
}

function lowerCased(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** A promise also where `fetch` refuses at once, as it does for headers it cannot send. */
async function send(wire: WireCall, signal: AbortSignal, proxy: string | undefined): Promise<Response> {
  return fetch(wire.url, {
    method: "POST",
    headers: wire.headers,
    body: wire.body,
    signal,
    // A redirect would carry the key to an address nobody configured.
    redirect: "manual",
    timeout: false,
    ...(proxy === undefined ? {} : { proxy }),
  });
}

function webPage(response: Response, { url }: WireCall): ModelError | undefined {
  const type = response.headers.get("content-type") ?? "";
  return type.startsWith("text/html") ? notAnApi(new URL(url).host, type) : undefined;
}

function watchOver(
  { clock, timeouts, proxy }: HttpAttemptOptions,
  { signal }: AttemptContext,
  wire: WireCall,
): AttemptWatch {
  const url = new URL(wire.url);
  const peer = proxy === undefined ? url : new URL(proxy);
  const silenceMs = wire.streamed ? timeouts.idleMs : timeouts.wholeMs;
  const { connectMs, wholeMs } = timeouts;
  return new AttemptWatch({ clock, signal, url, peer, connectMs, silenceMs, wholeMs });
}

async function readStream(response: Response, reader: AnswerReader, watch: AttemptWatch): ReturnType<Attempt> {
  const body = response.body?.getReader();
  let begun = false;
  for (;;) {
    if (body === undefined) break;
    if (reader.isSettled) watch.hurry();
    const piece = await watch.race(body.read());
    if (piece.type === "stopped") {
      void body.cancel().catch(() => {});
      // A connection that breaks inside an answer is a cut answer, whatever the socket calls it.
      return { end: reader.end(begun && piece.error.kind === "network" ? undefined : piece.error), begun };
    }
    if (piece.value.done) break;
    begun = true;
    reader.push(piece.value.value);
    if (!reader.isBroken) continue;
    void body.cancel().catch(() => {});
    break;
  }
  return { end: reader.end(), begun };
}

async function readWhole(response: Response, reader: AnswerReader, watch: AttemptWatch): ReturnType<Attempt> {
  const text = await watch.race(firstBytes(response, MAX_ANSWER_BYTES + 1));
  if (text.type === "stopped") return { end: reader.end(text.error), begun: true };
  if (text.value.length > MAX_ANSWER_BYTES) return { end: reader.end(TOO_LONG), begun: true };
  reader.pushWhole(text.value);
  return { end: reader.end(), begun: true };
}

const ERROR_BODY_BYTES = 4096;

async function refused(response: Response, options: HttpAttemptOptions, watch: AttemptWatch): Promise<ModelEnd> {
  const body = await watch.race(firstBytes(response, ERROR_BODY_BYTES));
  const error = refusalError({
    host: new URL(options.model.baseUrl).host,
    status: response.status,
    headers: response.headers,
    body: body.type === "value" ? redact(body.value, options.credential) : "",
    now: options.clock.now(),
    readRefusal: options.protocol.readRefusal,
  });
  return { type: "error", error };
}

async function firstBytes(response: Response, limit: number): Promise<string> {
  const body = response.body?.getReader();
  const pieces: Uint8Array[] = [];
  let length = 0;
  while (body !== undefined && length < limit) {
    const piece = await body.read();
    if (piece.done) break;
    pieces.push(piece.value);
    length += piece.value.byteLength;
  }
  void body?.cancel().catch(() => {});
  return new TextDecoder().decode(Buffer.concat(pieces).subarray(0, limit));
}

function redact(text: string, credential: Credential): string {
  const { type: _, ...secrets } = credential;
  return redactSecrets(
    text,
    Object.values(secrets).filter((value) => value.length >= 8),
  );
}
