import { expect, test } from "bun:test";
import { join } from "node:path";
import { beginBrowserLogin } from "../../../src/cli/login/browser-login.ts";
import { openCredentialStore } from "../../../src/models/stored-credentials/credential-store.ts";
import { startLoginServer } from "../../support/login-server.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { temporaryDirectories } from "../../support/temporary-directory.ts";

const temporary = temporaryDirectories();

async function begun(issuer: string) {
  const clock = manualClock();
  const path = join(temporary(), "data/credentials.db");
  const renew = async () => ({ ok: false as const, isOver: true, message: "nothing is renewed here" });
  const credentials = openCredentialStore({ path, clock, renew });
  const environment = { RALPH_LOGIN_ISSUER: issuer, RALPH_LOGIN_PORT: "0", NO_PROXY: "*" };
  const result = await beginBrowserLogin({ environment, clock, credentials }, "openai-codex");
  if (!result.ok) throw new Error(result.message);
  return { login: result.login, clock, credentials };
}

test("a login nobody finishes is over after 300 seconds, and its address leads nowhere", async () => {
  using server = startLoginServer();
  const { login, clock, credentials } = await begun(server.issuer);
  await clock.advance(299_999);
  expect(clock.pending()).toBe(1);
  await clock.advance(1);
  expect(await login.done).toEqual({
    ok: false,
    message: "The login was not finished within 300 seconds. Begin it again.",
  });
  const late = await fetch(await server.approve(login.url)).catch(() => "refused");
  expect([late, server.requests, credentials.list()]).toEqual(["refused", [], []]);
});

test("each login has a state and a challenge of its own, and no other login's answer opens it", async () => {
  using server = startLoginServer();
  const [one, other] = [await begun(server.issuer), await begun(server.issuer)];
  const parts = (url: string) => ["state", "code_challenge"].map((name) => new URL(url).searchParams.get(name));
  expect(new Set([...parts(one.login.url), ...parts(other.login.url)]).size).toBe(4);
  const answer = await server.approve(one.login.url);
  expect(other.login.paste(answer)).toBe("That is not taken: it is not an answer to this login.");
  expect(one.login.paste(answer)).toBeUndefined();
  expect(await one.login.done).toEqual({ ok: true });
  other.login.cancel();
  expect(await other.login.done).toEqual({ ok: false, message: "The login was given up.", isCancelled: true });
  expect([one.credentials.has("openai-codex"), other.credentials.has("openai-codex")]).toEqual([true, false]);
});

test("a login that is given up while its code is exchanged stores nothing", async () => {
  using server = startLoginServer();
  const { login, credentials } = await begun(server.issuer);
  server.options.refuse = () => {
    login.cancel();
    return undefined;
  };
  login.paste(await server.approve(login.url));
  expect([await login.done, credentials.list()]).toEqual([
    { ok: false, message: "The login was given up.", isCancelled: true },
    [],
  ]);
});
