import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { type ControlEvent, connectControl } from "../../../src/loop/control/connect-control.ts";
import { serveControl } from "../../../src/loop/control/serve-control.ts";
import { systemClock } from "../../../src/system/clock.ts";
import { fakeLoop } from "../../support/loop-controls.ts";
import { temporaryDirectories } from "../../support/temporary-directory.ts";

const directory = temporaryDirectories();

async function served(folder = directory()) {
  const loop = fakeLoop();
  const result = await serveControl({
    directory: folder,
    name: "checkout",
    controls: loop.controls,
    clock: systemClock,
  });
  if (!result.ok) throw new Error(result.message);
  return { ...loop, directory: folder, server: result.server };
}

async function connected(
  folder: string,
  handlers: { onEvent?: (event: ControlEvent) => void; onClosed?: () => void } = {},
) {
  const result = await connectControl({ directory: folder, name: "checkout", clock: systemClock, ...handlers });
  if (!result.ok) throw new Error(result.message);
  return result.connection;
}

describe("our own client", () => {
  test("gets answers by id, failures with their code, and events behind the answers they follow", async () => {
    const loop = await served();
    const heard: string[] = [];
    const connection = await connected(loop.directory, {
      onEvent: ({ type, data }) => heard.push(`${type} ${data.line}`),
    });
    const [status, unknown] = await Promise.all([
      connection.request("x/get_receipts"),
      connection.request("nonsense"),
      connection.request("subscribe", { events: ["*"] }),
    ]);
    expect([status, unknown]).toEqual([
      { ok: true, result: { receipts: [] } },
      { ok: false, code: -32601, message: "Method not found: nonsense" },
    ]);
    loop.server.output("one");
    const asked = connection.request("get_status");
    loop.server.output("two");
    await asked;
    expect(heard.includes("output one")).toBe(true);
    connection.close();
    expect(await connection.request("stop")).toEqual({
      ok: false,
      message: "The loop checkout closed the connection: it ended.",
    });
    await loop.server.stop();
  });

  test("says that nothing runs, or what is in the way", async () => {
    const folder = directory();
    const nobody = { ok: false, reason: "no-loop", message: "No loop named checkout is running." } as const;
    const connect = () => connectControl({ directory: folder, name: "checkout", clock: systemClock });
    expect(await connect()).toEqual(nobody);
    writeFileSync(join(folder, "checkout.sock"), "");
    expect(await connect()).toEqual(nobody);
  });

  test("does not wait for ever, and learns that the loop is gone", async () => {
    const folder = directory();
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(join(folder, "checkout.sock"), resolve));
    const waiting = await connected(folder);
    expect(await waiting.request("stop", {}, 20)).toEqual({
      ok: false,
      message: "The loop checkout did not answer stop within 0.02 seconds.",
    });
    waiting.close();
    silent.close();
    const loop = await served();
    const closed = Promise.withResolvers<void>();
    const connection = await connected(loop.directory, { onClosed: closed.resolve });
    loop.controls.checkpoint = () => new Promise(() => undefined);
    const asked = connection.request("checkpoint");
    await loop.server.stop();
    await closed.promise;
    expect(await asked).toEqual({ ok: false, message: "The loop checkout closed the connection: it ended." });
  });
});

const python = Bun.which("python3");

/** The sample of the protocol's own description. It forgets to import `os`, and says nowhere how it is started. */
const SAMPLE = readFileSync(join(import.meta.dir, "../../fixtures/control/sample-client.py"), "utf8");

test.skipIf(python === null)("the sample client of the protocol works unchanged (python3)", async () => {
  const home = directory();
  const folder = join(home, ".local/share/ralph/sockets");
  mkdirSync(folder, { recursive: true });
  const loop = await served(folder);
  const program = `import os\n${SAMPLE}\nasyncio.run(connect_to_ralph("checkout"))\n`;
  const child = Bun.spawn([python ?? "", "-u", "-c", program], {
    env: { HOME: home, PYTHONIOENCODING: "utf-8" },
    stdout: "pipe",
    stderr: "pipe",
  });
  const reader = child.stdout.getReader();
  const decoder = new TextDecoder();
  let printed = "";
  while (!printed.includes("subscribed")) printed += decoder.decode((await reader.read()).value, { stream: true });
  loop.server.output("Grüße");
  loop.status.iteration = 4;
  loop.server.stateChanged();
  await loop.server.stop();
  for (let part = await reader.read(); !part.done; part = await reader.read()) printed += decoder.decode(part.value);
  const lines = printed
    .replaceAll(/'timestamp': '\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}'/g, "'timestamp': T")
    .split("\n");
  expect([await child.exited, await new Response(child.stderr).text(), lines]).toEqual([
    0,
    "",
    [
      "{'jsonrpc': '2.0', 'id': 1, 'result': {'subscribed': ['*']}}",
      "{'jsonrpc': '2.0', 'method': 'event', 'params': {'type': 'output', 'timestamp': T, 'data': {'line': 'Grüße'}, 'zone': 'UTC'}}",
      "{'jsonrpc': '2.0', 'method': 'event', 'params': {'type': 'state_change', 'timestamp': T, 'data': {'iteration': 4}, 'zone': 'UTC'}}",
      "",
    ],
  ]);
});
