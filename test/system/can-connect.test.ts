import { expect, test } from "bun:test";
import { canConnect } from "../../src/system/can-connect.ts";
import { startLoopbackServer } from "../support/loopback-server.ts";

test("a host that takes the connection can be reached, whatever the path", async () => {
  const server = await startLoopbackServer(async () => {});
  expect(await canConnect(new URL(`${server.origin}/some/path?q`), 2000)).toBe(true);
  server.stop();
});

test("a port nobody listens on cannot", async () => {
  const server = await startLoopbackServer(async () => {});
  server.stop();
  expect(await canConnect(new URL(server.origin), 2000)).toBe(false);
});

test("a name that does not exist cannot", async () => {
  expect(await canConnect(new URL("http://no-such-host.invalid"), 2000)).toBe(false);
});

test("a host that stays silent is given up after the time", async () => {
  const started = performance.now();
  // An address reserved for documentation: packets to it are lost or refused at once.
  expect(await canConnect(new URL("http://192.0.2.1"), 50)).toBe(false);
  expect(performance.now() - started).toBeLessThan(1000);
});
