import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { type LoopWorld, loopWorld, TASK } from "../support/loop-world.ts";
import { serveOverHttp } from "../support/mcp-client.ts";
import { rawHttp, TOKEN } from "../support/mcp-over-http.ts";
import { runRalph, startRalph } from "../support/run-ralph.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

setDefaultTimeout(60_000);

const FILES = { "test.sh": "grep -q finished work.txt\n" };
const STORIES = [{ checks: ["sh test.sh"] }];

/** An agent that waits for the file `go` in each iteration; with `finish` there too it does the work. */
function patientAgent(world: LoopWorld): { flags: string[]; go(): void; finish(): void } {
  const { root } = world.workspace;
  const script = `env >"${root}/seen"\nwhile [ ! -e "${root}/go" ]; do sleep 0.02; done\nrm "${root}/go"
if [ -e "${root}/finish" ]; then echo finished >work.txt; echo '<promise>COMPLETE</promise>'; fi\n`;
  const go = () => writeFileSync(join(root, "go"), "");
  return {
    flags: ["--sleep", "0", "--cool-down", "0.05", "--agent-cmd", world.agent(script)],
    go,
    finish: () => {
      writeFileSync(join(root, "finish"), "");
      go();
    },
  };
}

describe("ralph mcp serve --transport http", () => {
  test("clients start a loop and wait for it, each told its progress; one that cancels is let go", async () => {
    using world = loopWorld({ stories: STORIES, files: FILES });
    const agent = patientAgent(world);
    const environment = { RALPH_MCP_TOKEN: TOKEN };
    await using server = await serveOverHttp(agent.flags, { ...world, environment });
    expect([server.ralph.stderr(), new URL(server.url).hostname]).toEqual(["", "127.0.0.1"]);
    await using starter = await server.connect();
    await using watcher = await server.connect({ versionNegotiation: { mode: "auto" } });
    await starter.call("ralph.run", { task: TASK, max_iterations: 5 });
    const stop = new AbortController();
    const wait = { name: "ralph_wait", arguments: { task: "demo", timeout_seconds: 40 } };
    const cancelled = starter.client.callTool(wait, { signal: stop.signal }).catch(() => "cancelled");
    const waits = [starter, watcher].map(({ client }) => {
      const [first, second] = [Promise.withResolvers<number>(), Promise.withResolvers<number>()];
      const result = client.callTool(wait, {
        onprogress: ({ progress }) => (progress < 2 ? first : second).resolve(progress),
      });
      return { result, first: first.promise, second: second.promise };
    });
    await Promise.all(waits.map(({ first }) => first));
    agent.go();
    expect(await Promise.all(waits.map(({ second }) => second))).toEqual([2, 2]);
    stop.abort();
    expect(await cancelled).toBe("cancelled");
    agent.finish();
    const results = (await Promise.all(waits.map(({ result }) => result))).map((one) => one.structuredContent);
    const done = { timed_out: false, loop: { verdict: "done", iteration: 2 } };
    expect(results).toMatchObject([done, done]);
    expect(world.workspace.read("seen")).toContain("\nRALPH_HOME=");
    expect(world.workspace.read("seen")).not.toContain(TOKEN);
  });

  test("a wait outlives a connection that breaks", async () => {
    using world = loopWorld({ stories: STORIES, files: FILES });
    const agent = patientAgent(world);
    await using server = await serveOverHttp(agent.flags, world);
    await using starter = await server.connect();
    await starter.call("ralph_run", { task: TASK });
    using bridge = await breakableBridge(server.url);
    await using client = await server.connect({}, bridge.url);
    const named = Promise.withResolvers<void>();
    const waiting = client.client.callTool(
      { name: "ralph_wait", arguments: { task: "demo", timeout_seconds: 40 } },
      { onresumptiontoken: () => named.resolve() },
    );
    await named.promise;
    bridge.breakAll();
    agent.finish();
    expect((await waiting).structuredContent).toMatchObject({ timed_out: false, loop: { verdict: "done" } });
  });

  test("a hundred clients are served at once", async () => {
    await using workspace = tempWorkspace();
    await using server = await serveOverHttp([], { workspace });
    const clients = await Promise.all(Array.from({ length: 100 }, () => server.connect()));
    const answers = await Promise.all(clients.map(({ call }) => call("ralph_status")));
    expect(answers).toEqual(clients.map(() => ({ loops: [] })));
    expect(new Set(clients.map(({ transport }) => transport.sessionId)).size).toBe(100);
    await Promise.all(clients.map(({ transport }) => transport.terminateSession()));
    await Promise.all(clients.map(({ client }) => client.close()));
    await using late = await server.connect();
    expect(await late.call("ralph_status")).toEqual({ loops: [] });
  });

  test.skipIf(process.platform !== "linux")(
    "a client that is killed while it waits leaves nothing behind",
    async () => {
      using world = loopWorld({ stories: STORIES, files: FILES });
      const agent = patientAgent(world);
      await using server = await serveOverHttp(agent.flags, world);
      const http = rawHttp(server.url, server.token);
      const session = await http.session("2025-06-18");
      await (await http.call(session, { id: 1, name: "ralph_run", args: { task: TASK } })).text();
      const before = unixSockets(server.ralph.pid);
      const headers = {
        ...session,
        authorization: `Bearer ${server.token}`,
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
      };
      const params = { name: "ralph_wait", arguments: { task: "demo", timeout_seconds: 600 } };
      const body = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/call", params });
      const program = `const r = await fetch(${JSON.stringify(server.url)}, ${JSON.stringify({ method: "POST", headers, body })}); await r.text();`;
      const client = Bun.spawn([process.execPath, "-e", program], { stdio: ["ignore", "ignore", "ignore"] });
      const look = () => http.send("POST", { headers: session, body: { jsonrpc: "2.0", id: 3, method: "ping" } });
      // The wait holds a connection to the loop.
      while (unixSockets(server.ralph.pid) === before) await look();
      client.kill("SIGKILL");
      await client.exited;
      while (unixSockets(server.ralph.pid) !== before) await look();
      agent.finish();
      const waited = await http.call(session, {
        id: 4,
        name: "ralph_wait",
        args: { task: "demo", timeout_seconds: 40 },
      });
      expect(await waited.text()).toContain('"verdict":"done"');
    },
  );

  test("ends at once when told to, whoever waits, and the loop goes on", async () => {
    using world = loopWorld({ stories: STORIES, files: FILES });
    const agent = patientAgent(world);
    await using server = await serveOverHttp(agent.flags, world);
    const http = rawHttp(server.url, server.token);
    const session = await http.session();
    await (await http.call(session, { id: 1, name: "ralph_run", args: { task: TASK } })).text();
    const listening = await http.send("GET", { headers: session });
    const waiting = await http.call(session, {
      id: 2,
      name: "ralph_wait",
      args: { task: "demo", timeout_seconds: 600 },
    });
    server.ralph.kill("SIGTERM");
    const { code } = await server.ralph.exited;
    const rests = await Promise.all([listening, waiting].map((response) => response.text().catch(() => "")));
    expect([code, rests.some((text) => text.includes("timed_out"))]).toEqual([130, false]);
    const { stdout } = await runRalph(["status", "demo", "--json"], world);
    expect(JSON.parse(stdout)).toMatchObject({ status: "running" });
    agent.finish();
    await using again = await serveOverHttp([], world);
    await using client = await again.connect();
    expect(await client.call("ralph_wait", { task: "demo" })).toMatchObject({ loop: { verdict: "done" } });
  });

  test("makes a new token for each run and says it once, beside the address", async () => {
    await using workspace = tempWorkspace();
    await using one = await serveOverHttp([], { workspace });
    await using other = await serveOverHttp([], { workspace });
    expect([one.token, other.token].map((token) => /^[\w-]{43}$/.test(token))).toEqual([true, true]);
    expect(one.token).not.toBe(other.token);
    expect(one.ralph.stdout()).toBe(`${one.url}\n`);
    expect(one.ralph.stderr()).toBe(
      `ralph: Clients send this token, made for this run: Authorization: Bearer ${one.token}\n`,
    );
    const stranger = await rawHttp(one.url, other.token).send("POST", { body: {} });
    expect([stranger.status, stranger.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
  });

  test("takes the token of a file, and warns of one that others can read", async () => {
    await using workspace = tempWorkspace();
    const file = workspace.write("project/token", `${TOKEN}\n`);
    chmodSync(file, 0o644);
    const environment = { RALPH_MCP_TOKEN: "another-token-that-does-not-count" };
    await using ralph = startRalph(["mcp", "--transport", "http", "--port", "0", "--token-file", "token"], {
      workspace,
      environment,
    });
    const [url] = await ralph.waitForOutput(/^http:\S+$/m);
    const { status } = await rawHttp(url).send("GET", { headers: { accept: "x" } });
    expect([status, ralph.stderr()]).toEqual([
      406,
      `ralph: Other users can read the token in ${file}. Close it: chmod 600 ${file}\n`,
    ]);
  });

  test("says what is wrong with how it was started", async () => {
    await using workspace = tempWorkspace();
    workspace.write("project/short", "abc\n");
    await using taken = await serveOverHttp([], { workspace });
    const { port } = new URL(taken.url);
    const said = async (...words: string[]) => {
      const { code, stderr } = await runRalph(["mcp", ...words], { workspace });
      return [code, stderr];
    };
    const http = ["--transport", "http"];
    expect([
      await said(),
      await said("--port", "80"),
      await said("serve", "--transport", "stdio", "--token-file", "x"),
      await said("serve", ...http, "--port", "65536"),
      await said(...http, "--port", "-1"),
      await said(...http, "--token-file", "short"),
      await said(...http, "--token-file", "nowhere"),
      await said("serve", ...http, "--port", port),
      await said("--transport", "sse"),
    ]).toEqual([
      [2, "ralph: Say what to do with it: ralph mcp serve\n"],
      [2, "ralph: Say what to do with it: ralph mcp serve\n"],
      [2, "ralph: --token-file only means something with --transport http.\n"],
      [2, 'ralph: --port is "65536"; it should be a whole number from 0 to 65535.\n'],
      [2, 'ralph: --port is "-1"; it should be a whole number from 0 to 65535.\n'],
      [
        2,
        `ralph: The token in ${join(workspace.project, "short")} cannot be used: it has to be 16 to 512 letters, digits and . _ ~ + / = -. Make one: openssl rand -hex 32\n`,
      ],
      [2, `ralph: ${join(workspace.project, "nowhere")} could not be read: it does not exist.\n`],
      [
        1,
        `ralph: 127.0.0.1 port ${port} cannot be served: the port is taken, or this machine has no such address. Choose others with --port (0 for any that is free) and --host.\n`,
      ],
      [2, expect.stringContaining("sse")],
    ]);
  });
});

/** How many connections over sockets of this machine the process holds. */
function unixSockets(pid: number): number {
  const inodes = new Set(
    readFileSync("/proc/net/unix", "utf8")
      .split("\n")
      .map((line) => line.trim().split(/\s+/)[6]),
  );
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).filter((name) => {
    try {
      const [, inode] = /^socket:\[(\d+)\]$/.exec(readlinkSync(join(folder, name))) ?? [];
      return inode !== undefined && inodes.has(inode);
    } catch {
      return false;
    }
  }).length;
}

/** Another way to the same server, whose connections can be broken. */
async function breakableBridge(target: string) {
  const sockets = new Set<Socket>();
  const { port, hostname } = new URL(target);
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
    return socket;
  };
  const server = createServer((inward) => {
    const outward = keep(connect(Number(port), hostname));
    keep(inward).pipe(outward).pipe(inward);
    outward.on("close", () => inward.destroy());
    inward.on("close", () => outward.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/mcp`,
    breakAll: () => {
      for (const socket of sockets) socket.destroy();
    },
    [Symbol.dispose]: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
