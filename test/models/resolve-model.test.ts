import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { builtInProviderModels } from "../../src/models/catalogue.ts";
import { DEFAULT_MODELS } from "../../src/models/default-models.ts";
import { loadRegistry } from "../../src/models/load-registry.ts";
import { selectorOf } from "../../src/models/merge.ts";
import { fingerprintOf, readModelCache, writeModelCache } from "../../src/models/model-cache.ts";
import { type ResolveModelInput, resolveModel } from "../../src/models/resolve-model.ts";
import { openDatabase } from "../../src/system/sqlite.ts";
import { modelNamed, temporaryDirectory } from "../support/model-fixtures.ts";

let directory: { path: string; remove: () => void };
const stops: (() => unknown)[] = [];
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
  directory.remove();
});

/** Nothing listens at these, so that servers on the machine play no part. */
const NO_SERVERS = {
  OLLAMA_BASE_URL: "http://127.0.0.1:9",
  LLAMA_CPP_BASE_URL: "http://127.0.0.1:9",
  LM_STUDIO_BASE_URL: "http://127.0.0.1:9/v1",
};

function run(over: Partial<ResolveModelInput> & { environment?: Record<string, string> } = {}) {
  const { path } = directory;
  const environment = { ...NO_SERVERS, ...over.environment };
  return resolveModel({ settings: {}, configDirectory: path, home: path, cwd: path, ...over, environment });
}

async function brief(over: Parameters<typeof run>[0]) {
  const found = await run(over);
  return found.ok ? `${selectorOf(found.model)}:${found.effort}` : found.problem.type;
}

function writeModels(text: string): string {
  const path = join(directory.path, "models.yml");
  writeFileSync(path, text);
  return path;
}

const KEYS = { ANTHROPIC_API_KEY: "a-key", OPENAI_API_KEY: "o-key" };
const SONNET =
  builtInProviderModels("anthropic").find(({ id }) => id === "claude-sonnet-5") ?? modelNamed("anthropic/missing");

describe("resolveModel", () => {
  test("answers with model, effort and key", async () => {
    expect(await run({ selector: "anthropic/claude-sonnet-5:high", environment: KEYS })).toEqual({
      ok: true,
      model: SONNET,
      effort: "high",
      credential: { type: "key", key: "a-key" },
      origin: { type: "environment", variable: "ANTHROPIC_API_KEY" },
      notes: [],
    });
  });

  test("takes the effort of the flag before the selector's before the model's own", async () => {
    expect([
      await brief({ selector: "claude-sonnet-5:low", effort: "high", environment: KEYS }),
      await brief({ selector: "claude-sonnet-5:low", environment: KEYS }),
      await brief({ selector: "claude-sonnet-5", environment: KEYS }),
      await brief({ selector: "claude-sonnet-5", effort: "hihg", environment: KEYS }),
      await brief({ selector: "claude-sonnet-5", effort: "minimal", environment: KEYS }),
    ]).toEqual([
      "anthropic/claude-sonnet-5:high",
      "anthropic/claude-sonnet-5:low",
      "anthropic/claude-sonnet-5:medium",
      "unknown-effort",
      "unsupported-effort",
    ]);
  });

  test("chooses by itself: saved role, then the default of a provider with a key, then nothing (B-054)", async () => {
    const settings = { modelRoles: { default: "openai/gpt-5.5:low" } };
    expect([
      await brief({ settings, environment: KEYS }),
      await brief({ environment: { OPENAI_API_KEY: "k" } }),
      await brief({ settings: { modelProviderOrder: ["openai"] }, environment: KEYS }),
      await brief({ settings: { disabledProviders: ["anthropic"] }, environment: KEYS }),
      await brief({}),
    ]).toEqual([
      "openai/gpt-5.5:low",
      expect.stringContaining(`openai/${DEFAULT_MODELS.openai}:`),
      expect.stringContaining(`openai/${DEFAULT_MODELS.openai}:`),
      expect.stringContaining(`openai/${DEFAULT_MODELS.openai}:`),
      "no-model",
    ]);
  });

  test("says why a saved model is passed over", async () => {
    const found = await run({
      settings: { modelRoles: { default: "openai/gpt-5.5" } },
      environment: { ANTHROPIC_API_KEY: "k" },
    });
    expect(found.notes[0]).toStartWith("The saved model openai/gpt-5.5 is not used: No key for OpenAI.");
    expect(found.ok && selectorOf(found.model)).toBe(`anthropic/${DEFAULT_MODELS.anthropic}`);
  });

  test("starts with the first model of --models, unless a session is resumed (B-054)", async () => {
    const settings = { modelRoles: { default: "openai/gpt-5.5:low" } };
    expect([
      await brief({ settings, models: ["*opus-5:low"], environment: KEYS }),
      await brief({ settings, models: ["*opus-5:low"], resuming: true, environment: KEYS }),
    ]).toEqual(["anthropic/claude-opus-5:low", "openai/gpt-5.5:low"]);
  });

  test("understands roles, tiers and the legacy --provider", async () => {
    const settings = { modelRoles: { planner: "anthropic/claude-opus-5:low", simple: "pi/planner:high" } };
    expect([
      await brief({ selector: "planner", settings, environment: KEYS }),
      await brief({ selector: "simple", settings, environment: KEYS }),
      await brief({ selector: "ralph/simple:max", settings, environment: KEYS }),
      await brief({ provider: "anthropic", selector: "claude-opus-5", environment: KEYS }),
      await brief({ selector: "planner", settings: { modelRoles: { planner: "planner" } }, environment: KEYS }),
    ]).toEqual([
      "anthropic/claude-opus-5:low",
      "anthropic/claude-opus-5:high",
      "anthropic/claude-opus-5:max",
      "anthropic/claude-opus-5:medium",
      "role-cycle",
    ]);
  });

  test("names what is missing for a model that is named", async () => {
    expect(await run({ selector: "anthropic/claude-sonnet-5" })).toEqual({
      ok: false,
      problem: {
        type: "no-credential",
        message:
          "No key for Anthropic. Run ralph login anthropic, set ANTHROPIC_API_KEY, or pass --api-key. A key comes from https://console.anthropic.com/settings/keys.",
        provider: "anthropic",
        variables: ["ANTHROPIC_API_KEY"],
      },
      notes: [],
    });
    expect(await brief({ selector: "anthropic/claude-sonnet-5", apiKey: "k" })).toBe(
      "anthropic/claude-sonnet-5:medium",
    );
    expect(await brief({ selector: "azure-openai/gpt-5.5", environment: { AZURE_OPENAI_API_KEY: "k" } })).toBe(
      "no-address",
    );
    expect(await brief({ selector: "clade-sonet-9", environment: KEYS })).toBe("unknown-model");
    expect(
      await brief({
        selector: "anthropic/claude-sonnet-5",
        settings: { disabledProviders: ["anthropic"] },
        environment: KEYS,
      }),
    ).toBe("unavailable-model");
  });

  test("keeps built-in models working over a broken models.yml and shows what is wrong (B-061)", async () => {
    const path = writeModels("providers:\n  p:\n    baseURL: https://p.test\n");
    const found = await run({ selector: "anthropic/claude-sonnet-5", environment: KEYS });
    expect(found).toMatchObject({ ok: true, model: SONNET });
    expect(found.notes).toEqual([
      `${path}:3:5: providers.p.baseURL: "baseURL" is not a key of providers.p. Did you mean "baseUrl"? Otherwise remove it.`,
      "Only built-in models are used until this is corrected.",
    ]);
  });

  test("uses models.yml: its models, keys, roles and profiles", async () => {
    writeModels(`providers:
  mine: { baseUrl: "https://mine.test/v1", apiKey: MINE_KEY, api: openai-completions, authHeader: true, models: [{ id: m, reasoning: true }] }
modelBindings: { modelRoles: { default: "mine/m:low" } }
profiles: { fast: { required_providers: [mine], model_mapping: { default: "mine/m:max" } }, closed: { required_providers: [openai], model_mapping: { default: mine/m } } }
`);
    const environment = { MINE_KEY: "secret" };
    expect(await run({ environment })).toEqual({
      ok: true,
      model: modelNamed("mine/m", {
        baseUrl: "https://mine.test/v1",
        authHeader: true,
        reasoning: true,
        tools: false,
        contextWindow: 4096,
        maxTokens: 1024,
      }),
      effort: "low",
      credential: { type: "key", key: "secret" },
      origin: { type: "models.yml", variable: "MINE_KEY" },
      notes: [],
    });
    const fast = await run({ profile: "fast", environment });
    expect([fast.ok && fast.effort, fast.notes]).toEqual([
      "high",
      ['default: mine/m has no effort "max", so "high" is used.'],
    ]);
    expect([
      await brief({ profile: "closed", environment }),
      await brief({ profile: "fats", environment }),
      await brief({ settings: { modelProfile: "closed" }, environment }),
    ]).toEqual(["no-credential", "unknown-profile", "mine/m:low"]);
  });

  test("plays scripts without a key", async () => {
    const found = await run({ selector: "scripted/some/script.yml:low" });
    expect(found).toMatchObject({
      ok: true,
      effort: "low",
      credential: { type: "none" },
      model: { id: "some/script.yml", baseUrl: "some/script.yml" },
    });
    expect(await run({ selector: "scripted/demo" })).toMatchObject({ ok: true, model: { baseUrl: "demo:" } });
  });

  test("asks a local server for a model nobody else knows, remembers the answer, and lists it", async () => {
    const asked: string[] = [];
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch(request) {
        const { pathname } = new URL(request.url);
        asked.push(pathname);
        if (pathname === "/api/tags") return Response.json({ models: [{ name: "llama3:8b" }] });
        return pathname === "/api/show"
          ? Response.json({ model_info: { "llama.context_length": 8192 } })
          : new Response("", { status: 404 });
      },
    });
    stops.push(() => server.stop(true));
    const OLLAMA_BASE_URL = `http://127.0.0.1:${server.port}`;
    const cache = { path: join(directory.path, "cache", "models.db"), now: () => 1 };
    const first = await run({ selector: "ollama/llama3:8b", cache, environment: { OLLAMA_BASE_URL } });
    expect(first).toEqual({
      ok: true,
      model: modelNamed("ollama/llama3:8b", {
        api: "openai-responses",
        baseUrl: OLLAMA_BASE_URL,
        auth: "none",
        contextWindow: 8192,
        maxTokens: 8192,
      }),
      effort: "off",
      credential: { type: "none" },
      origin: { type: "not-needed" },
      notes: [],
    });
    expect(await run({ selector: "llama3:8b", cache, environment: { OLLAMA_BASE_URL } })).toEqual(first);
    expect(asked).toEqual(["/api/tags", "/api/show", "/api/show"]);
    expect(await brief({ environment: { OLLAMA_BASE_URL } })).toBe("ollama/llama3:8b:off");
    writeModels(
      "providers: {ollama: {api: ollama-chat, auth: none, discovery: {type: ollama}, modelOverrides: {llama3:8b: {contextWindow: 5}}}}",
    );
    expect(await run({ selector: "llama3:8b", environment: { OLLAMA_BASE_URL } })).toMatchObject({
      ok: true,
      model: { api: "ollama-chat", contextWindow: 5 },
    });
    rmSync(join(directory.path, "models.yml"));
    const remembered = async (environment: Record<string, string>) => {
      const input = { settings: {}, configDirectory: directory.path, home: directory.path, cwd: directory.path };
      const { registry } = await loadRegistry({ ...input, environment, cache }, { discover: false });
      return registry.getAvailable().map(selectorOf);
    };
    // What a server listed counts only while that server is configured: a prompt never goes to one that is not.
    expect([await remembered({ OLLAMA_BASE_URL }), await remembered(NO_SERVERS)]).toEqual([["ollama/llama3:8b"], []]);
  });

  test("a server that listed models and is gone is neither listed nor started with", async () => {
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => Response.json({ models: [{ name: "llama3:8b" }] }),
    });
    const environment = { ...NO_SERVERS, OLLAMA_BASE_URL: `http://127.0.0.1:${server.port}` };
    const cache = { path: join(directory.path, "cache", "models.db"), now: () => 1 };
    const input = { settings: {}, configDirectory: directory.path, home: directory.path, cwd: directory.path };
    const listed = async () =>
      (await loadRegistry({ ...input, environment, cache }, { discover: true })).registry
        .getAvailable()
        .map(selectorOf);
    const before = await listed();
    await server.stop(true);
    expect([before, await listed(), (await run({ environment, cache })).ok]).toEqual([["ollama/llama3:8b"], [], false]);
  });

  test("an effort behind a role that is bound to nothing counts for the model that is used instead", async () => {
    const chosen = await run({ selector: "planner:low", environment: KEYS });
    expect(chosen.ok && chosen.effort).toBe("low");
  });

  test("asks no server when the model is known", async () => {
    let asked = 0;
    const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(String(++asked)) });
    stops.push(() => server.stop(true));
    const url = `http://127.0.0.1:${server.port}`;
    const environment = { ...KEYS, OLLAMA_BASE_URL: url, LLAMA_CPP_BASE_URL: url, LM_STUDIO_BASE_URL: `${url}/v1` };
    for (const selector of ["anthropic/claude-sonnet-5", "claude-sonnet-5", "sonnet-5", undefined])
      await run({ selector, environment });
    expect(asked).toBe(0);
  });
});

describe("the cache of discovered models (B-044)", () => {
  const known = [modelNamed("gate/built-in", { name: "As built in" })];
  const listed = [modelNamed("gate/built-in", { name: "As listed" }), modelNamed("gate/new")];

  test("keeps schema 3 and returns a list verbatim while its fingerprint matches", async () => {
    const path = join(directory.path, "models.db");
    await writeModelCache(path, {
      found: [
        { provider: "gate", models: listed },
        { provider: "down", models: [], problem: "no" },
      ],
      staticModels: () => known,
      now: 7,
    });
    const opened = await openDatabase(path, { migrations: ["", "", ""] });
    if (!opened.ok) throw new Error(opened.message);
    const rows = opened.database.read((connection) => [
      connection.query("PRAGMA user_version").get(),
      connection.query("SELECT provider, fetched_at, static_fingerprint FROM model_cache").all(),
    ]);
    expect(rows).toEqual({
      ok: true,
      value: [{ user_version: 3 }, [{ provider: "gate", fetched_at: 7, static_fingerprint: fingerprintOf(known) }]],
    });
    // A mark that merging would remove shows whether the list was touched.
    const marked = [modelNamed("gate/built-in", { name: "Marked" })];
    await opened.database.write((connection) =>
      connection.query("UPDATE model_cache SET models = ?").run(JSON.stringify(marked)),
    );
    await opened.database.close();
    expect(await readModelCache(path, () => known)).toEqual(marked);
    expect(await readModelCache(path, () => [...known, modelNamed("gate/newer")])).toEqual([
      ...known,
      modelNamed("gate/newer"),
    ]);
  });

  test("is empty where it is missing, damaged or not ours", async () => {
    const path = join(directory.path, "models.db");
    expect([await readModelCache(path, () => []), existsSync(path)]).toEqual([[], false]);
    writeFileSync(path, "this is not a database, and it is long enough to be looked at as one".repeat(50));
    expect(await readModelCache(path, () => [])).toEqual([]);
    await writeModelCache(path, { found: [{ provider: "gate", models: listed }], staticModels: () => [], now: 1 });
  });
});

describe("a start without models.yml", () => {
  test("loads neither zod nor a database (only what is imported when needed may use them)", () => {
    const seen = new Set<string>();
    const outside = new Set<string>();
    const visit = (file: string) => {
      if (seen.has(file) || !file.endsWith(".ts")) return;
      seen.add(file);
      const source = readFileSync(file, "utf8");
      for (const [, clause = "", from = ""] of source.matchAll(
        /^(?:import|export)\s+((?:type\s)?[^;]*?)from\s+"([^"]+)"/gm,
      )) {
        if (clause.startsWith("type ") || onlyTypes(clause)) continue;
        if (from.startsWith(".")) visit(resolve(dirname(file), from));
        else outside.add(from);
      }
    };
    visit(resolve(import.meta.dir, "../../src/models/resolve-model.ts"));
    expect(seen.size).toBeGreaterThan(10);
    expect([...outside].sort()).toEqual(["node:fs", "node:path"]);
  });
});

function onlyTypes(clause: string): boolean {
  const names =
    /\{([^}]*)\}/
      .exec(clause)?.[1]
      ?.split(",")
      .map((name) => name.trim())
      .filter(Boolean) ?? [];
  return names.length > 0 && names.every((name) => name.startsWith("type "));
}
