import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { failAnswer, textAnswer } from "../support/fake-answer.ts";
import { type FrontDoor, KEY, openFrontDoor, outcomeOf } from "../support/front-door.ts";
import { ACCOUNT, startLoginServer, type TestLoginServer } from "../support/login-server.ts";

const STORED = "sk-ant-stored-0123456789";
/** Several starts, on a machine that does other things as well. */
const LONG_MS = 30_000;

let server: TestLoginServer;
beforeAll(() => {
  server = startLoginServer({ expiresIn: 3600 });
});
afterAll(() => server.stop());

function storePath({ workspace }: FrontDoor): string {
  return join(workspace.home, "data/credentials.db");
}

const NO_KEY = { ANTHROPIC_API_KEY: undefined };
const ASK = ["-p", "--model", "anthropic/claude-sonnet-4-6", "hello"];
const ASK_CODEX = ["-p", "--model", "openai-codex/gpt-5.5", "hello"];

/** Starts the login, waits for its address, and gives both. */
async function begun(door: FrontDoor, args = ["login", "openai-codex"], environment: Record<string, string> = {}) {
  const ralph = door.start(args, {
    environment: { RALPH_LOGIN_ISSUER: server.issuer, RALPH_LOGIN_PORT: "0", ...environment },
  });
  const [url = ""] = await ralph.waitForOutput(/http:\/\/127\.0\.0\.1:\d+\/oauth\/authorize\S+(?=\n)/);
  return { ralph, url };
}

async function loggedIn(door: FrontDoor): Promise<void> {
  const { ralph, url } = await begun(door);
  await fetch(await server.approve(url));
  expect((await ralph.exited).code).toBe(0);
  door.writeModels(`providers:\n  openai-codex:\n    baseUrl: ${door.provider.origin}/codex\n`);
}

describe("a key that is piped in", () => {
  test(
    "is stored once and opens the door of every later run, before the environment",
    async () => {
      using door = await openFrontDoor();
      const stored = await door.run(["login", "anthropic"], { stdin: `"${STORED}"\n`, environment: NO_KEY });
      expect(outcomeOf(stored)).toEqual({
        code: 0,
        stdout: `The key of Anthropic is stored, sealed, in ${storePath(door)}. Forget it: ralph logout anthropic\n`,
        stderr: "",
      });
      await door.run(ASK, { environment: NO_KEY });
      await door.run(ASK);
      await door.run([...ASK, "--api-key", "sk-ant-typed-0123456789"]);
      const keys = door.provider.requests.map(({ headers }) => headers["x-api-key"]);
      expect(keys).toEqual([STORED, STORED, "sk-ant-typed-0123456789"]);
      expect(outcomeOf(await door.run(["logout"]))).toEqual({
        code: 0,
        stdout: "What was stored for anthropic is forgotten.\n",
        stderr: "",
      });
      await door.run(ASK);
      expect(door.provider.requests.at(-1)?.headers["x-api-key"]).toBe(KEY);
    },
    LONG_MS,
  );

  test("says what plays a part besides it, and what looks like a mistake", async () => {
    using door = await openFrontDoor();
    const { code, stderr } = await door.run(["login", "anthropic"], { stdin: "sk-proj-0123456789" });
    expect([code, stderr]).toEqual([
      0,
      "ralph: It looks like a key of OpenAI, not of Anthropic.\nralph: ANTHROPIC_API_KEY is set, too; the stored key goes before it.\n",
    ]);
  });

  test.each([
    [["login", "anthropic"], "", 1, "There is no key in it. Type or paste it, or send it on standard input."],
    [
      ["login", "anthropic"],
      "two words",
      1,
      "A key is one word, and this has spaces or several lines. Copy the key alone.",
    ],
    [["login", "antropic"], STORED, 2, 'There is no provider "antropic" to log in to. Did you mean anthropic?'],
    [["login", "ollama"], STORED, 2, "ollama needs no login. Use it as it is."],
    [
      ["login", "to", "the", "server"],
      "",
      2,
      "ralph login takes the name of one provider. A key is typed when it is asked for, or piped in: ralph login PROVIDER < FILE. To ask a model, use ralph -p.",
    ],
    [["logout", "--yes"], "", 2, "ralph logout does not take --yes. See: ralph help logout"],
  ] as const)("is refused: ralph %j < %j", async (args, stdin, code, message) => {
    using door = await openFrontDoor();
    expect(outcomeOf(await door.run([...args], { stdin }))).toEqual({
      code,
      stdout: "",
      stderr: `ralph: ${message}\n`,
    });
    expect(door.workspace.find("ralph-home/data/*")).toEqual([]);
  });

  test(
    "is not in what is printed, logged, kept of a conversation, exported, or told by doctor",
    async () => {
      using door = await openFrontDoor({
        answers: [failAnswer({ type: "status", status: 401, body: `wrong key ${STORED}` }), textAnswer("fine")],
      });
      await door.run(["login", "anthropic"], { stdin: STORED, environment: NO_KEY });
      const runs = [
        await door.run([...ASK, "--debug"], { environment: NO_KEY }),
        await door.run([...ASK, "--debug"], { environment: NO_KEY }),
        await door.run(["doctor", "--json"], { environment: NO_KEY }),
        await door.run(["config"], { environment: NO_KEY }),
        await door.run(["sessions", "export", "--jsonl", "-o", "out.jsonl", "--all"], { environment: NO_KEY }),
      ];
      for (const { stdout, stderr } of runs) expect(`${stdout}${stderr}`).not.toContain(STORED);
      const found = JSON.parse(runs[2]?.stdout ?? "").findings.filter(
        ({ subject }: { subject: string }) => subject === "logins",
      );
      expect(found).toEqual([{ subject: "logins", state: "ok", text: "anthropic: stored key" }]);
      for (const path of door.workspace.find("**/*")) expect(door.workspace.read(path)).not.toContain(STORED);
    },
    LONG_MS,
  );
});

describe("a login with a browser", () => {
  test(
    "stores tokens that the next request carries, with the account",
    async () => {
      using door = await openFrontDoor();
      const { ralph, url } = await begun(door);
      const redirect = await server.approve(url);
      expect(new URL(redirect).hostname).toBe("localhost");
      const wrong = await fetch(redirect.replace("state=", "state=x"));
      const page = await fetch(redirect);
      expect([wrong.status, page.status]).toEqual([400, 200]);
      const exit = await ralph.exited;
      expect([exit.code, exit.stderr]).toEqual([0, ""]);
      expect(exit.stdout).toEndWith("Logged in to ChatGPT subscription. Forget it: ralph logout openai-codex\n");
      door.writeModels(`providers:\n  openai-codex:\n    baseUrl: ${door.provider.origin}/codex\n`);
      expect(outcomeOf(await door.run(ASK_CODEX))).toEqual({ code: 0, stdout: "ok\n", stderr: "" });
      const { headers, path } = await door.provider.nextRequest();
      expect([path, headers.authorization, headers["chatgpt-account-id"]]).toEqual([
        "/codex/responses",
        `Bearer ${server.accessToken()}`,
        ACCOUNT,
      ]);
      const text = readFileSync(storePath(door), "utf8");
      expect([text.includes(server.accessToken()), text.includes(server.refreshToken())]).toEqual([false, false]);
      expect((statSync(storePath(door)).mode & 0o777).toString(8)).toBe("600");
      const doctor = await door.run(["doctor"]);
      expect(doctor.stdout).toMatch(
        /✓ logins: openai-codex: stored login, valid until \d{4}-\d\d-\d\d \d\d:\d\d UTC\n/,
      );
    },
    LONG_MS,
  );

  test("takes the address that was pasted, after one that was wrong; --login means the same", async () => {
    using door = await openFrontDoor();
    const { ralph, url } = await begun(door, ["--login"]);
    ralph.write("http://localhost:1455/auth/callback?code=c&state=old\n");
    await ralph.waitForOutput("That is not taken: it is not an answer to this login.");
    ralph.write(`${await server.approve(url)}\n`);
    expect((await ralph.exited).code).toBe(0);
    expect(outcomeOf(await door.run(["--logout"]))).toEqual({
      code: 0,
      stdout: "What was stored for openai-codex is forgotten.\n",
      stderr: "",
    });
  });

  test(
    "that is refused, interrupted, or finds its port taken stores nothing and says why",
    async () => {
      using door = await openFrontDoor();
      const refused = await begun(door);
      const query = new URL(refused.url).searchParams;
      await fetch(
        `${query.get("redirect_uri")}?error=access_denied&error_description=No+plan&state=${query.get("state")}`,
      );
      const { code, stderr } = await refused.ralph.exited;
      expect([code, stderr]).toEqual([1, "ralph: Ralph was not let in: No plan\n"]);
      const stopped = await begun(door);
      const port = new URL(new URL(stopped.url).searchParams.get("redirect_uri") ?? "").port;
      const taken = await door.run(["login", "openai-codex"], { environment: { RALPH_LOGIN_PORT: port } });
      expect(outcomeOf(taken)).toEqual({
        code: 1,
        stdout: "",
        stderr: `ralph: The login needs port ${port} of this machine: another program uses it, perhaps another login that still waits. End that one and try again.\n`,
      });
      stopped.ralph.kill("SIGINT");
      const ended = await stopped.ralph.exited;
      expect([ended.code, ended.stderr]).toEqual([130, "ralph: The login was given up.\n"]);
      const failed = await begun(door);
      await fetch((await server.approve(failed.url)).replace("code=", "code=other"));
      const exchange = await failed.ralph.exited;
      expect([exchange.code, exchange.stderr]).toEqual([
        1,
        `ralph: The login failed: ${new URL(server.issuer).host} refused it (400): invalid_grant. Begin it again.\n`,
      ]);
      expect(door.workspace.find("ralph-home/data/credentials*")).toEqual([]);
    },
    LONG_MS,
  );

  test(
    "is renewed before a request where it is about to end, and the new tokens stay",
    async () => {
      using door = await openFrontDoor();
      server.options.expiresIn = 30;
      await loggedIn(door);
      server.options.expiresIn = 3600;
      const before = server.requests.length;
      const first = server.accessToken();
      await door.run(ASK_CODEX);
      await door.run(ASK_CODEX);
      const tokens = door.provider.requests.map(({ headers }) => headers.authorization);
      expect(tokens).toEqual([`Bearer ${server.accessToken()}`, `Bearer ${server.accessToken()}`]);
      expect([server.requests.length - before, server.accessToken() === first]).toEqual([1, false]);
    },
    LONG_MS,
  );

  test(
    "that ended and cannot be renewed says so and what to do, and no request is sent",
    async () => {
      using door = await openFrontDoor();
      server.options.expiresIn = -10;
      await loggedIn(door);
      server.options.expiresIn = 3600;
      server.options.refuse = () =>
        Response.json({ error: "invalid_grant", error_description: "Revoked." }, { status: 400 });
      const { code, stderr } = await door.run(ASK_CODEX);
      server.options.refuse = () => undefined;
      expect([code, stderr]).toEqual([
        3,
        `ralph: The login of openai-codex has ended and was not renewed: ${new URL(server.issuer).host} refused it (400): Revoked. Log in again: ralph login openai-codex\n`,
      ]);
      expect(door.provider.requests).toEqual([]);
    },
    LONG_MS,
  );
});

describe("a store that is not as it should be", () => {
  test(
    "is told with the remedy, never written over, and other keys still work",
    async () => {
      using door = await openFrontDoor();
      await door.run(["login", "anthropic"], { stdin: STORED });
      const path = storePath(door);
      chmodSync(path, 0o644);
      const remedy = `${path} can be read by other users, so it is not used. Repair it: chmod 600 ${path}`;
      expect(outcomeOf(await door.run(ASK))).toEqual({ code: 0, stdout: "ok\n", stderr: `ralph: ${remedy}\n` });
      expect(door.provider.requests.at(-1)?.headers["x-api-key"]).toBe(KEY);
      const { stdout } = await door.run(["doctor"]);
      expect(stdout).toContain(`✗ logins: nothing that is stored can be used\n    ${remedy}\n`);
      expect(stdout.split(remedy)).toHaveLength(2);
      expect((await door.run(["login", "openai"], { stdin: "sk-new-0123456789" })).stderr).toBe(`ralph: ${remedy}\n`);
      expect((await door.run(["logout", "anthropic"])).stderr).toBe(`ralph: ${remedy}\n`);
      chmodSync(path, 0o600);
      writeFileSync(path, "not ours");
      const { code, stderr } = await door.run(ASK, { environment: NO_KEY });
      expect([code, stderr.includes("is damaged or not Ralph's")]).toEqual([3, true]);
      expect(readFileSync(path, "utf8")).toBe("not ours");
    },
    LONG_MS,
  );
});

test("a key is typed in a terminal without being shown", async () => {
  using door = await openFrontDoor();
  await using ralph = door.inTerminal(["login", "anthropic"], { environment: NO_KEY });
  await ralph.waitForOutput("nothing of it is shown");
  ralph.type(`${STORED}x\x7f\r`);
  const { code, screen } = await ralph.exited;
  expect([code, screen.includes("sk-ant-stored")]).toEqual([0, false]);
  await door.run(ASK, { environment: NO_KEY });
  expect(door.provider.requests[0]?.headers["x-api-key"]).toBe(STORED);
});

test.each([
  ["marked as one", `\x1b[200~${STORED}\nsk-ant-other-0123456789\x1b[201~\r`],
  ["not marked", `${STORED}\rsk-ant-other-0123456789\r`],
])("a paste of two lines, %s, is refused in a terminal like in a pipe", async (_, pasted) => {
  using door = await openFrontDoor();
  await using ralph = door.inTerminal(["login", "anthropic"], { environment: NO_KEY });
  await ralph.waitForOutput("nothing of it is shown");
  ralph.type(pasted);
  const { code, screen } = await ralph.exited;
  expect([code, screen.includes("sk-ant-"), existsSync(storePath(door))]).toEqual([1, false, false]);
  expect(screen).toContain("A key is one word, and this has spaces or several lines. Copy the key alone.");
});

test("without a name in a terminal the providers are shown to choose from; Ctrl-C leaves", async () => {
  using door = await openFrontDoor();
  await using ralph = door.inTerminal(["login"], { environment: NO_KEY });
  await ralph.waitForOutput(/3 {2}anthropic +Anthropic\n[\s\S]*Provider, by name or number: /);
  ralph.type("3\r");
  await ralph.waitForOutput("The key of Anthropic (nothing of it is shown): ");
  ralph.type("\x03");
  expect((await ralph.exited).code).toBe(1);
});
