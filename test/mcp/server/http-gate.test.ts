import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { refusedAtGate } from "../../../src/mcp/server/http-gate.ts";
import { accepted, isJson, readBody, versionProblem } from "../../../src/mcp/server/http-request.ts";

const TOKEN = "the-token-of-this-server";
const GATE = { host: "127.0.0.1", token: TOKEN };

/** The status a request with these headers is refused with. */
function status(headers: Record<string, string>, gate = GATE): number {
  const given = { host: "127.0.0.1:8417", authorization: `Bearer ${TOKEN}`, ...headers };
  return refusedAtGate(new Headers(given), gate)?.status ?? 200;
}

describe("the gate of the HTTP server", () => {
  test("lets in who was sent to an address, to localhost or to the server's own name, and nobody else", () => {
    const hosts = {
      "127.0.0.1:8417": 200,
      "localhost:9000": 200,
      LOCALHOST: 200,
      "[::1]:8417": 200,
      "10.1.2.3:8417": 200,
      "evil.example:8417": 403,
      "127.0.0.1.evil.example": 403,
      "localhost.evil.example:8417": 403,
      "evil.example#127.0.0.1": 403,
      "user@127.0.0.1": 403,
      "127.0.0.1:8417, evil.example": 403,
      "[::1].evil.example": 403,
      "": 403,
    };
    const seen = Object.keys(hosts).map((host) => [host, status({ host })]);
    expect(Object.fromEntries(seen)).toEqual(hosts);
    expect(status({ host: "box.local:80" }, { ...GATE, host: "Box.local" })).toBe(200);
  });

  test("a page of another place may not speak to it, even with the token", () => {
    const origins = {
      "http://127.0.0.1:8417": 200,
      "http://127.0.0.1:3000": 403,
      "https://127.0.0.1:8417": 403,
      "http://localhost:8417": 403,
      "https://evil.example": 403,
      null: 403,
      "": 403,
    };
    const seen = Object.keys(origins).map((origin) => [origin, status({ origin })]);
    expect(Object.fromEntries(seen)).toEqual(origins);
  });

  test("only the whole token opens it", () => {
    const tokens = {
      [`Bearer ${TOKEN}`]: 200,
      [`bearer  ${TOKEN}`]: 200,
      [TOKEN]: 401,
      "Bearer ": 401,
      "": 401,
      [`Bearer ${TOKEN.slice(0, -1)}`]: 401,
      [`Bearer ${TOKEN}x`]: 401,
      [`Bearer ${TOKEN} ${TOKEN}`]: 401,
      [`Basic ${TOKEN}`]: 401,
    };
    const seen = Object.keys(tokens).map((authorization) => [authorization, status({ authorization })]);
    expect(Object.fromEntries(seen)).toEqual(tokens);
    fc.assert(
      fc.property(fc.string({ unit: "grapheme-ascii" }), (text) => {
        const wrong = text.replaceAll(/[\r\n\0]/g, "");
        expect(status({ authorization: `Bearer ${wrong}` })).toBe(401);
      }),
    );
  });
});

describe("a request of HTTP", () => {
  test("whatever the body is, it is read without a fault", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array(),
          fc.json().map((text) => new TextEncoder().encode(text)),
        ),
        (bytes) => {
          const read = readBody(bytes);
          expect(read.ok ? read.messages.length : -read.problem.status).not.toBe(0);
        },
      ),
    );
  });

  test("says what it is, what it takes, and which version it speaks", () => {
    const header = (name: string, value: string | undefined) =>
      new Headers(value === undefined ? {} : { [name]: value });
    const accepts = [
      undefined,
      "*/*",
      "application/json",
      "text/event-stream;q=0.5",
      "TEXT/*, application/JSON",
      "image/png",
    ];
    expect(accepts.map((value) => Object.values(accepted(header("accept", value))))).toEqual([
      [true, true],
      [true, true],
      [true, false],
      [false, true],
      [true, true],
      [false, false],
    ]);
    const types = ["application/json", "Application/JSON; charset=utf-8", "text/plain", "application/jsonx", undefined];
    expect(types.map((value) => isJson(header("content-type", value)))).toEqual([true, true, false, false, false]);
    const versions = [undefined, "2025-11-25", "2024-11-05", "2026-07-28", ""];
    expect(versions.map((value) => versionProblem(header("mcp-protocol-version", value)))).toEqual([
      undefined,
      undefined,
      undefined,
      'MCP-Protocol-Version is "2026-07-28"; this server speaks 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05.',
      'MCP-Protocol-Version is ""; this server speaks 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05.',
    ]);
  });
});
