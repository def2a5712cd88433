import { describe, expect, test } from "bun:test";
import { resolve } from "node:path";
import { authorizationRequest, randomText } from "../../../src/models/login/authorization-request.ts";
import { type LoginServer, loginServer } from "../../../src/models/login/login-server.ts";
import { exchangeCode, renewLogin } from "../../../src/models/login/token-requests.ts";
import { openCredentialStore } from "../../../src/models/stored-credentials/credential-store.ts";
import { systemClock } from "../../../src/system/clock.ts";
import { ACCOUNT, startLoginServer, type TestLoginServer, tokenOf } from "../../support/login-server.ts";
import { temporaryDirectories } from "../../support/temporary-directory.ts";

const temporary = temporaryDirectories();
const NOW = 1_700_000_000_000;
const TRANSPORT = { now: () => NOW, proxyFor: () => undefined };
const REDIRECT = "http://localhost:1455/auth/callback";

function serverAt({ issuer }: { issuer: string }): LoginServer {
  return { issuer, clientId: "client", callbackPort: 1455 };
}

async function approved(server: TestLoginServer) {
  const request = await authorizationRequest(serverAt(server), { state: randomText(), redirectUri: REDIRECT });
  const code = new URL(await server.approve(request.url)).searchParams.get("code") ?? "";
  return { request, code };
}

const login = (server: { issuer: string }) => ({
  accessToken: "access",
  refreshToken: "refresh-token-0-0123456789",
  issuer: server.issuer,
  clientId: "client",
});

describe("where people log in", () => {
  test("the address asks for what ChatGPT subscriptions need, and holds nothing that opens a door", async () => {
    const found = loginServer({});
    if (!found.ok) throw new Error(found.message);
    const request = await authorizationRequest(found.server, { state: "the-state", redirectUri: REDIRECT });
    const url = new URL(request.url);
    expect(`${url.origin}${url.pathname}`).toBe("https://auth.openai.com/oauth/authorize");
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: "code",
      client_id: "app_EMoamEEZ73f0CkXaXp7hrann",
      redirect_uri: REDIRECT,
      scope: "openid profile email offline_access",
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: "S256",
      state: "the-state",
      id_token_add_organizations: "true",
      codex_cli_simplified_flow: "true",
      originator: "ralph",
    });
    expect(request.url).not.toContain(request.verifier);
  });

  test("a server of one's own has to be encrypted, or on this machine", () => {
    const issuers = ["http://evil.example", "ftp://127.0.0.1", "https://user:pw@host", "nothing", "https://host/?q=1"];
    expect(issuers.map((issuer) => loginServer({ RALPH_LOGIN_ISSUER: issuer }).ok)).toEqual(issuers.map(() => false));
    expect(loginServer({ RALPH_LOGIN_ISSUER: "http://127.0.0.1:99/", RALPH_LOGIN_PORT: "0" })).toEqual({
      ok: true,
      server: { issuer: "http://127.0.0.1:99", clientId: "app_EMoamEEZ73f0CkXaXp7hrann", callbackPort: 0 },
    });
    expect(loginServer({ RALPH_LOGIN_PORT: "70000" })).toEqual({
      ok: false,
      message: 'RALPH_LOGIN_PORT is "70000". It has to be a port: 0 to 65535.',
    });
  });
});

describe("tokens", () => {
  test("come for a code once, proven by the verifier, with the account the token names", async () => {
    using server = startLoginServer({ expiresIn: 3600 });
    const { request, code } = await approved(server);
    const tokens = {
      accessToken: expect.any(String),
      refreshToken: "refresh-token-1-0123456789",
      expiresAt: NOW + 3_600_000,
      accountId: ACCOUNT,
    };
    expect(await exchangeCode(serverAt(server), { code, request }, TRANSPORT)).toEqual({ ok: true, tokens });
    const host = new URL(server.issuer).host;
    const refused = { ok: false as const, isOver: true, message: `${host} refused it (400): invalid_grant` };
    expect(await exchangeCode(serverAt(server), { code, request }, TRANSPORT)).toEqual(refused);
    const other = await approved(server);
    const stolen = { code: other.code, request: { ...other.request, verifier: randomText() } };
    expect(await exchangeCode(serverAt(server), stolen, TRANSPORT)).toEqual(refused);
  });

  test("end when the token says so where the server does not", async () => {
    using server = startLoginServer({ refuse: () => Response.json({ access_token: tokenOf({ exp: 1_800_000_000 }) }) });
    expect(await renewLogin(login(server), TRANSPORT)).toEqual({
      ok: true,
      tokens: { accessToken: tokenOf({ exp: 1_800_000_000 }), expiresAt: 1_800_000_000_000 },
    });
  });

  test("have no end where what was said of it is no time", async () => {
    for (const seconds of [1e300, -1e300, "soon", null]) {
      using server = startLoginServer({ refuse: () => Response.json({ access_token: "token", expires_in: seconds }) });
      expect(await renewLogin(login(server), TRANSPORT)).toEqual({ ok: true, tokens: { accessToken: "token" } });
    }
  });

  test("are never sent on to another address, nor told in what went wrong", async () => {
    using elsewhere = startLoginServer();
    const secret = "refresh-token-0-0123456789";
    const answers: [Response, RegExp][] = [
      [Response.redirect(`${elsewhere.issuer}/oauth/token`, 307), /refused it \(307\)$/],
      [new Response("no json", { status: 500 }), /refused it \(500\)$/],
      [
        Response.json({ error: { message: `bad ${secret} \x1b[2J` } }, { status: 401 }),
        /\(401\): bad \[redacted\] \[2J$/,
      ],
      [Response.json({ access_token: 5 }), /answered without a token$/],
      [new Response("x".repeat(300_000)), /longer than 262144 bytes$/],
    ];
    for (const [response, expected] of answers) {
      using server = startLoginServer({ refuse: () => response });
      const result = await renewLogin(login(server), TRANSPORT);
      expect(result.ok ? "" : result.message).toMatch(expected);
      expect(JSON.stringify(result)).not.toContain(secret);
    }
    expect(elsewhere.requests).toEqual([]);
  });

  test("of a login are renewed only where it came from", async () => {
    using server = startLoginServer();
    const moved = { ...login(server), issuer: "http://collector.example" };
    expect(await renewLogin(moved, TRANSPORT)).toEqual({
      ok: false,
      isOver: false,
      message: "http://collector.example is no address tokens may be sent to",
    });
  });

  test("a server that is gone is a passing failure", async () => {
    const server = startLoginServer();
    server.stop();
    const result = await renewLogin(login(server), TRANSPORT);
    expect([result.ok, "isOver" in result && result.isOver]).toEqual([false, false]);
  });
});

test("eight processes that need a renewal at once make one request, and all get the token it gave", async () => {
  using server = startLoginServer({ expiresIn: 3600 });
  const path = `${temporary()}/credentials.db`;
  const store = openCredentialStore({ path, clock: systemClock, renew: (given) => renewLogin(given, TRANSPORT) });
  await store.storeLogin("openai-codex", { ...login(server), expiresAt: Date.now() - 1000 });
  const program = resolve(import.meta.dir, "../../support/programs/use-login.ts");
  const children = Array.from({ length: 8 }, () =>
    Bun.spawn([process.execPath, program, path, "openai-codex"], { stdin: "pipe", stdout: "pipe", stderr: "inherit" }),
  );
  const readers = children.map((child) => child.stdout.getReader());
  await Promise.all(readers.map((reader) => reader.read()));
  for (const child of children) child.stdin.write("go\n");
  for (const child of children) child.stdin.end();
  const answers = await Promise.all(
    readers.map(async (reader) => JSON.parse(new TextDecoder().decode((await reader.read()).value))),
  );
  expect(server.statuses).toEqual([200]);
  expect(answers).toEqual(Array(8).fill({ oauth: { token: server.accessToken(), accountId: ACCOUNT } }));
}, 30_000);
