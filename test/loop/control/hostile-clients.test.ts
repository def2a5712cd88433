import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { MAX_UNSENT_BYTES } from "../../../src/loop/control/client-connection.ts";
import { MAX_CLIENTS, serveControl } from "../../../src/loop/control/serve-control.ts";
import { systemClock } from "../../../src/system/clock.ts";
import { fakeLoop } from "../../support/loop-controls.ts";
import { type RawClient, rawClient } from "../../support/raw-client.ts";
import { temporaryDirectories } from "../../support/temporary-directory.ts";

const directory = temporaryDirectories();

async function served() {
  const loop = fakeLoop();
  const result = await serveControl({
    directory: join(directory(), "sockets"),
    name: "checkout",
    controls: loop.controls,
    clock: systemClock,
  });
  if (!result.ok) throw new Error(result.message);
  const { server } = result;
  return { ...loop, server, [Symbol.asyncDispose]: () => server.stop() };
}

const subscribe = { jsonrpc: "2.0", id: 1, method: "subscribe", params: { events: ["*"] } };
const ping = { jsonrpc: "2.0", id: 7, method: "checkpoint" };
const pong = { jsonrpc: "2.0", id: 7, result: { status: "checkpoint_requested" } };
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

function dataOf(message: unknown): unknown {
  return (message as { params?: { data?: unknown } }).params?.data;
}

describe("a client", () => {
  test("that sends a line over 4 MB is told so and closed, and holds up nobody", async () => {
    await using loop = await served();
    using other = await rawClient(loop.server.path);
    for (const end of ["", "\n"]) {
      using client = await rawClient(loop.server.path);
      client.send(ping);
      client.raw(
        `{"jsonrpc":"2.0","id":1,"method":"inject_prompt","params":{"prompt":"${"x".repeat(5_000_000)}"}}${end}`,
      );
      const reason = "a line may have at most 4194304 bytes";
      const [first, error, notice, ...rest] = await client.rest();
      expect([first, error, dataOf(notice), rest]).toEqual([
        pong,
        { jsonrpc: "2.0", id: null, error: { code: -32600, message: "Invalid request", data: reason } },
        { reason },
        [],
      ]);
    }
    expect(await other.ask(ping)).toEqual(pong);
  });

  test("may send a line just below 4 MB, in as many pieces as it likes", async () => {
    await using loop = await served();
    using client = await rawClient(loop.server.path);
    const line = `${JSON.stringify({ ...ping, params: { filler: "y".repeat(4_000_000) } })}\n`;
    for (let start = 0; start < line.length; start += 333_333) client.raw(line.slice(start, start + 333_333));
    expect(await client.next()).toEqual(pong);
  });

  test("that half closes gets its answers first, then the end", async () => {
    await using loop = await served();
    using client = await rawClient(loop.server.path);
    client.send(ping);
    client.send(ping);
    client.halfClose();
    expect(await client.rest()).toEqual([pong, pong]);
  });

  test("that goes away in the middle of a line, or right after a wish, harms nothing", async () => {
    await using loop = await served();
    for (let round = 0; round < 20; round++) {
      const client = await rawClient(loop.server.path);
      await client.ask(subscribe);
      client.send(ping);
      client.raw('{"jsonrpc":"2.0","id":1,"meth');
      loop.server.output("somebody may be gone");
      client.close();
      loop.server.output("somebody is gone");
    }
    using client = await rawClient(loop.server.path);
    expect(await client.ask(ping)).toEqual(pong);
  });

  test("that never reads is dropped with a notice while the others get every line", async () => {
    await using loop = await served();
    using lazy = await rawClient(loop.server.path);
    using reader = await rawClient(loop.server.path);
    await lazy.ask(subscribe);
    await reader.ask(subscribe);
    lazy.stopReading();
    const lines = 40_000;
    const reading = (async () => {
      for (let index = 0; index < lines; index++) {
        const { line } = dataOf(await reader.next()) as { line: string };
        if (line !== `line ${index} ${"x".repeat(60)}`) return `wrong at ${index}: ${line}`;
      }
      return "all";
    })();
    for (let index = 0; index < lines; index++) {
      loop.server.output(`line ${index} ${"x".repeat(60)}`);
      if (index % 200 === 0) await nextTurn();
    }
    expect(await reading).toBe("all");
    lazy.goOnReading();
    const received = await lazy.rest();
    expect(dataOf(received.at(-1))).toEqual({
      reason: `this client is too slow: more than ${MAX_UNSENT_BYTES} bytes of events wait for it; connect again and read faster`,
    });
    // Whole lines only, from the first on.
    const got = received.slice(0, -1).map((message) => (dataOf(message) as { line: string }).line.split(" ")[1]);
    expect(got).toEqual(got.map((_, index) => String(index)));
    expect(got.length).toBeLessThan(lines);
  });

  test("that asks and asks without reading stalls itself and keeps the memory small", async () => {
    await using loop = await served();
    for (let line = 0; line < 200; line++) loop.server.output("y".repeat(1000));
    using greedy = await rawClient(loop.server.path);
    greedy.stopReading();
    const status = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "get_status" })}\n`;
    greedy.raw(status.repeat(300));
    using other = await rawClient(loop.server.path);
    expect(await other.ask(ping)).toEqual(pong);
    Bun.gc(true);
    const before = process.memoryUsage().rss;
    for (let turn = 0; turn < 50; turn++) expect(await other.ask(ping)).toEqual(pong);
    expect((process.memoryUsage().rss - before) / 1e6).toBeLessThan(30);
    greedy.goOnReading();
    for (let index = 0; index < 300; index++) await greedy.next();
  });

  test(`is refused where ${MAX_CLIENTS} are connected, and taken when one has left`, async () => {
    await using loop = await served();
    const clients: RawClient[] = [];
    for (let index = 0; index < MAX_CLIENTS; index++) clients.push(await rawClient(loop.server.path));
    expect(await Promise.all(clients.map((client) => client.ask(ping)))).toEqual(clients.map(() => pong));
    for (let index = 0; index < 36; index++) {
      using late = await rawClient(loop.server.path);
      expect((await late.rest()).map(dataOf)).toEqual([
        { reason: "64 clients are connected already; close one and connect again" },
      ]);
    }
    clients[0]?.halfClose();
    await clients[0]?.rest();
    using next = await rawClient(loop.server.path);
    expect(await next.ask(ping)).toEqual(pong);
    for (const client of clients) client.close();
  });

  test("that holds interactive mode gives it back when its connection is lost", async () => {
    await using loop = await served();
    const off = Promise.withResolvers<void>();
    const { setInteractive } = loop.controls;
    loop.controls.setInteractive = async (enabled) => {
      const outcome = await setInteractive(enabled);
      if (!enabled) off.resolve();
      return outcome;
    };
    const set = (params: object) => ({ jsonrpc: "2.0", id: 1, method: "set_interactive_mode", params });
    const passing = await rawClient(loop.server.path);
    await passing.ask(set({ enabled: true }));
    passing.close();
    const holding = await rawClient(loop.server.path);
    await holding.ask(set({ enabled: true, x_while_connected: true }));
    expect(loop.asked).toEqual(["interactive true", "interactive true"]);
    holding.close();
    await off.promise;
    expect(loop.asked).toEqual(["interactive true", "interactive true", "interactive false"]);
  });
});

test("the last events reach clients before a server that is stopped closes the connections", async () => {
  const loop = await served();
  using client = await rawClient(loop.server.path);
  await client.ask(subscribe);
  loop.status.status = "completed";
  loop.server.output("bye");
  loop.server.stateChanged();
  await loop.server.stop();
  expect((await client.rest()).map(dataOf)).toEqual([{ line: "bye" }, { status: "completed" }]);
});
