import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type ConversationTerminal, startConversation } from "../support/conversation-terminal.ts";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { startLoginServer, type TestLoginServer } from "../support/login-server.ts";
import { type TempWorkspace, tempWorkspace } from "../support/temp-workspace.ts";

let server: TestLoginServer;
let provider: FakeProvider;
beforeAll(async () => {
  server = startLoginServer({ expiresIn: 3600 });
  provider = await startFakeProvider();
});
afterAll(() => {
  server.stop();
  provider.stop();
});

const STORED = "sk-ant-stored-0123456789";
const GIVEN = "sk-ant-given-0123456789";
const ANTHROPIC = ["--model", "anthropic/claude-sonnet-4-6"];

/** Wide enough for an address on one line. */
function converse(workspace: TempWorkspace, args: string[], environment: Record<string, string> = {}) {
  return startConversation(args, {
    workspace,
    columns: 1000,
    rows: 40,
    environment: {
      ANTHROPIC_BASE_URL: provider.origin,
      RALPH_LOGIN_ISSUER: server.issuer,
      RALPH_LOGIN_PORT: "0",
      ...environment,
    },
  });
}

function withCodex(): TempWorkspace {
  const workspace = tempWorkspace();
  workspace.write(
    "ralph-home/config/models.yml",
    `providers:\n  openai-codex:\n    baseUrl: ${provider.origin}/codex\n`,
  );
  return workspace;
}

/** Asks and gives back what opened the door. */
async function keyOfPrompt(ralph: ConversationTerminal, text: string): Promise<string | undefined> {
  ralph.type(`${text}\r`);
  for (;;) {
    const { headers, rawBody } = await provider.nextRequest();
    if (rawBody.includes(text)) return headers["x-api-key"] ?? headers.authorization;
  }
}

async function approved(ralph: ConversationTerminal): Promise<string> {
  const screen = await ralph.seeOnScreen(/\/oauth\/authorize\?\S+originator=ralph/);
  const [url = ""] = /http:\/\/127\.0\.0\.1:\d+\/oauth\/authorize\?\S+?originator=ralph/.exec(screen) ?? [];
  return server.approve(url);
}

describe("/login", () => {
  test("with a key: the conversation that runs uses it at once, and /logout ends that", async () => {
    await using workspace = tempWorkspace();
    await using ralph = converse(workspace, ANTHROPIC, { ANTHROPIC_API_KEY: GIVEN });
    await ralph.seeOnScreen(/^anthropic\/claude/m);
    expect(await keyOfPrompt(ralph, "first words")).toBe(GIVEN);
    await ralph.see("ok");
    ralph.type("/login anthropic\r");
    await ralph.seeOnScreen("The key of Anthropic");
    ralph.type(`${STORED}\r`);
    await ralph.see("The key of anthropic is stored, sealed, and used from now on. ANTHROPIC_API_KEY is set, too");
    expect(await keyOfPrompt(ralph, "second words")).toBe(STORED);
    ralph.type("/logout\r");
    await ralph.seeOnScreen(/Log out[\s\S]*stored key/);
    ralph.type("\r");
    await ralph.see("What was stored for anthropic is forgotten.");
    expect(await keyOfPrompt(ralph, "third words")).toBe(GIVEN);
    expect((await ralph.emulator.lines()).join("\n")).not.toContain(STORED);
  }, 30_000);

  test("with a browser: a wrong address is turned away, the right one logs in and fitting profiles are told", async () => {
    await using workspace = withCodex();
    await using ralph = converse(workspace, ANTHROPIC, { ANTHROPIC_API_KEY: GIVEN });
    await ralph.seeOnScreen(/^anthropic\/claude/m);
    ralph.type("/login\r");
    await ralph.seeOnScreen(/Log in[\s\S]*Add custom provider[\s\S]*with a subscription[\s\S]*ChatGPT subscription/);
    ralph.type("chatgpt\r");
    const redirect = await approved(ralph);
    ralph.type("code=1&state=2\r");
    await ralph.seeOnScreen("That is not taken: it is not an answer to this login.");
    ralph.type(`\x15${redirect}\r`);
    await ralph.see(/Logged in to openai-codex\.[\s\S]*profiles that fit:.*codex-medium/);
    ralph.type("/model openai-codex/gpt-5.5\r");
    await ralph.seeOnScreen(/^openai-codex\/gpt-5\.5/m);
    expect(await keyOfPrompt(ralph, "with a plan")).toBe(`Bearer ${server.accessToken()}`);
  }, 30_000);

  test("with a browser: Esc gives up and frees the port", async () => {
    await using workspace = withCodex();
    await using ralph = converse(workspace, ANTHROPIC, { ANTHROPIC_API_KEY: GIVEN });
    await ralph.seeOnScreen(/^anthropic\/claude/m);
    ralph.type("/login openai-codex\r");
    const redirect = await approved(ralph);
    ralph.type("\x1b");
    await ralph.see("Not done: The login was given up.");
    expect(await fetch(redirect).catch((error: Error & { code?: string }) => error.code)).toMatch(/refused/i);
    expect(workspace.find("ralph-home/data/credentials*")).toEqual([]);
  });

  test("a provider of one's own: what it is goes into models.yml, its key into the store", async () => {
    await using workspace = tempWorkspace();
    await using ralph = converse(workspace, ANTHROPIC, { ANTHROPIC_API_KEY: GIVEN });
    await ralph.seeOnScreen(/^anthropic\/claude/m);
    ralph.type("/login\r");
    await ralph.seeOnScreen("Add custom provider");
    ralph.type("\r");
    await ralph.seeOnScreen("what it is called");
    ralph.type("openai\r");
    await ralph.seeOnScreen("There is a provider openai already.");
    ralph.type("\x15my-own\r");
    await ralph.seeOnScreen("its address");
    ralph.type(`\x15${provider.origin}/v1\r`);
    await ralph.seeOnScreen("What does it speak?");
    ralph.type("completions\r");
    await ralph.seeOnScreen("its models, with commas");
    ralph.type("some-model\r");
    await ralph.seeOnScreen("Does my-own want a key?");
    ralph.type("\r");
    await ralph.seeOnScreen("The key of my-own");
    ralph.type("own-key-0123456789\r");
    await ralph.see(/The provider my-own is in .*models\.yml\./);
    expect(workspace.read("ralph-home/config/models.yml")).toBe(
      `providers:\n  my-own:\n    baseUrl: ${provider.origin}/v1\n    api: openai-completions\n    apiKeyEnv: MY_OWN_API_KEY\n    models:\n      - id: some-model\n`,
    );
    ralph.type("/model my-own/some-model\r");
    await ralph.seeOnScreen(/^my-own\/some-model/m);
    expect(await keyOfPrompt(ralph, "to my own")).toBe("Bearer own-key-0123456789");
  }, 30_000);
});

test("a key behind the name of a provider is not repeated and not kept with the prompts", async () => {
  await using workspace = tempWorkspace();
  await using ralph = converse(workspace, ANTHROPIC, { ANTHROPIC_API_KEY: GIVEN });
  await ralph.seeOnScreen(/^anthropic\/claude/m);
  ralph.type(`/login anthropic ${STORED}\r`);
  await ralph.see("Name the provider alone: its key is asked for next, and shown nowhere.");
  ralph.type("ordinary words\r");
  await ralph.see("ok");
  ralph.type("\x04");
  await ralph.exited;
  const files = workspace.find("ralph-home/**/*").map((path) => workspace.read(path));
  expect([files.some((text) => text.includes("ordinary words")), files.some((text) => text.includes(STORED))]).toEqual([
    true,
    false,
  ]);
});

describe("the first time", () => {
  test("a key is kept in the store, not in models.yml, and the next start needs no question", async () => {
    await using workspace = tempWorkspace();
    {
      await using ralph = converse(workspace, []);
      await ralph.seeOnScreen("with a key of a provider");
      ralph.type("key of\r");
      await ralph.seeOnScreen("Whose key do you have?");
      ralph.type("anthropic\r");
      await ralph.seeOnScreen("The key of Anthropic");
      ralph.type(`${STORED}\r`);
      await ralph.seeOnScreen("For how long?");
      ralph.type("\r");
      await ralph.seeOnScreen("Ready. Write what you want done");
      expect(await keyOfPrompt(ralph, "kept words")).toBe(STORED);
    }
    expect(workspace.find("ralph-home/config/models.yml")).toEqual([]);
    expect(readFileSync(join(workspace.home, "data/credentials.db"), "utf8")).not.toContain(STORED);
    await using again = converse(workspace, []);
    await again.seeOnScreen(/^anthropic\//m);
  }, 30_000);

  test("a plan is logged in to with a browser", async () => {
    await using workspace = withCodex();
    await using ralph = converse(workspace, []);
    await ralph.seeOnScreen("with a ChatGPT plan");
    ralph.type("chatgpt\r");
    await fetch(await approved(ralph));
    await ralph.see("Logged in to openai-codex.");
    await ralph.seeOnScreen(/^openai-codex\//m);
    expect(await keyOfPrompt(ralph, "planned words")).toBe(`Bearer ${server.accessToken()}`);
  }, 30_000);
});
