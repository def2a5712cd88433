import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  AuthStorage,
  buildSystemPrompt,
  type CreateAgentSessionOptions,
  createAgentSession,
  discoverContextFiles,
  discoverPromptTemplates,
  ModelRegistry,
  SessionManager,
  Settings,
} from "../../src/sdk.ts";
import { textAnswer } from "../support/fake-answer.ts";
import { KEY } from "../support/front-door.ts";
import { bodies, openSdkDoor, type SdkDoor, saidIn } from "../support/sdk-door.ts";

let door: SdkDoor;

beforeEach(async () => {
  door = await openSdkDoor();
});
afterEach(() => door[Symbol.asyncDispose]());

describe("what is left out is found", () => {
  test("context files and commands, as the command line finds them", async () => {
    door.workspace.write("project/.git/HEAD", "ref: refs/heads/main\n");
    door.workspace.write("project/AGENTS.md", "Use tabs.\nSee @style.md");
    door.workspace.write("project/style.md", "Short lines.");
    door.workspace.write("ralph-home/config/AGENTS.md", "Be brief.");
    door.workspace.write("ralph-home/config/commands/fix.md", "Fix $ARGUMENTS");
    const { agentDir, workspace } = door;
    expect(await discoverContextFiles(workspace.project, agentDir)).toEqual([
      { path: "AGENTS.md", content: "Use tabs.\nSee @style.md", kind: "project" },
      { path: "style.md", content: "Short lines.", kind: "reference" },
      { path: `${agentDir}/config/AGENTS.md`, content: "Be brief.", kind: "personal" },
    ]);
    const templates = await discoverPromptTemplates(workspace.project, agentDir);
    expect(templates.map(({ name, expand }) => [name, expand("it")])).toEqual([["fix", "Fix it"]]);
    const { session } = await door.create();
    await session.prompt("/fix the bug");
    const [body] = bodies(door);
    expect(body === undefined ? [] : saidIn(body)).toEqual(["Fix the bug"]);
    expect(session.systemPrompt).toBe(await buildSystemPrompt({ cwd: workspace.project, agentDir }));
    expect(session.systemPrompt).toContain('<instructions path="AGENTS.md">\nUse tabs.');
  });

  test("and what is given takes its place", async () => {
    door.workspace.write("project/AGENTS.md", "Use tabs.");
    const prompts = async (options: CreateAgentSessionOptions) => (await door.create(options)).session.systemPrompt;
    const own = await buildSystemPrompt({ contextFiles: [] });
    const file = { path: "mine.md", content: "Mine." };
    const mine = '<instructions path="mine.md">\nMine.\n</instructions>';
    expect(await prompts({ contextFiles: [] })).toBe(own);
    expect(await prompts({ contextFiles: [file] })).toBe(`${own}\n\n${mine}`);
    expect(await prompts({ systemPrompt: "You are a parrot." })).toBe("You are a parrot.");
    expect(await prompts({ systemPrompt: "You are a parrot.", contextFiles: [file] })).toBe(
      `You are a parrot.\n\n${mine}`,
    );
    expect(await prompts({ systemPrompt: (built) => built.toUpperCase() })).toContain("USE TABS.");
  });

  test("the home is that of agentDir, and the environment the one that is given", async () => {
    const agentDir = `${door.workspace.root}/elsewhere`;
    const { session } = await door.create({ agentDir });
    await session.prompt("hello");
    expect(session.sessionFile).toStartWith(`${agentDir}/data/sessions/`);
    expect(door.provider.requests[0]?.headers["x-api-key"]).toBe(KEY);
    expect(await SessionManager.list(door.workspace.project, agentDir)).toHaveLength(1);
    expect(await SessionManager.list(door.workspace.project, door.agentDir)).toEqual([]);
    const fresh = await SessionManager.continueRecent(door.workspace.project, door.agentDir);
    expect([fresh.sessionFile, fresh.isPersistent]).toEqual([undefined, true]);
  });
});

describe("settings", () => {
  test("are read from files, or isolated from them", async () => {
    door.workspace.write("ralph-home/config/config.yml", "effort: high\n");
    const { environment, workspace } = door;
    const found = await Settings.init({ cwd: workspace.project, environment });
    expect([found.get("effort"), found.get("compaction.enabled")]).toEqual(["high", true]);
    const alone = Settings.isolated({ "compaction.enabled": false });
    expect([alone.get("effort"), alone.get("compaction.enabled"), alone.problems]).toEqual([undefined, false, []]);
    const { session } = await door.create({ settings: alone });
    const state = await session.state();
    expect([state.autoCompactionEnabled, state.thinkingLevel]).toEqual([false, "medium"]);
  });

  test("that are none, or have the wrong value, are refused", () => {
    const wrong = { "retry.enabled": true } as unknown as Parameters<typeof Settings.isolated>[0];
    expect(() => Settings.isolated(wrong)).toThrow("Settings.isolated: retry.enabled: there is no such setting");
    expect(() => Settings.isolated({ effort: "huge" as "high" })).toThrow("effort: it must be one of off, minimal");
  });
});

describe("models and keys", () => {
  const house = (origin: string, more = {}) => ({
    house: {
      api: "openai-completions" as const,
      baseUrl: `${origin}/v1`,
      apiKeyEnv: "HOUSE_KEY",
      models: [{ id: "small", contextWindow: 32_000, maxTokens: 4_000, ...more }],
    },
  });

  test("a key is the one set here, then that of the environment, then that of models.yml", async () => {
    door.workspace.write(
      "ralph-home/config/models.yml",
      JSON.stringify({ providers: { anthropic: { baseUrl: door.provider.origin, apiKey: "from-the-file" } } }),
    );
    const { ANTHROPIC_API_KEY: _, ...without } = door.environment;
    const auth = new AuthStorage({ environment: without });
    expect(await auth.getApiKey("anthropic")).toBe("from-the-file");
    expect(await new AuthStorage({ environment: door.environment }).getApiKey("anthropic")).toBe(KEY);
    auth.setRuntimeApiKey("anthropic", "set-here");
    expect(await auth.getApiKey("anthropic")).toBe("set-here");
    const { session } = await door.create({ authStorage: auth });
    await session.prompt("hello");
    expect(door.provider.requests[0]?.headers["x-api-key"]).toBe("set-here");
    auth.removeRuntimeApiKey("anthropic");
    expect(await auth.getApiKey("anthropic")).toBe("from-the-file");
    expect(await auth.getApiKey("openai")).toBeUndefined();
    expect(() => auth.setRuntimeApiKey("openai", " ")).toThrow("must not be empty");
  });

  test("a registry of one's own has its models, and no file counts", async () => {
    door.workspace.write("ralph-home/config/models.yml", "broken: [");
    const auth = new AuthStorage({ environment: door.environment });
    const registry = new ModelRegistry(auth, {
      environment: door.environment,
      settings: Settings.isolated({ disabledProviders: ["anthropic"], "discovery.local": false }),
      providers: house(door.provider.origin),
    });
    expect(() => registry.getAvailable()).toThrow("Await refresh() first");
    await registry.refresh();
    expect([registry.getAvailable(), registry.find("house", "small")?.contextWindow]).toEqual([[], 32_000]);
    auth.setRuntimeApiKey("house", "house-key");
    await registry.refresh();
    const [model, ...others] = registry.getAvailable();
    expect([model?.id, others, registry.getAll().length > 50]).toEqual(["small", [], true]);
    door.provider.answer(textAnswer("I am small"));
    const { session } = await door.create({ modelRegistry: registry, model, authStorage: auth });
    expect((await session.prompt("who?")).text).toBe("I am small");
    expect(door.provider.requests.find(({ path }) => path.includes("completions"))?.headers.authorization).toBe(
      "Bearer house-key",
    );
    expect(session.notices).toEqual([]);
  });

  test("a model the registry does not have, or has differently, is refused", async () => {
    const auth = new AuthStorage({ environment: door.environment });
    const registry = new ModelRegistry(auth, { environment: door.environment, providers: house(door.provider.origin) });
    await registry.load();
    const model = registry.find("house", "small");
    if (model === undefined) throw new Error("there is no model");
    const changed = { ...model, maxTokens: 1 };
    const why = "Describe it in the providers of a ModelRegistry.";
    await expect(door.create({ modelRegistry: registry, model: changed })).rejects.toThrow(
      `The model house/small is not the one the model registry has. ${why}`,
    );
    await expect(door.create({ model })).rejects.toThrow(`The model house/small is not in the model registry. ${why}`);
    const broken = new ModelRegistry(auth, { providers: house(door.provider.origin, { contextWindow: -1 }) });
    await expect(broken.refresh()).rejects.toThrow("providers.house.models[0].contextWindow");
  });

  test("the first model with a key answers, how hard it thinks is chosen, and its host is connected to beforehand", async () => {
    const { session } = await door.create({ thinkingLevel: "high" });
    expect([session.model?.provider, (await session.state()).thinkingLevel]).toEqual(["anthropic", "high"]);
    while (door.provider.connections() === 0) await new Promise(setImmediate);
    expect(door.provider.requests).toEqual([]);
    await session.prompt("hello");
    expect(door.provider.connections()).toBe(1);
    await expect(door.create({ modelPattern: "anthropic/claude-haiku-4-5", thinkingLevel: "max" })).rejects.toThrow(
      "does not take",
    );
  });

  test("a host nobody answers at is no reason to fail before a prompt", async () => {
    const { session } = await door.create({
      environment: { ...door.environment, ANTHROPIC_BASE_URL: "http://127.0.0.1:9", RALPH_RETRIES: "0" },
      settings: Settings.isolated({ "retry.beforeFirstByte": 0 }),
    });
    expect((await session.prompt("hello")).outcome.type).toBe("failed");
  });
});

test.each([
  ["enableLsp", { enableLsp: true }, "enableLsp: Ralph has no language servers yet."],
  ["two models", { model: {} as never, modelPattern: "x" }, "Give model or modelPattern, not both."],
  ["tools twice", { tools: [], toolNames: [] }, "tools are all the tools there are"],
  ["a depth that is none", { taskDepth: -1 }, "taskDepth has to be a whole number from 0 to 32."],
  ["a prefix that leaves the folder", { parentTaskPrefix: "../x" }, "parentTaskPrefix becomes part of file names"],
  ["a folder that is none", { cwd: "/nowhere/at/all" }, "/nowhere/at/all is not a folder. Give another cwd."],
  [
    "two folders",
    { cwd: "/", sessionManager: SessionManager.inMemory("/tmp") },
    "cwd is /, and the session manager was made for /tmp. Give one.",
  ],
  [
    "two storages",
    { authStorage: new AuthStorage(), modelRegistry: new ModelRegistry(new AuthStorage()) },
    "The model registry was made with another authStorage.",
  ],
] as [string, CreateAgentSessionOptions, string][])(
  "%s: what cannot be done is refused",
  async (_, options, message) => {
    await expect(createAgentSession({ environment: door.environment, ...options })).rejects.toThrow(message);
  },
);

test("no language server is started, and that is said by saying nothing", async () => {
  const made = await door.create({ enableLsp: false, hasUI: true });
  expect("lspServers" in made).toBe(false);
});
