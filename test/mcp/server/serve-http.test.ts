import { describe, expect, test } from "bun:test";
import * as z from "zod";
import { COME_BACK_MS } from "../../../src/mcp/server/event-stream.ts";
import { BEAT_MS, IDLE_MS, MOST_SESSIONS } from "../../../src/mcp/server/http-sessions.ts";
import { serveHttp } from "../../../src/mcp/server/serve-http.ts";
import { type CallContext, serveTool } from "../../../src/mcp/server/served-tools.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { eventsOf, rawHttp, silentReader, TOKEN } from "../../support/mcp-over-http.ts";

const HINTS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

interface Running {
  text: string;
  context: CallContext;
  finish(text: string): void;
}

/** A server with one tool that is done when the test says so, and whose time the test owns. */
function serve() {
  const clock = manualClock();
  const running: Running[] = [];
  const waiting: (() => void)[] = [];
  const tool = serveTool({
    name: "slow_work",
    title: "Work",
    description: "Works",
    hints: HINTS,
    input: z.strictObject({ text: z.string().optional() }),
    output: z.strictObject({ text: z.string() }),
    async run({ text = "" }, context) {
      const done = Promise.withResolvers<string>();
      running.push({ text, context, finish: done.resolve });
      for (const wake of waiting.splice(0)) wake();
      context.signal.addEventListener("abort", () => done.resolve("given up"));
      return { ok: true, value: { text: await done.promise } };
    },
  });
  const resources = { list: async () => [], read: async () => undefined };
  const offer = { version: "1", instructions: "", tools: [tool], resources };
  const served = serveHttp({ offer, clock, host: "127.0.0.1", port: 0, token: TOKEN });
  if (!served.ok) throw new Error(served.message);
  return {
    clock,
    url: served.url,
    ...rawHttp(served.url),
    /** The call number `index`, as soon as it runs. */
    async started(index = 0): Promise<Running> {
      for (;;) {
        const found = running[index];
        if (found !== undefined) return found;
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
    },
    [Symbol.asyncDispose]: () => served.stop(),
  };
}

const aborted = ({ context: { signal } }: Running) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve());
  });

const ping = (id: number) => ({ jsonrpc: "2.0", id, method: "ping" });
const result = (id: number, text: string) => ({
  jsonrpc: "2.0",
  id,
  result: { content: [{ type: "text", text: JSON.stringify({ text }) }], structuredContent: { text } },
});

describe("the server over HTTP", () => {
  test("a session begins with initialize, is named by every request, and ends with DELETE", async () => {
    await using server = serve();
    const headers = await server.session();
    expect(headers["mcp-session-id"]).toMatch(/^[\x21-\x7e]{20,}$/);
    const post = async (body: unknown, given: Record<string, string | undefined> = headers) => {
      const response = await server.send("POST", { headers: given, body });
      return [response.status, await response.text()];
    };
    expect(await post(ping(1))).toEqual([200, '{"jsonrpc":"2.0","id":1,"result":{}}']);
    expect(await post({ jsonrpc: "2.0", method: "notifications/initialized" })).toEqual([202, ""]);
    expect(await post({ jsonrpc: "2.0", id: 9, result: {} })).toEqual([202, ""]);
    expect(await post([ping(1), ping(2)])).toEqual([
      200,
      '[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"result":{}}]',
    ]);
    expect((await server.send("DELETE", { headers })).status).toBe(204);
    expect((await post(ping(1)))[0]).toBe(404);
    expect((await server.send("DELETE", { headers })).status).toBe(404);
  });

  test("what breaks the rules of HTTP or of the protocol is refused with its status, and a reason", async () => {
    await using server = serve();
    const session = await server.session();
    const refused = async (
      method: string,
      options: { headers?: Record<string, string | undefined>; body?: unknown; url?: string },
    ) => {
      const sender = options.url === undefined ? server : rawHttp(options.url);
      const response = await sender.send(method, { ...options, headers: { ...session, ...options.headers } });
      const { id, error } = (await response.json()) as { id: unknown; error: { code: number; message: string } };
      return [response.status, id, error.code, error.message];
    };
    expect([
      await refused("POST", { headers: { "mcp-session-id": undefined }, body: ping(1) }),
      await refused("POST", { headers: { "mcp-session-id": "another" }, body: ping(1) }),
      await refused("POST", { headers: { "mcp-protocol-version": "1999-01-01" }, body: ping(1) }),
      await refused("POST", { headers: { "content-type": "text/plain" }, body: ping(1) }),
      await refused("POST", { headers: { accept: "image/png" }, body: ping(1) }),
      await refused("POST", { body: "{broken" }),
      await refused("POST", { body: "[]" }),
      await refused("POST", { body: '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}' }),
      await refused("POST", { body: { jsonrpc: "1.0", id: 1, method: "ping" } }),
      await refused("GET", { headers: { accept: "application/json" } }),
      await refused("GET", { headers: { "last-event-id": "s9-1" } }),
      await refused("GET", { headers: { "last-event-id": "../../x" } }),
      await refused("PUT", { body: ping(1) }),
      await refused("POST", { url: new URL("/other", server.url).href, body: ping(1) }),
      await refused("POST", { headers: { authorization: "Bearer wrong" }, body: ping(1) }),
      await refused("POST", { headers: { origin: "https://evil.example" }, body: ping(1) }),
    ]).toEqual([
      [400, null, -32_600, "The first request has to be initialize; the others name their Mcp-Session-Id."],
      [404, null, -32_600, "There is no such session any more. Begin a new one with initialize."],
      [400, null, -32_600, expect.stringContaining('MCP-Protocol-Version is "1999-01-01"')],
      [415, null, -32_600, "The body has to be application/json (Content-Type)."],
      [406, null, -32_600, "Accept has to name application/json or text/event-stream."],
      [400, null, -32_700, "The body is not JSON."],
      [400, null, -32_600, "A message is a JSON object."],
      [400, null, -32_700, "A key stands twice in the same object."],
      [400, null, -32_600, 'jsonrpc must be "2.0".'],
      [406, null, -32_600, "Accept has to name text/event-stream."],
      [400, null, -32_600, "What Last-Event-ID names is not kept any more."],
      [400, null, -32_600, "What Last-Event-ID names is not kept any more."],
      [405, null, -32_600, "Only GET, POST and DELETE mean something here."],
      [404, null, -32_600, "There is nothing here but /mcp."],
      [401, null, -32_600, "The token is another one."],
      [403, null, -32_600, "Pages of other places may not speak to this server (Origin)."],
    ]);
    expect((await server.send("POST", { headers: session, body: "x".repeat(5_000_000) })).status).toBe(413);
    const preflight = await server.send("OPTIONS", { headers: { authorization: undefined } });
    expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([401, null]);
  });

  test("a body that is no text, or comes in pieces and is too long, is refused", async () => {
    await using server = serve();
    const head = `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\n`;
    const piece = `100000\r\n${"x".repeat(0x10_0000)}\r\n`;
    using long = await silentReader(server.url, `${head}Transfer-Encoding: chunked\r\n\r\n${piece.repeat(6)}`);
    expect(await long.read()).toStartWith("HTTP/1.1 413 ");
    using noText = await silentReader(
      server.url,
      Buffer.concat([Buffer.from(`${head}Connection: close\r\nContent-Length: 3\r\n\r\n"`), Buffer.from([0xff, 0x22])]),
    );
    expect(await noText.read()).toEndWith('"message":"The body is no text in UTF-8."}}');
  });

  test("a call is answered over its own stream, with what is told on the way", async () => {
    await using server = serve();
    const session = await server.session();
    const [one, other] = await Promise.all(
      [1, 2].map(async (id) =>
        eventsOf(
          await server.call(session, { id, name: "slow_work", args: { text: `${id}` }, progressToken: `p${id}` }),
        ),
      ),
    );
    for (const index of [0, 1]) {
      const call = await server.started(index);
      call.context.progress({ progress: Number(call.text) });
      call.finish(`done ${call.text}`);
    }
    const told = (id: number) => ({
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: { progressToken: `p${id}`, progress: id },
    });
    const seen = [await one?.rest(), await other?.rest()];
    expect(seen.map((events) => events?.map(({ data }) => data))).toEqual(
      [1, 2].map((id) => [undefined, told(id), result(id, `done ${id}`)]),
    );
    const names = seen.flatMap((events) => events?.map(({ id }) => id) ?? []);
    expect(new Set(names).size).toBe(6);
  });

  test("who takes only JSON is answered with JSON, and who takes only events with events", async () => {
    await using server = serve();
    const session = await server.session();
    const call = server.call(session, { id: 1, name: "slow.work", headers: { accept: "application/json" } });
    (await server.started()).finish("done");
    const response = await call;
    expect([response.headers.get("content-type"), await response.json()]).toEqual([
      "application/json;charset=utf-8",
      result(1, "done"),
    ]);
    const list = await server.send("POST", { headers: { ...session, accept: "text/event-stream" }, body: ping(2) });
    expect((await eventsOf(list).rest()).at(-1)?.data).toEqual({ jsonrpc: "2.0", id: 2, result: {} });
  });

  test("a client that lost its stream gets the rest, once, and then is told not to come again", async () => {
    await using server = serve();
    const session = await server.session();
    const first = eventsOf(await server.call(session, { id: 1, name: "slow_work", progressToken: "p" }));
    const call = await server.started();
    const hello = await first.next();
    call.context.progress({ progress: 1 });
    const told = await first.next();
    await first.leave();
    call.context.progress({ progress: 2 });
    call.finish("done");
    const resume = (last: string | undefined) =>
      server.send("GET", { headers: { ...session, "last-event-id": last ?? "" } });
    const missed = await eventsOf(await resume(told?.id)).rest();
    expect(missed.map(({ data }) => data)).toEqual([
      undefined,
      { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: "p", progress: 2 } },
      result(1, "done"),
    ]);
    expect((await resume(missed.at(-1)?.id)).status).toBe(204);
    expect((await eventsOf(await resume(hello?.id)).rest()).length).toBe(4);
    const stranger = await server.session();
    const foreign = await server.send("GET", { headers: { ...stranger, "last-event-id": told?.id } });
    expect(foreign.status).toBe(400);
  });

  test("a call whose client is gone is given up: at once where it could not come back, else after ten seconds", async () => {
    await using server = serve();
    const [old, young] = [await server.session("2025-06-18"), await server.session()];
    for (const session of [old, young]) {
      const stream = eventsOf(await server.call(session, { id: 1, name: "slow_work" }));
      if (session === young) await stream.next();
      await stream.leave();
    }
    await aborted(await server.started(0));
    const second = await server.started(1);
    let waited = 0;
    for (; !second.context.signal.aborted; waited += 1000) {
      await server.send("POST", { headers: young, body: ping(2) });
      await server.clock.advance(1000);
    }
    expect(waited).toBeGreaterThanOrEqual(COME_BACK_MS);
    const stop = new AbortController();
    const call = fetch(server.url, {
      method: "POST",
      signal: stop.signal,
      headers: {
        ...young,
        authorization: `Bearer ${TOKEN}`,
        accept: "application/json",
        "content-type": "application/json",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 3, method: "tools/call", params: { name: "slow_work" } }),
    }).catch(() => "gone");
    const third = await server.started(2);
    stop.abort();
    await aborted(third);
    expect(await call).toBe("gone");
  });

  test("a call that is cancelled, or whose session ends, is given up and not answered", async () => {
    await using server = serve();
    const session = await server.session();
    const streams = await Promise.all(
      [1, 2].map(async (id) =>
        eventsOf(await server.call(session, { id, name: "slow_work", args: { text: `${id}` } })),
      ),
    );
    const calls = [await server.started(0), await server.started(1)];
    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
    expect((await server.send("POST", { headers: session, body: cancel })).status).toBe(202);
    const [first, second] = streams;
    const cancelled = await first?.rest();
    expect(cancelled?.map(({ data }) => data)).toEqual([undefined]);
    const again = await server.send("GET", { headers: { ...session, "last-event-id": cancelled?.[0]?.id } });
    expect(again.status).toBe(204);
    expect(calls.map(({ text, context }) => [text, context.signal.aborted]).toSorted()).toEqual([
      ["1", true],
      ["2", false],
    ]);
    expect((await server.send("DELETE", { headers: session })).status).toBe(204);
    expect((await second?.rest())?.map(({ data }) => data)).toEqual([undefined]);
    expect(calls.map(({ context }) => context.signal.aborted)).toEqual([true, true]);
  });

  test("nothing waits for time while nobody is connected; a session nobody uses ends", async () => {
    await using server = serve();
    const [quiet, listening] = [await server.session(), await server.session()];
    expect(server.clock.pending()).toBe(0);
    const stream = eventsOf(await server.send("GET", { headers: listening }));
    expect(server.clock.pending()).toBe(1);
    await server.clock.advance(IDLE_MS + 1);
    const status = async (headers: Record<string, string>) =>
      (await server.send("POST", { headers, body: ping(1) })).status;
    expect([await status(quiet), await status(listening)]).toEqual([404, 200]);
    await stream.leave();
    while (server.clock.pending() > 0) await status(listening);
    await server.clock.advance(IDLE_MS - 1);
    expect(await status(listening)).toBe(200);
    await server.clock.advance(IDLE_MS + 1);
    expect([await status(listening), server.clock.pending()]).toEqual([404, 0]);
  });

  test("with too many sessions the one that was used longest ago makes room, and none that is in use", async () => {
    await using server = serve();
    const first = await server.session();
    const second = await server.session();
    const stream = eventsOf(await server.send("GET", { headers: first }));
    for (let count = 2; count < MOST_SESSIONS; count += 1) await server.session();
    await server.session();
    const status = async (headers: Record<string, string>) =>
      (await server.send("POST", { headers, body: ping(1) })).status;
    expect([await status(first), await status(second)]).toEqual([200, 404]);
    await stream.leave();
  });

  test("a session has 64 streams at most", async () => {
    await using server = serve();
    const headers = await server.session();
    const all = await Promise.all(Array.from({ length: 64 }, () => server.send("GET", { headers })));
    expect(all.map(({ status }) => status)).toEqual(Array.from({ length: 64 }, () => 200));
    const refused = await server.send("POST", { headers, body: ping(1) });
    expect([refused.status, ((await refused.json()) as { error: { message: string } }).error.message]).toEqual([
      429,
      "64 streams are open in this session, which is the most.",
    ]);
    await Promise.all(all.map(({ body }) => body?.cancel()));
  });

  test("of answers that nobody reads 16 MB wait, and whoever reads nothing is cut off", async () => {
    await using server = serve();
    const session = await server.session("2025-06-18");
    const big = "x".repeat(5_000_000);
    const request = (id: number) => {
      const params = { name: "slow_work" };
      const body = JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params });
      const headers = {
        ...session,
        Host: "127.0.0.1",
        Authorization: `Bearer ${TOKEN}`,
        "Content-Type": "application/json",
      };
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      return `POST /mcp HTTP/1.1\r\n${lines.join("")}Content-Length: ${body.length}\r\n\r\n${body}`;
    };
    using first = await silentReader(server.url, request(1));
    using second = await silentReader(server.url, request(2));
    for (const index of [0, 1]) (await server.started(index)).finish(big);
    const status = async () => (await server.send("POST", { headers: session, body: ping(9) })).status;
    // Each answer is there twice, as text and as a value.
    let seen = await status();
    while (seen === 200) seen = await status();
    expect(seen).toBe(429);
    await server.clock.advance(BEAT_MS);
    await server.clock.advance(BEAT_MS);
    expect([await status(), server.clock.pending()]).toEqual([200, 0]);
    const lengths = [(await first.read()).length, (await second.read()).length];
    expect(lengths.map((length) => length < 10_000_000)).toEqual([true, true]);
  });
});
