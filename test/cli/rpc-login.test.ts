import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openFrontDoor } from "../support/front-door.ts";
import { startLoginServer, type TestLoginServer } from "../support/login-server.ts";
import { type Frame, rpcHostOver } from "../support/rpc-host.ts";

let server: TestLoginServer;
beforeAll(() => {
  server = startLoginServer({ expiresIn: 3600 });
});
afterAll(() => server.stop());

const STORED = "sk-ant-stored-0123456789";

async function opened(environment: Record<string, string | undefined> = {}) {
  const door = await openFrontDoor();
  door.writeModels(`providers:\n  openai-codex:\n    baseUrl: ${door.provider.origin}/codex\n`);
  const host = rpcHostOver(
    door.start(["--mode", "rpc"], {
      environment: {
        ANTHROPIC_API_KEY: undefined,
        RALPH_LOGIN_ISSUER: server.issuer,
        RALPH_LOGIN_PORT: "0",
        ...environment,
      },
    }),
  );
  const close = async () => {
    await host[Symbol.asyncDispose]();
    door[Symbol.dispose]();
  };
  return { door, host, [Symbol.asyncDispose]: close };
}

function openUrl(frame: Frame): boolean {
  return frame.type === "extension_ui_request" && frame.method === "open_url";
}

describe("logging in over RPC", () => {
  test("providers are told without anything that opens a door; a key opens it for the agent that had none", async () => {
    await using rpc = await opened();
    const { host, door } = rpc;
    const before = await host.request({ type: "get_login_providers" });
    const { providers } = before.data as { providers: { id: string }[] };
    expect(providers.filter(({ id }) => ["openai-codex", "anthropic", "ollama"].includes(id))).toEqual([
      { id: "openai-codex", name: "ChatGPT subscription", method: "browser", authenticated: false },
      { id: "anthropic", name: "Anthropic", method: "key", authenticated: false },
    ] as never);
    const stored = await host.request({ type: "login", providerId: "anthropic", key: STORED });
    expect([stored.success, stored.data]).toEqual([true, { providerId: "anthropic" }]);
    await host.prompt("hello again");
    expect(door.provider.requests.at(-1)?.headers["x-api-key"]).toBe(STORED);
    const after = await host.request({ type: "get_login_providers" });
    expect(
      (after.data as typeof before.data & { providers: { id: string }[] }).providers.find(
        ({ id }) => id === "anthropic",
      ),
    ).toEqual({
      id: "anthropic",
      name: "Anthropic",
      method: "key",
      authenticated: true,
      stored: "stored key",
    } as never);
    expect(JSON.stringify(host.frames())).not.toContain(STORED);
  });

  test("a browser is asked of the host, and its answer may be brought by hand", async () => {
    await using rpc = await opened();
    const { host, door } = rpc;
    host.send({ id: "waits", type: "login", providerId: "openai-codex" });
    const { url } = await host.waitFor(openUrl);
    const second = await host.request({ type: "login", providerId: "openai-codex" });
    expect(second.error).toBe("A login waits already. Answer it, or let its time pass.");
    const wrong = await host.request({
      type: "login",
      providerId: "openai-codex",
      redirectUrl: "http://localhost/?code=1&state=2",
    });
    expect(wrong.error).toBe("That is not taken: it is not an answer to this login.");
    const redirectUrl = await server.approve(`${url}`);
    const brought = await host.request({ type: "login", providerId: "openai-codex", redirectUrl });
    expect(brought.success).toBe(true);
    expect((await host.waitFor(({ id }) => id === "waits")).success).toBe(true);
    await host.prompt("with a plan");
    expect(door.provider.requests.at(-1)?.headers.authorization).toBe(`Bearer ${server.accessToken()}`);
  });

  test("what does not fit is refused with what to do, and a host that goes ends a login that waits", async () => {
    await using rpc = await opened();
    const { host, door } = rpc;
    const errors = [];
    for (const wish of [
      { providerId: "anthropic" },
      { providerId: "anthropic", redirectUrl: "x" },
      { providerId: "openai-codex", key: STORED },
      { providerId: "openai-codex", redirectUrl: "x" },
      { providerId: "nobody" },
    ])
      errors.push((await host.request({ type: "login", ...wish })).error);
    expect(errors).toEqual([
      'Anthropic takes a key. Send it as "key".',
      "Anthropic takes a key, so there is no address to bring.",
      "ChatGPT subscription is logged in to with a browser, so it takes no key.",
      "No login waits for an answer. Send login without redirectUrl.",
      expect.stringContaining('There is no provider "nobody" to log in to.'),
    ]);
    host.send({ type: "login", providerId: "openai-codex" });
    await host.waitFor(openUrl);
    const started = performance.now();
    expect((await host.finish()).code).toBe(0);
    expect(performance.now() - started).toBeLessThan(4000);
    expect(door.workspace.find("ralph-home/data/credentials*")).toEqual([]);
  });

  test("where nobody watches it takes the scope admin and the action auth.login", async () => {
    const declaration = (scopes: string[], actions: string[]) => ({
      actor: "a/test",
      budget: { max_tokens: 1000, max_tool_calls: 10, max_wall_time_ms: 60_000, max_cost_usd: 0 },
      scopes,
      action_allowlist: actions,
    });
    const attempt = async (scopes: string[], actions: string[]) => {
      await using rpc = await opened();
      const { host } = rpc;
      const agreed = await host.request({ type: "negotiate_unattended", declaration: declaration(scopes, actions) });
      expect(agreed.success).toBe(true);
      const answer = await host.request({ type: "login", providerId: "anthropic", key: STORED });
      return [answer.success, (answer.error as { code: string } | undefined)?.code];
    };
    const outcomes = await Promise.all([
      attempt(["prompt"], ["auth.login"]),
      attempt(["admin"], ["file.read"]),
      attempt(["admin"], ["command.prompt", "auth.login"]),
      attempt(["admin"], ["auth.login"]),
    ]);
    expect(outcomes).toEqual([
      [false, "scope_denied"],
      [false, "action_denied"],
      [false, "action_denied"],
      [true, undefined],
    ]);
  }, 20_000);
});
