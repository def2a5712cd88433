import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { ToolOutput } from "../../src/protocol/tool-runs.ts";
import { systemClock } from "../../src/system/clock.ts";
import { createWebFetch, type WebFetchWorld } from "../../src/tools/web-fetch.ts";
import { callTool, failedWith, said } from "../support/call-tool.ts";

const fixture = (name: string) => readFileSync(join(import.meta.dir, "../fixtures/pinned-host", name), "utf8");
const certificate = fixture("certificate.pem");

const MEGABYTE = 1024 * 1024;
const requests: { host: string | null; path: string }[] = [];

function answer(request: Request): Response | Promise<Response> {
  const url = new URL(request.url);
  requests.push({ host: request.headers.get("host"), path: url.pathname });
  const routes: Record<string, () => Response | Promise<Response>> = {
    "/page": () => html("<title>T</title><h1>Hi</h1><a href=next>n</a>"),
    "/latin": () =>
      new Response(Buffer.from("<p>\xfc", "latin1"), { headers: { "content-type": "text/html; charset=latin1" } }),
    "/json": () => Response.json({ a: "<b>" }),
    "/picture": () => new Response("png", { headers: { "content-type": "image/png" } }),
    "/gone": () => new Response("not here", { status: 404, headers: { "content-type": "text/plain" } }),
    "/endless": () => endless(),
    "/bomb": () => bomb(),
    "/never": () => new Promise<Response>(() => {}),
    "/trickle": () =>
      new Response(new ReadableStream({ pull: () => new Promise(() => {}) }), {
        headers: { "content-type": "text/plain" },
      }),
  };
  const to = url.searchParams.get("to");
  if (to !== null) return new Response(null, { status: 302, headers: { location: to } });
  const hops = Number(/^\/hop(\d)$/.exec(url.pathname)?.[1] ?? 0);
  if (hops > 0)
    return new Response(null, { status: 307, headers: { location: hops === 1 ? "/json" : `/hop${hops - 1}` } });
  return routes[url.pathname]?.() ?? new Response("?", { status: 500 });
}

const html = (body: string) => new Response(body, { headers: { "content-type": "text/html; charset=utf-8" } });
const endless = () => {
  const chunk = new Uint8Array(MEGABYTE).fill(97);
  const body = new ReadableStream({ pull: (controller) => controller.enqueue(chunk) });
  return new Response(body, { headers: { "content-type": "text/plain" } });
};
const bomb = () =>
  new Response(gzipSync(Buffer.alloc(64 * MEGABYTE, 97)), {
    headers: { "content-type": "text/plain", "content-encoding": "gzip" },
  });

const plain = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: answer });
const secure = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  tls: { cert: certificate, key: fixture("key.pem") },
  fetch: answer,
});
const onIPv6 = startOnIPv6();
afterAll(async () => {
  await onIPv6?.stop(true);
  await plain.stop(true);
  await secure.stop(true);
});

/** Not every machine has IPv6. */
function startOnIPv6() {
  try {
    return Bun.serve({ port: 0, hostname: "::1", fetch: answer });
  } catch {
    return undefined;
  }
}

function start(world: Partial<WebFetchWorld> = {}) {
  const resolved: string[] = [];
  const tool = createWebFetch({
    clock: systemClock,
    resolve: async (host) => {
      resolved.push(host);
      return ["127.0.0.1"];
    },
    allowsAddress: () => true,
    allowsRedirect: () => true,
    certificates: [certificate],
    ...world,
  });
  requests.length = 0;
  return {
    resolved,
    tool,
    call: (url: string, more: Record<string, unknown> = {}, signal?: AbortSignal) =>
      callTool(tool, { url, ...more }, signal),
  };
}

const site = (path: string) => `http://pinned.test:${plain.port}${path}`;
const details = (path: string, content_type: string, size: number) => ({
  content_type,
  size,
  truncated: false,
  final_url: site(path),
  status: 200,
});

describe("a page", () => {
  test("comes as Markdown, from the address that was checked and under its own name", async () => {
    const { call, resolved } = start();
    const type = "text/html; charset=utf-8";
    expect(await call(`${site("/page")}#part`)).toEqual(
      said(
        `${site("/page")} (${type}, 45 bytes)\nTitle: T\n\n# Hi\n\n[n](${site("/next")})`,
        details("/page", type, 45),
      ),
    );
    expect([resolved, requests]).toEqual([["pinned.test"], [{ host: `pinned.test:${plain.port}`, path: "/page" }]]);
  });

  test("is decoded by its character set, and other text stays as it is", async () => {
    const { call } = start();
    expect([await call(site("/latin")), await call(site("/json"))]).toEqual([
      said(
        `${site("/latin")} (text/html; charset=latin1, 4 bytes)\n\nü`,
        details("/latin", "text/html; charset=latin1", 4),
      ),
      said(
        `${site("/json")} (application/json;charset=utf-8, 11 bytes)\n\n{"a":"<b>"}`,
        details("/json", "application/json;charset=utf-8", 11),
      ),
    ]);
  });

  test("over TLS has to prove its name", async () => {
    const { call } = start();
    const [right, wrong] = [`https://pinned.test:${secure.port}/json`, `https://other.test:${secure.port}/json`];
    expect([textOf(await call(right)), textOf(await call(wrong))]).toEqual([
      `${right} (application/json;charset=utf-8, 11 bytes)\n\n{"a":"<b>"}`,
      `${wrong} was not fetched: its certificate is for another name.`,
    ]);
  });

  test("that is no text or an error says so", async () => {
    const { call } = start();
    expect([await call(site("/picture")), await call(site("/gone"))]).toEqual([
      failedWith(`${site("/picture")}: it is image/png, not text.`, details("/picture", "image/png", 3)),
      failedWith(`${site("/gone")} (text/plain, 8 bytes)\nThe server answered with status 404.\n\nnot here`, {
        ...details("/gone", "text/plain", 8),
        status: 404,
      }),
    ]);
  });
});

describe("limits", () => {
  test("an endless body and a compressed one are cut", async () => {
    const { call } = start();
    for (const path of ["/endless", "/bomb"]) {
      const output = await call(site(path));
      expect(output).toMatchObject({ details: { ...details(path, "text/plain", 8 * MEGABYTE), truncated: true } });
      expect(textOf(output).length).toBeLessThan(130 * 1024);
      expect(textOf(output).split("\n")[1]).toBe("Cut: the text is longer than 131072 bytes.");
    }
  });

  test("three redirects are followed, four are not", async () => {
    const { call, resolved } = start();
    expect([textOf(await call(site("/hop3"))), await call(site("/hop4"))]).toEqual([
      `${site("/json")} (application/json;charset=utf-8, 11 bytes)\n\n{"a":"<b>"}`,
      failedWith(`${site("/hop4")} was not fetched: it redirects more than 3 times.`),
    ]);
    expect(resolved.length).toBe(8);
  });

  test("time runs out, before an answer and inside one", async () => {
    const clock = { ...systemClock, timer: (ms: number, callback: () => void) => systemClock.timer(ms / 50, callback) };
    const { call } = start({ clock });
    expect([await call(site("/never"), { timeout: 5 }), await call(site("/trickle"), { timeout: 5 })]).toEqual([
      failedWith(`${site("/never")} was not fetched: it took longer than the limit of 5 s.`),
      failedWith(`${site("/trickle")} was not fetched: it took longer than the limit of 5 s.`),
    ]);
  });

  test("a person stops it, even while a name is looked up", async () => {
    const controller = new AbortController();
    const { call } = start({
      resolve: () => {
        controller.abort();
        return new Promise(() => {});
      },
    });
    expect(await call(site("/page"), {}, controller.signal)).toEqual(
      failedWith(`${site("/page")} was not fetched: it was stopped.`),
    );
  });
});

describe("addresses", () => {
  const inside = (host: string, address: string) =>
    `${host} leads to ${address}, which is not on the open internet; a person has to allow it.`;

  test("that are not on the open internet are refused before anything is sent", async () => {
    const { call } = start({
      allowsAddress: () => false,
      resolve: async () => ["8.8.8.8", "169.254.169.254"],
    });
    const urls = [
      "http://name.test/",
      "http://127.0.0.1/",
      "http://2130706433/",
      "http://[::ffff:10.0.0.1]/",
      "http://0x7f.1/",
    ];
    const outputs = await Promise.all(urls.map((url) => call(url)));
    expect(outputs.map((output) => textOf(output).split("was not fetched: ")[1])).toEqual([
      inside("name.test", "169.254.169.254"),
      inside("127.0.0.1", "127.0.0.1"),
      inside("127.0.0.1", "127.0.0.1"),
      inside("::ffff:a00:1", "::ffff:a00:1"),
      inside("127.0.0.1", "127.0.0.1"),
    ]);
    expect(requests).toEqual([]);
  });

  test("are checked again at every redirect, and a person may allow some", async () => {
    const { call } = start({ allowsAddress: (url) => url.hostname === "pinned.test" });
    const from = site("/?to=http://127.0.0.1:1/secret");
    expect(await call(from)).toEqual(
      failedWith(`http://127.0.0.1:1/secret was not fetched: ${inside("127.0.0.1", "127.0.0.1")}`),
    );
  });

  test("a redirect that is not allowed is told, and one to something else is refused", async () => {
    const { call } = start({ allowsRedirect: (from, to) => from.host === to.host });
    const [away, file] = [site("/?to=https://else.test/x"), site("/?to=file:///etc/passwd")];
    expect([await call(away), await call(file)]).toEqual([
      failedWith(`${away} was not fetched: it redirects to https://else.test/x; fetch that address if you want it.`),
      failedWith(`${file} was not fetched: it redirects to something that is not an http(s) address.`),
    ]);
  });

  test("that nobody has or nobody answers fail in words", async () => {
    const unknown = start({ resolve: () => Promise.reject(new Error("ENOTFOUND")) });
    const url = "http://nobody.test:1/";
    expect([await unknown.call(url), await start().call(url)]).toEqual([
      failedWith(`${url} was not fetched: the host nobody.test was not found.`),
      failedWith(`${url} was not fetched: the connection was refused.`),
    ]);
  });

  test.skipIf(onIPv6 === undefined)("the next address is tried when one does not answer", async () => {
    const { call } = start({ resolve: async () => ["::1", "127.0.0.1"] });
    const port = onIPv6?.port;
    const named = await call(`http://pinned.test:${port}/json`);
    const literal = await call(`http://[::1]:${port}/json`);
    expect([named, literal].map((output) => textOf(output).split("\n").at(-1))).toEqual(['{"a":"<b>"}', '{"a":"<b>"}']);
    expect(requests.map(({ host }) => host)).toEqual([`pinned.test:${port}`, `[::1]:${port}`]);
  });
});

test("what is asked for is the whole address; other schemes and passwords are mistakes", () => {
  const { tool } = start();
  const prepared = tool.prepare({ url: "HTTPS://Site.test/a b#x" });
  expect("asks" in prepared && prepared.asks).toEqual([
    { category: "network", resources: ["https://site.test/a%20b"], summary: "fetch https://site.test/a%20b" },
  ]);
  expect(["file:///etc/passwd", "site.test", "http://u:p@site.test"].map((url) => tool.prepare({ url }))).toEqual([
    { message: '"url" must begin with http:// or https://, not file://' },
    { message: '"url" must be a whole address such as https://example.com/page' },
    { message: '"url" must not carry a user name or password' },
  ]);
});

function textOf(output: ToolOutput | { refused: string }): string {
  if ("refused" in output) return output.refused;
  return output.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}
