import { afterEach, expect, test } from "bun:test";
import { connect } from "node:net";
import type { JsonObject } from "../../src/protocol/json.ts";
import { type Fault, failAnswer, textAnswer, toolCallAnswer } from "./fake-answer.ts";
import { type FakeProvider, type FakeProviderOptions, startFakeProvider } from "./fake-provider.ts";
import { anthropicMessages } from "./wire/anthropic-messages.ts";
import { bedrockConverseStream } from "./wire/bedrock-converse-stream.ts";
import { googleGenerativeAi } from "./wire/google-generative-ai.ts";
import { ollamaChat } from "./wire/ollama-chat.ts";
import { openAiCompletions } from "./wire/openai-completions.ts";
import { openAiResponses } from "./wire/openai-responses.ts";
import { renderStream, renderWhole } from "./wire/wire-renderer.ts";

const running: FakeProvider[] = [];

afterEach(() => {
  for (const provider of running.splice(0)) provider.stop();
});

async function start(options: FakeProviderOptions = {}): Promise<FakeProvider> {
  const provider = await startFakeProvider(options);
  running.push(provider);
  return provider;
}

function post(provider: FakeProvider, path: string, body: JsonObject): Promise<Response> {
  return fetch(provider.origin + path, { method: "POST", body: JSON.stringify(body) });
}

const MESSAGES = "/v1/messages";
const STREAMED = { model: "m", stream: true };

const STREAMING = [
  { path: "/v1/messages", body: STREAMED, renderer: anthropicMessages },
  { path: "/chat/completions", body: STREAMED, renderer: openAiCompletions },
  { path: "/v1/chat/completions", body: STREAMED, renderer: openAiCompletions },
  { path: "/responses", body: STREAMED, renderer: openAiResponses },
  { path: "/v1/responses", body: STREAMED, renderer: openAiResponses },
  { path: "/openai/v1/responses?api-version=preview", body: STREAMED, renderer: openAiResponses },
  { path: "/backend-api/codex/responses", body: { ...STREAMED, store: false }, renderer: openAiResponses },
  { path: "/v1beta/models/m:streamGenerateContent?alt=sse", body: {}, renderer: googleGenerativeAi },
  {
    path: "/v1/projects/p/locations/l/publishers/google/models/m:streamGenerateContent?alt=sse",
    body: {},
    renderer: googleGenerativeAi,
  },
  { path: "/model/m/converse-stream", body: {}, renderer: bedrockConverseStream },
  { path: "/api/chat", body: { model: "m" }, renderer: ollamaChat },
];

test.each(STREAMING)("$path streams the format of its path", async ({ path, body, renderer }) => {
  const answer = toolCallAnswer({ name: "read", input: { path: "für.md" } });
  const provider = await start({ answers: [answer] });
  const response = await post(provider, path, body);
  const includeUsage = renderer !== openAiCompletions;
  expect({ status: response.status, type: response.headers.get("content-type"), body: await response.bytes() }).toEqual(
    {
      status: 200,
      type: renderer.contentType,
      body: new Uint8Array(Buffer.concat(renderStream(renderer, answer, { model: "m", serial: 1, includeUsage }))),
    },
  );
});

const WHOLE = [
  { path: "/v1/messages", body: { model: "m" }, renderer: anthropicMessages },
  { path: "/v1/chat/completions", body: { model: "m", stream: false }, renderer: openAiCompletions },
  { path: "/v1/responses", body: { model: "m" }, renderer: openAiResponses },
  { path: "/v1beta/models/m:generateContent", body: {}, renderer: googleGenerativeAi },
  { path: "/model/m/converse", body: {}, renderer: bedrockConverseStream },
  { path: "/api/chat", body: { model: "m", stream: false }, renderer: ollamaChat },
];

test.each(WHOLE)("$path answers at once when no stream is asked for", async ({ path, body, renderer }) => {
  const answer = toolCallAnswer({ name: "read", input: { path: "für.md" } });
  const provider = await start({ answers: [answer] });
  const response = await post(provider, path, body);
  expect({ type: response.headers.get("content-type"), body: await response.bytes() }).toEqual({
    type: "application/json",
    body: renderWhole(renderer, answer, { model: "m", serial: 1, includeUsage: true }),
  });
});

test("the Codex backend refuses what the real one refuses", async () => {
  const provider = await start();
  const whole = await post(provider, "/codex/responses", { model: "m", store: false });
  const stored = await post(provider, "/codex/responses", STREAMED);
  expect([whole.status, await whole.json(), stored.status, await stored.json()]).toEqual([
    400,
    { detail: "Stream must be set to true" },
    400,
    { detail: "Store must be set to false" },
  ]);
});

test("answers come in the order of the queue, then the default, and a function sees its request", async () => {
  const provider = await start({ answers: [textAnswer("one"), (request) => textAnswer(request.rawBody)] });
  const texts: unknown[] = [];
  for (let count = 0; count < 3; count++) {
    const response = await post(provider, "/api/chat", { stream: false });
    texts.push(((await response.json()) as { message: { content: string } }).message.content);
  }
  expect(texts).toEqual(["one", '{"stream":false}', "ok"]);
});

test("requests are recorded as they came and given out one by one", async () => {
  const provider = await start();
  const waiting = provider.nextRequest();
  await fetch(`${provider.origin}/v1/messages?beta=true`, {
    method: "POST",
    headers: { "X-Api-Key": "key" },
    body: '{"model": "ä"}',
  });
  await post(provider, "/nowhere", {});
  const { headers, at, ...first } = await waiting;
  expect({ ...first, key: headers["x-api-key"], recent: Date.now() - at < 5000 }).toEqual({
    method: "POST",
    path: "/v1/messages",
    query: { beta: "true" },
    body: { model: "ä" },
    rawBody: '{"model": "ä"}',
    key: "key",
    recent: true,
  });
  expect((await provider.nextRequest()).path).toBe("/nowhere");
  expect(provider.requests.map(({ path }) => path)).toEqual(["/v1/messages", "/nowhere"]);
});

const LISTINGS: { path: string; headers: Record<string, string>; ids: string; expected?: string | number }[] = [
  { path: "/v1/models", headers: {}, ids: "data.0.id" },
  { path: "/models", headers: {}, ids: "data.0.id" },
  { path: "/v1/models", headers: { "anthropic-version": "2023-06-01" }, ids: "first_id" },
  { path: "/v1beta/models", headers: {}, ids: "models.0.name", expected: "models/one" },
  { path: "/api/v0/models", headers: {}, ids: "data.0.id" },
  { path: "/api/tags", headers: {}, ids: "models.0.name" },
  { path: "/props", headers: {}, ids: "default_generation_settings.n_ctx", expected: 4096 },
];

test.each(LISTINGS)("$path lists the models ($ids)", async ({ path, headers, ids, expected }) => {
  const provider = await start({ models: [{ id: "one", contextWindow: 4096 }] });
  let value: unknown = await (await fetch(provider.origin + path, { headers })).json();
  for (const key of ids.split(".")) value = (value as Record<string, unknown>)[key];
  expect(value).toBe(expected ?? "one");
});

test("a status fault has the vendor's own shape and the headers it was given", async () => {
  const headers = { "retry-after": "7" };
  const provider = await start({ answers: [failAnswer({ type: "status", status: 429, headers })] });
  const response = await post(provider, MESSAGES, STREAMED);
  expect([response.status, response.headers.get("retry-after"), await response.json()]).toEqual([
    429,
    "7",
    {
      type: "error",
      error: { type: "rate_limit_error", message: "The fake provider answers with status 429" },
      request_id: "req_011fake",
    },
  ]);
});

test("a status fault may bring a body of its own", async () => {
  const fault: Fault = { type: "status", status: 502, body: "<html>bad gateway</html>" };
  const provider = await start({ answers: [failAnswer(fault)] });
  const response = await post(provider, MESSAGES, STREAMED);
  expect([response.status, await response.text()]).toEqual([502, "<html>bad gateway</html>"]);
});

test("reset closes the connection before any byte, and only once", async () => {
  const provider = await start({ answers: [failAnswer({ type: "reset" }), failAnswer({ type: "reset" })] });
  expect(await rejection(post(provider, MESSAGES, STREAMED))).toBe("ECONNRESET");
  expect(await rawPost(provider, MESSAGES).ended).toEqual({ text: "", error: "ECONNRESET" });
  expect(provider.requests.length).toBe(2);
  expect((await post(provider, MESSAGES, STREAMED)).status).toBe(200);
});

test("silence can begin before the headers, after them, or after some events, and lasts until stop", async () => {
  const provider = await start({
    answers: [
      failAnswer({ type: "silence", after: "request" }),
      failAnswer({ type: "silence", after: "headers" }),
      failAnswer({ type: "silence", after: { events: 2 } }),
    ],
  });
  const [nothing, headers, events] = [1, 2, 3].map(() => rawPost(provider, MESSAGES));
  await headers?.until("\r\n\r\n");
  await events?.until("ping");
  // Whatever would still come had its chance.
  await Bun.sleep(20);
  provider.stop();
  const ends = await Promise.all([nothing?.ended, headers?.ended, events?.ended]);
  expect(ends.map((end) => bodyChunks(end?.text ?? "").length)).toEqual([0, 0, 2]);
  expect(ends.map((end) => end?.text.startsWith("HTTP/1.1 200"))).toEqual([false, true, true]);
});

test("slow sends the body byte by byte and gives up when the reader leaves", async () => {
  const provider = await start({ answers: [failAnswer({ type: "slow", delayMs: 1 })] });
  const raw = rawPost(provider, MESSAGES);
  await raw.until("message_start");
  raw.leave();
  const { text } = await raw.ended;
  expect(new Set(bodyChunks(text).map((chunk) => chunk.length))).toEqual(new Set([1]));
  expect(bodyChunks(text).join("")).toStartWith("event: message_start");
  await eventually(() => provider.connections() === 0);
});

test.each(["close", "reset", "end"] as const)("cut stops the body at the byte it names (%s)", async (ending) => {
  const provider = await start({ answers: [1, 2].map(() => failAnswer({ type: "cut", atByte: 100, ending })) });
  const { text } = await rawPost(provider, MESSAGES).endedOr("0\r\n\r\n");
  expect(bodyChunks(text).join("").length).toBe(100);
  expect(text.endsWith("\r\n0\r\n\r\n")).toBe(ending === "end");
  const read = post(provider, MESSAGES, STREAMED).then((response) => response.text());
  if (ending === "end") expect((await read).length).toBe(100);
  else expect(await rejection(read)).toBe("ECONNRESET");
});

test("garbage is one event in the middle that is not JSON", async () => {
  const provider = await start({ answers: [failAnswer({ type: "garbage" }), failAnswer({ type: "garbage" })] });
  const lines = (await (await post(provider, MESSAGES, STREAMED)).text()).split("\n");
  const events = lines.filter((line) => line.startsWith("data: ")).map((line) => isJson(line.slice(6)));
  expect(events.filter((valid) => !valid).length).toBe(1);
  expect([events.at(0), events.at(-1)]).toEqual([true, true]);
  expect(isJson(await (await post(provider, MESSAGES, { model: "m" })).text())).toBe(false);
});

test("unknown events stand between all events and unknown fields in every object", async () => {
  const provider = await start({ answers: [failAnswer({ type: "unknown-events" }), textAnswer("never seen whole")] });
  const strange = eventNames(await (await post(provider, MESSAGES, STREAMED)).text());
  const plain = eventNames(await (await post(provider, MESSAGES, STREAMED)).text());
  expect(strange).toEqual(["x_unknown", ...plain.flatMap((name) => [name, "x_unknown"])]);
});

test("an error event ends the stream in the middle", async () => {
  const provider = await start({ answers: [failAnswer({ type: "error-event" })] });
  const text = await (await post(provider, MESSAGES, STREAMED)).text();
  expect(eventNames(text)).toEqual(["message_start", "ping", "content_block_start", "content_block_delta", "error"]);
});

test("a huge error body is as huge as asked", async () => {
  const provider = await start({ answers: [failAnswer({ type: "huge-error-body", status: 500, bytes: 3_000_000 })] });
  const response = await post(provider, MESSAGES, STREAMED);
  expect([response.status, (await response.text()).length]).toEqual([500, 3_000_000]);
});

const CHUNKINGS = [
  { chunking: "whole", sizes: (lengths: number[]) => [lengths.reduce((sum, length) => sum + length, 0)] },
  { chunking: "event", sizes: (lengths: number[]) => lengths },
  { chunking: { bytes: 1 }, sizes: (lengths: number[]) => lengths.flatMap((length) => Array(length).fill(1)) },
] as const;

test.each(CHUNKINGS)(
  "the body is written in the pieces the chunking asks for ($chunking)",
  async ({ chunking, sizes }) => {
    const answer = textAnswer("größer 🐘");
    const provider = await start({ answers: [answer], chunking });
    const { text } = await rawPost(provider, MESSAGES).endedOr("\r\n0\r\n\r\n");
    const events = renderStream(anthropicMessages, answer, { model: "m", serial: 1, includeUsage: true });
    expect(bodyChunks(text).map((chunk) => chunk.length)).toEqual(sizes(events.map((event) => event.length)));
  },
);

test("connections are kept for the next request", async () => {
  const provider = await start();
  for (let count = 0; count < 20; count++) await (await post(provider, MESSAGES, STREAMED)).text();
  expect(provider.connections()).toBe(1);
});

test("stop ends waiting readers and waiting tests at once", async () => {
  const provider = await start({ answers: [failAnswer({ type: "silence", after: "headers" })] });
  const body = rejection(post(provider, MESSAGES, STREAMED).then((response) => response.text()));
  await provider.nextRequest();
  const never = rejection(provider.nextRequest());
  const started = performance.now();
  provider.stop();
  expect([await body, await never]).toEqual(["ECONNRESET", "no request number 2 came: the fake provider was stopped"]);
  expect(performance.now() - started).toBeLessThan(500);
  expect(await rejection(fetch(provider.origin))).toBe("ECONNREFUSED");
});

async function rejection(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return "no rejection";
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    return code ?? message;
  }
}

interface RawExchange {
  until(text: string): Promise<void>;
  leave(): void;
  ended: Promise<{ text: string; error?: string }>;
  /** Also content when the text ends so and the connection stays open. */
  endedOr(text: string): Promise<{ text: string; error?: string }>;
}

/** A request over a plain socket; the text has one character per byte. */
function rawPost(provider: FakeProvider, path: string): RawExchange {
  const { hostname, port } = new URL(provider.origin);
  const body = JSON.stringify(STREAMED);
  const socket = connect(Number(port), hostname);
  let text = "";
  let error: string | undefined;
  const listeners = new Set<() => void>();
  socket.on("data", (bytes) => {
    text += bytes.toString("latin1");
    for (const listener of listeners) listener();
  });
  socket.on("error", (reason: Error & { code?: string }) => {
    error = reason.code;
  });
  socket.write(`POST ${path} HTTP/1.1\r\nhost: fake\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
  const ended = new Promise<{ text: string; error?: string }>((resolve) => {
    socket.on("close", () => resolve(error === undefined ? { text } : { text, error }));
  });
  const when = (condition: () => boolean) =>
    new Promise<void>((resolve) => {
      const check = () => condition() && resolve();
      listeners.add(check);
      check();
    });
  return {
    until: (part) => when(() => text.includes(part) || bodyChunks(text).join("").includes(part)),
    leave: () => socket.destroy(),
    ended,
    endedOr: (tail) => Promise.race([ended, when(() => text.endsWith(tail)).then(() => ({ text }))]),
  };
}

/** The bodies of the HTTP chunks of a raw answer, without the closing empty one. */
function bodyChunks(raw: string): string[] {
  const chunks: string[] = [];
  let rest = raw.slice(raw.indexOf("\r\n\r\n") + 4);
  while (/^[1-9a-f][0-9a-f]*\r\n/.test(rest)) {
    const size = Number.parseInt(rest, 16);
    const start = rest.indexOf("\r\n") + 2;
    chunks.push(rest.slice(start, start + size));
    rest = rest.slice(start + size + 2);
  }
  return chunks;
}

function eventNames(text: string): string[] {
  return [...text.matchAll(/^event: (.*)$/gm)].map((match) => match[1] ?? "");
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

async function eventually(condition: () => boolean): Promise<void> {
  const limit = performance.now() + 2000;
  while (!condition()) {
    if (performance.now() > limit) throw new Error(`still not so after 2 s: ${condition}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
