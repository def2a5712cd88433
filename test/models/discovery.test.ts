import { afterEach, describe, expect, test } from "bun:test";
import {
  type DiscoverySource,
  discoverModels,
  discoverProvider,
  discoverySources,
  withOllamaDetails,
} from "../../src/models/discovery.ts";
import { safeId } from "../../src/models/discovery-http.ts";
import { modelNamed, modelsFileFrom } from "../support/model-fixtures.ts";

type Route = (request: Request) => Response | Promise<Response>;

const servers: { stop: (closeActive?: boolean) => unknown }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.stop(true);
});

/** A server on loopback that answers the given paths and 404 elsewhere. */
function serve(routes: Record<string, Route | object>): { url: string; asked: string[] } {
  const asked: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const path = new URL(request.url).pathname;
      asked.push(`${request.method} ${path}`);
      const route = routes[path];
      if (route === undefined) return new Response("no", { status: 404 });
      return typeof route === "function" ? (route as Route)(request) : Response.json(route);
    },
  });
  servers.push(server);
  return { url: `http://127.0.0.1:${server.port}`, asked };
}

function source(type: DiscoverySource["type"], baseUrl: string, over: Partial<DiscoverySource> = {}): DiscoverySource {
  return { provider: type, type, api: "openai-responses", baseUrl, auth: "none", explicit: true, ...over };
}

function local(selector: string, baseUrl: string, over = {}) {
  return modelNamed(selector, { api: "openai-responses", baseUrl, auth: "none", ...over });
}

describe("discoverProvider", () => {
  test("lists the models of Ollama without asking about each of them (B-048)", async () => {
    const { url, asked } = serve({
      "/api/tags": { models: [{ name: "llama3:8b", model: "llama3:8b" }, { name: "qwen3:4b" }] },
    });
    expect(await discoverProvider(source("ollama", `${url}/v1`), undefined)).toEqual({
      provider: "ollama",
      models: [
        local("ollama/llama3:8b", `${url}/v1`, { contextWindow: 32_768, maxTokens: 8192 }),
        local("ollama/qwen3:4b", `${url}/v1`, { contextWindow: 32_768, maxTokens: 8192, thinkingTags: true }),
      ],
    });
    expect(asked).toEqual(["GET /api/tags"]);
  });

  test("asks Ollama about one model when it is used", async () => {
    const show: Route = async (request) => {
      const { model } = (await request.json()) as { model: string };
      return Response.json({
        capabilities: ["completion", "tools", "vision", "thinking"],
        model_info: { "llama.context_length": model === "llama3:8b" ? 131_072 : 1 },
      });
    };
    const { url } = serve({ "/api/show": show });
    const model = local("ollama/llama3:8b", url, { tools: false });
    expect(await withOllamaDetails(model)).toEqual({
      ...model,
      contextWindow: 131_072,
      tools: true,
      reasoning: true,
      input: ["text", "image"],
    });
    expect(await withOllamaDetails({ ...model, baseUrl: `${url}/elsewhere` })).toEqual({
      ...model,
      baseUrl: `${url}/elsewhere`,
    });
  });

  test("takes the window llama.cpp runs with (B-048)", async () => {
    const { url } = serve({
      "/v1/models": { data: [{ id: "gemma.gguf", meta: { n_ctx_train: 131_072 } }] },
      "/props": { default_generation_settings: { n_ctx: 8192 }, modalities: { vision: true } },
    });
    expect(await discoverProvider(source("llama.cpp", url), undefined)).toEqual({
      provider: "llama.cpp",
      models: [local("llama.cpp/gemma.gguf", url, { contextWindow: 8192, maxTokens: 2048, input: ["text", "image"] })],
    });
  });

  test("takes windows and abilities from LM Studio's own list where it has one, and leaves out embedding models (B-048)", async () => {
    const list = { data: [{ id: "qwen2-vl" }, { id: "text-embedding-nomic" }, { id: "vectors" }] };
    const own = {
      data: [
        {
          id: "qwen2-vl",
          type: "vlm",
          max_context_length: 32_768,
          loaded_context_length: 4096,
          capabilities: ["tool_use"],
        },
        { id: "vectors", type: "embeddings" },
      ],
    };
    const { url } = serve({ "/v1/models": list, "/api/v0/models": own });
    expect(await discoverProvider(source("lm-studio", `${url}/v1/`), undefined)).toEqual({
      provider: "lm-studio",
      models: [
        local("lm-studio/qwen2-vl", `${url}/v1/`, {
          contextWindow: 4096,
          maxTokens: 1024,
          thinkingTags: true,
          input: ["text", "image"],
        }),
      ],
    });
    const plain = serve({ "/v1/models": list });
    const found = await discoverProvider(source("lm-studio", `${plain.url}/v1`), undefined);
    expect(found.models.map(({ id, contextWindow }) => [id, contextWindow])).toEqual([
      ["qwen2-vl", 32_768],
      ["vectors", 4096],
    ]);
  });

  test("sends key and headers to a general list of models and reads what gateways add (B-031)", async () => {
    const seen: (string | null)[] = [];
    const list: Route = (request) => {
      seen.push(request.headers.get("authorization"), request.headers.get("x-team"));
      return Response.json({
        data: [
          {
            id: "vendor/gpt-x:free",
            name: "GPT X",
            context_length: 1000,
            top_provider: { max_completion_tokens: 100 },
            supported_parameters: ["tools", "reasoning"],
            architecture: { input_modalities: ["text", "image"] },
          },
        ],
      });
    };
    const { url } = serve({ "/api/models": list });
    const headers = { "X-Team": "t" };
    const asked = source("openai-models-list", `${url}/api`, { provider: "gate", auth: "apiKey", headers });
    expect(await discoverModels([asked], async () => "secret")).toEqual([
      {
        provider: "gate",
        models: [
          local("gate/vendor/gpt-x:free", `${url}/api`, {
            name: "GPT X",
            auth: "apiKey",
            headers,
            contextWindow: 1000,
            maxTokens: 100,
            reasoning: true,
            input: ["text", "image"],
          }),
        ],
      },
    ]);
    expect(seen).toEqual(["Bearer secret", "t"]);
  });

  test("says what is wrong with a server, and never fails", async () => {
    const { url } = serve({
      "/broken/models": () => new Response("{nope"),
      "/moved/models": () => Response.redirect("http://192.0.2.1/models"),
      "/large/models": () => new Response(`"${"x".repeat(2_200_000)}"`),
      "/odd/models": { data: { not: "a list" } },
    });
    const problems = async (path: string) =>
      (await discoverProvider(source("openai-models-list", `${url}/${path}`), undefined)).problem;
    expect([
      await problems("broken"),
      await problems("moved"),
      await problems("large"),
      await problems("odd"),
      await problems("none"),
    ]).toEqual([
      `openai-models-list: ${url}/broken/models answered with something that is not JSON.`,
      `openai-models-list: ${url}/moved/models answered with status 302.`,
      `openai-models-list: ${url}/large/models answered with more than 2 MB.`,
      undefined,
      `openai-models-list: ${url}/none/models answered with status 404.`,
    ]);
    const closed = serve({});
    servers.pop()?.stop(true);
    expect((await discoverProvider(source("ollama", closed.url), undefined)).problem).toBe(
      `ollama: ${closed.url}/api/tags cannot be reached.`,
    );
  });

  test("waits 300 ms for a server nobody asked for, even one that answers drop by drop", async () => {
    const slow = () =>
      new Response(
        new ReadableStream({
          async pull(controller) {
            controller.enqueue(new TextEncoder().encode(" "));
            await Bun.sleep(20);
          },
        }),
      );
    const { url } = serve({ "/api/tags": slow });
    const before = performance.now();
    const found = await discoverProvider(source("ollama", url, { explicit: false }), undefined);
    expect(found).toEqual({
      provider: "ollama",
      models: [],
      problem: `ollama: ${url}/api/tags did not answer in time.`,
    });
    expect(performance.now() - before).toBeLessThan(1500);
  });

  test("keeps at most 500 models, each once, and none with an id that cannot be shown", async () => {
    const many = Array.from({ length: 600 }, (_, index) => ({ name: `m${index}` }));
    const bad = [
      { name: "\u001b[31mred" },
      { name: "two words" },
      { name: "x".repeat(201) },
      { name: "" },
      { name: 7 },
      null,
      { name: "m0" },
    ];
    const { url } = serve({ "/api/tags": { models: [...bad, ...many] } });
    const { models } = await discoverProvider(source("ollama", url), undefined);
    expect([models.length, new Set(models.map(({ id }) => id)).size, models[0]?.id]).toEqual([500, 500, "m0"]);
    expect([safeId("ok/one:2@q4"), safeId("a\u202eb"), safeId("a\nb")]).toEqual(["ok/one:2@q4", undefined, undefined]);
  });
});

describe("discoverySources", () => {
  test("are the usual local servers where nothing is configured (B-048)", () => {
    expect(discoverySources({ environment: {} })).toEqual([
      {
        provider: "lm-studio",
        type: "lm-studio",
        api: "openai-completions",
        baseUrl: "http://127.0.0.1:1234/v1",
        auth: "none",
        explicit: false,
      },
      {
        provider: "ollama",
        type: "ollama",
        api: "openai-responses",
        baseUrl: "http://127.0.0.1:11434",
        auth: "none",
        explicit: false,
      },
      {
        provider: "llama.cpp",
        type: "llama.cpp",
        api: "openai-responses",
        baseUrl: "http://127.0.0.1:8080",
        auth: "none",
        explicit: false,
      },
    ]);
  });

  test("follow the variables, the file and the disabled providers", () => {
    const file = modelsFileFrom(`providers:
  llama.cpp: { api: ollama-chat, auth: none, discovery: { type: llama.cpp } }
  gate: { baseUrl: "https://gate.test/v1", api: openai-completions, apiKey: K, headers: { X: y }, discovery: { type: openai-models-list } }
`);
    const environment = { OLLAMA_BASE_URL: "http://10.0.0.2:1/", LLAMA_CPP_BASE_URL: "http://127.0.0.1:9" };
    expect(discoverySources({ providers: file.providers, environment, disabledProviders: ["lm-studio"] })).toEqual([
      {
        provider: "llama.cpp",
        type: "llama.cpp",
        api: "ollama-chat",
        baseUrl: "http://127.0.0.1:9",
        auth: "none",
        explicit: true,
      },
      {
        provider: "gate",
        type: "openai-models-list",
        api: "openai-completions",
        baseUrl: "https://gate.test/v1",
        auth: "apiKey",
        explicit: true,
        headers: { X: "y" },
      },
      {
        provider: "ollama",
        type: "ollama",
        api: "openai-responses",
        baseUrl: "http://10.0.0.2:1/",
        auth: "none",
        explicit: true,
      },
    ]);
  });
});
