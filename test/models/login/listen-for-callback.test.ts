import { describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { listenForCallback } from "../../../src/models/login/listen-for-callback.ts";
import { canConnect } from "../../../src/system/can-connect.ts";

const STATE = "a-state-nobody-guesses";

function listening() {
  const result = listenForCallback({ port: 0, state: STATE });
  if (!result.ok) throw new Error(result.message);
  const { listener } = result;
  const origin = `http://127.0.0.1:${listener.port}`;
  return { ...listener, origin, [Symbol.asyncDispose]: listener.stop };
}

/** Sends bytes as they are and gives back the first line of the answer; empty where the connection was just closed. */
function raw(port: number, request: string): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const socket = connect({ port, host: "127.0.0.1" }, () => socket.write(request));
    socket.on("data", (bytes) => {
      text += bytes;
      if (text.includes("\r\n")) socket.destroy();
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(text.split("\r\n", 1)[0] ?? ""));
  });
}

describe("waiting for a browser", () => {
  test("hostile requests change nothing, and the right one still counts", async () => {
    await using waiting = listening();
    const { port, origin } = waiting;
    const target = `/auth/callback?code=c&state=${STATE}`;
    const answers = await Promise.all([
      fetch(`${origin}/auth/callback?code=c&state=wrong`),
      fetch(`${origin}/other?code=c&state=${STATE}`),
      fetch(`${origin}${target}`, { method: "POST", body: "x" }),
      fetch(`${origin}${target}`, { headers: { host: `evil.example:${port}` } }),
      fetch(`${origin}/auth/callback?error=access_denied`),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([400, 404, 405, 403, 400]);
    const huge = await raw(
      port,
      `GET ${target}&x=${"y".repeat(1_000_000)} HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`,
    );
    expect(huge).not.toContain(" 200 ");
    expect(await raw(port, "\x16\x03\x01 not http at all\r\n\r\n")).not.toContain(" 200 ");
    expect(await raw(port, `GET ${target} HTTP/1.1\r\n\r\n`)).not.toContain(" 200 ");
    const good = await fetch(`${origin}${target}`);
    expect([good.status, await good.text(), await waiting.answer]).toEqual([
      200,
      "Ralph has the answer. You can close this page.\n",
      { type: "code", code: "c" },
    ]);
  });

  test("only the first answer counts, and a page gets nothing of what it sent", async () => {
    await using waiting = listening();
    const sent = await fetch(`${waiting.origin}/auth/callback?code=<script>&state=${STATE}`);
    expect(await sent.text()).not.toContain("script");
    expect(sent.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    const second = await fetch(`${waiting.origin}/auth/callback?code=second&state=${STATE}`);
    expect([second.status, await waiting.answer]).toEqual([404, { type: "code", code: "<script>" }]);
  });

  test("nobody outside this machine is listened to, and the port is free afterwards", async () => {
    const first = listening();
    const { port } = first;
    const outside = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter(({ internal, family }) => !internal && family === "IPv4")
      .map(({ address }) => new URL(`http://${address}:${port}`));
    expect(await Promise.all(outside.map((url) => canConnect(url, 500)))).toEqual(outside.map(() => false));
    await first.stop();
    const again = listenForCallback({ port, state: STATE });
    expect(again.ok).toBe(true);
    const taken = listenForCallback({ port, state: STATE });
    expect(taken).toEqual({
      ok: false,
      message: `The login needs port ${port} of this machine: another program uses it, perhaps another login that still waits. End that one and try again.`,
    });
    if (again.ok) await again.listener.stop();
  });

  test("somebody who holds a connection open does not hold the end up", async () => {
    const waiting = listening();
    const socket = connect({ port: waiting.port, host: "127.0.0.1" }, () =>
      socket.write("GET /auth/callback HTTP/1.1\r\n"),
    );
    socket.on("error", () => {});
    await new Promise((resolve) => socket.once("connect", resolve));
    const started = performance.now();
    await waiting.stop();
    expect(performance.now() - started).toBeLessThan(3000);
    socket.destroy();
  });
});
