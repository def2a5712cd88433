import { describe, expect, test } from "bun:test";
import { builtInModels } from "../../src/models/catalogue.ts";
import { promotionTarget } from "../../src/models/context-promotion.ts";
import { selectorOf } from "../../src/models/merge.ts";
import { listModels } from "../../src/models/model-list.ts";
import { model as modelSchema } from "../../src/protocol/models.ts";
import { modelNamed, modelsFileFrom, registryWith } from "../support/model-fixtures.ts";

const OPUS = modelNamed("anthropic/claude-opus-5", {
  reasoning: true,
  contextWindow: 1_000_000,
  headers: { "X-Row": "1" },
});
const RESOLD = modelNamed("openrouter/anthropic/claude-opus-5", {
  compat: { openRouterRouting: { order: ["a"] }, supportsStore: false },
});
const BUILT_INS = [OPUS, RESOLD];

describe("the order in which models are merged (B-043)", () => {
  test("keeps built-in models where nothing is configured", () => {
    expect(registryWith({ builtIns: BUILT_INS }).getAll()).toEqual(BUILT_INS);
  });

  test("lays a provider's entry over its built-in models, then modelOverrides", () => {
    const file = modelsFileFrom(`providers:
  anthropic:
    baseUrl: https://proxy.test
    headers: { x-row: "2", X-Team: t }
    disableStrictTools: true
    cacheRetention: long
    authHeader: true
    requestTransform: { extraBody: { a: 1 } }
    modelOverrides:
      claude-opus-5: { name: Mine, cacheRetention: none, contextWindow: 10, headers: { X-Team: u }, requestTransform: { extraBody: { b: 2 } } }
`);
    expect(registryWith({ builtIns: BUILT_INS, file }).getAll()).toEqual([
      {
        ...OPUS,
        baseUrl: "https://proxy.test",
        headers: { "x-row": "2", "X-Team": "u" },
        disableStrictTools: true,
        authHeader: true,
        cacheRetention: "none",
        requestTransform: { extraBody: { a: 1, b: 2 } },
        name: "Mine",
        contextWindow: 10,
      },
      RESOLD,
    ]);
  });

  test("replaces a built-in model of the same provider and id, and appends others", () => {
    const file = modelsFileFrom(`providers:
  anthropic:
    baseUrl: https://proxy.test
    apiKey: KEY
    api: openai-completions
    models:
      - { id: claude-opus-5, name: Mine, api: openai-responses, wireModelId: upstream }
      - { id: qwen-new, maxTokens: 7, cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 } }
`);
    const custom = {
      provider: "anthropic",
      baseUrl: "https://proxy.test",
      auth: "apiKey" as const,
      input: ["text" as const],
    };
    expect(registryWith({ builtIns: BUILT_INS, file }).getAll()).toEqual([
      {
        ...custom,
        id: "claude-opus-5",
        name: "Mine",
        api: "openai-responses",
        wireModelId: "upstream",
        reasoning: true,
        tools: true,
        contextWindow: 1_000_000,
        maxTokens: 16_384,
      },
      RESOLD,
      {
        ...custom,
        id: "qwen-new",
        name: "qwen-new",
        api: "openai-completions",
        reasoning: false,
        tools: true,
        thinkingTags: true,
        contextWindow: 32_768,
        maxTokens: 7,
        cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 },
      },
    ]);
  });

  test("adds discovered models last and applies the overrides to them too", () => {
    const file = modelsFileFrom(
      "providers:\n  ollama:\n    headers: {X: y}\n    modelOverrides:\n      llama3:8b: {name: Llama, contextWindow: 5}\n",
    );
    const discovered = [modelNamed("ollama/llama3:8b"), { ...OPUS, name: "not this one" }];
    expect(registryWith({ builtIns: BUILT_INS, file, discovered }).getAll()).toEqual([
      ...BUILT_INS,
      { ...modelNamed("ollama/llama3:8b"), headers: { X: "y" }, name: "Llama", contextWindow: 5 },
    ]);
  });

  test("deep-merges the routing blocks and extraBody of compat (B-047)", () => {
    const file = modelsFileFrom(`providers:
  openrouter:
    compat: { openRouterRouting: { only: [x] }, extraBody: { a: 1, b: 1 } }
    modelOverrides:
      anthropic/claude-opus-5:
        compat: { extraBody: { b: 2 }, supportsStore: true }
`);
    expect(registryWith({ builtIns: [RESOLD], file }).getAll()[0]?.compat).toEqual({
      openRouterRouting: { order: ["a"], only: ["x"] },
      extraBody: { a: 1, b: 2 },
      supportsStore: true,
    });
  });

  test("overrides single prices of a known price list and makes none out of a part", () => {
    const cost = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 };
    const file = modelsFileFrom("providers: {p: {modelOverrides: {a: {cost: {input: 9}}, b: {cost: {input: 9}}}}}");
    const builtIns = [modelNamed("p/a", { cost }), modelNamed("p/b")];
    const costs = registryWith({ builtIns, file })
      .getAll()
      .map((model) => model.cost);
    expect(costs).toEqual([{ ...cost, input: 9 }, undefined]);
  });

  test("lets a model's headers win over its provider's, whatever their case (B-047)", () => {
    const file = modelsFileFrom(
      "providers: {p: {baseUrl: 'https://p', auth: none, api: ollama-chat, headers: {X-A: '1', X-B: '1'}, models: [{id: m, headers: {x-a: '2'}}]}}",
    );
    expect(registryWith({ file }).getAll()[0]?.headers).toEqual({ "X-B": "1", "x-a": "2" });
  });

  test("takes providers that extensions register, and lets models.yml win over them (B-049)", () => {
    const entry = {
      baseUrl: "https://extension.test",
      auth: "none" as const,
      api: "openai-completions" as const,
      models: [{ id: "m" }],
    };
    const file = modelsFileFrom(
      "providers: {b: {baseUrl: 'https://file.test', auth: none, api: ollama-chat, models: [{id: m}]}}",
    );
    const found = registryWith({ extensionProviders: { a: entry, b: entry }, file }).getAll();
    expect(found.map(({ provider, baseUrl }) => [provider, baseUrl])).toEqual([
      ["a", "https://extension.test"],
      ["b", "https://file.test"],
    ]);
  });

  test("makes models that keep the schema of a model, built-in or not", () => {
    const file = modelsFileFrom(
      "providers: {p: {baseUrl: 'https://p', apiKey: K, api: openai-completions, models: [{id: m}]}}",
    );
    for (const model of registryWith({ builtIns: builtInModels(), file }).getAll())
      expect(modelSchema.safeParse(model).success).toBe(true);
  });
});

describe("canonical names (B-045)", () => {
  const builtIns = [
    modelNamed("anthropic/claude-sonnet-4-6"),
    modelNamed("openai/gpt-5.5"),
    modelNamed("openrouter/anthropic/claude-sonnet-4.6"),
    modelNamed("openrouter/openai/gpt-5.5"),
    modelNamed("openrouter/someone/gpt-5.5"),
    modelNamed("openrouter/openai/gpt-5-5"),
    modelNamed("proxy/claude-sonnet-4.6"),
    modelNamed("proxy/claude-sonnet-4"),
  ];

  test("groups by user override, official id, and narrow rewriting that ends at an official id", () => {
    const file = modelsFileFrom(
      "equivalence: {overrides: {proxy/claude-sonnet-4: claude-sonnet-4-6}, exclude: [proxy/claude-sonnet-4.6]}",
    );
    const { canonical, getAll } = registryWith({ builtIns, file });
    expect(getAll().map((model) => [selectorOf(model), canonical.idOf(model)])).toEqual([
      ["anthropic/claude-sonnet-4-6", "claude-sonnet-4-6"],
      ["openai/gpt-5.5", "gpt-5.5"],
      ["openrouter/anthropic/claude-sonnet-4.6", "claude-sonnet-4-6"],
      ["openrouter/openai/gpt-5.5", "gpt-5.5"],
      ["openrouter/someone/gpt-5.5", "someone/gpt-5.5"],
      ["openrouter/openai/gpt-5-5", "openai/gpt-5-5"],
      ["proxy/claude-sonnet-4.6", undefined],
      ["proxy/claude-sonnet-4", "claude-sonnet-4-6"],
    ]);
    expect(canonical.variants("claude-sonnet-4-6").map(selectorOf)).toEqual([
      "anthropic/claude-sonnet-4-6",
      "openrouter/anthropic/claude-sonnet-4.6",
      "proxy/claude-sonnet-4",
    ]);
  });

  test("resolve by availability, then modelProviderOrder, then registry order (B-046)", () => {
    const chosen = (keys: string[], modelProviderOrder: string[] = []) => {
      const scope = { enabledModels: [], disabledProviders: [], modelProviderOrder };
      const registry = registryWith({ builtIns, keys, scope });
      const model = registry.preferred(registry.canonical.variants("claude-sonnet-4-6"));
      return model && selectorOf(model);
    };
    expect([
      chosen(["anthropic", "openrouter"]),
      chosen(["openrouter"]),
      chosen(["anthropic", "openrouter"], ["openrouter"]),
      chosen(["anthropic"], ["openrouter"]),
      chosen([]),
    ]).toEqual([
      "anthropic/claude-sonnet-4-6",
      "openrouter/anthropic/claude-sonnet-4.6",
      "openrouter/anthropic/claude-sonnet-4.6",
      "anthropic/claude-sonnet-4-6",
      "anthropic/claude-sonnet-4-6",
    ]);
  });

  test("are listed beside the concrete models (B-057)", () => {
    const registry = registryWith({ builtIns: builtIns.slice(0, 3), keys: ["openrouter"] });
    expect(listModels(registry, "sonnet")).toEqual({
      canonical: [
        {
          id: "claude-sonnet-4-6",
          resolvesTo: "openrouter/anthropic/claude-sonnet-4.6",
          variants: ["anthropic/claude-sonnet-4-6", "openrouter/anthropic/claude-sonnet-4.6"],
          available: true,
        },
      ],
      concrete: [
        {
          selector: "anthropic/claude-sonnet-4-6",
          model: modelNamed("anthropic/claude-sonnet-4-6"),
          whyNot: "No key for anthropic.",
        },
        {
          selector: "openrouter/anthropic/claude-sonnet-4.6",
          model: modelNamed("openrouter/anthropic/claude-sonnet-4.6"),
        },
      ],
    });
  });
});

describe("availability (B-052)", () => {
  const builtIns = [modelNamed("a/one"), modelNamed("a/two"), modelNamed("b/one"), modelNamed("c/one")];
  const scope = { enabledModels: ["one"], disabledProviders: ["b"], modelProviderOrder: [] };
  const registry = registryWith({ builtIns, scope, keys: ["a", "b"] });

  test("separates all models from those that can be used", () => {
    expect(registry.getAll()).toEqual(builtIns);
    expect(registry.getAvailable().map(selectorOf)).toEqual(["a/one"]);
  });

  test("explains why a model cannot be used", () => {
    expect(builtIns.map((model) => registry.whyUnavailable(model))).toEqual([
      undefined,
      { type: "not-enabled", message: "a/two is not among enabledModels. Add it there in config.yml to use it." },
      {
        type: "disabled-provider",
        message: "The provider b is disabled here. Remove it from disabledProviders in config.yml to use it.",
      },
      { type: "no-credential", message: "No key for c.", variables: ["C_KEY"] },
    ]);
  });

  test("expands a canonical id in enabledModels to all its variants, and keeps provider/model exact (B-056)", () => {
    const enabled = (patterns: string[]) =>
      registryWith({ builtIns, scope: { ...scope, enabledModels: patterns, disabledProviders: [] } })
        .getAvailable()
        .map(selectorOf);
    expect([enabled(["one"]), enabled(["c/one"]), enabled(["a/*"]), enabled(["tw"]), enabled(["nothing"])]).toEqual([
      ["a/one", "b/one", "c/one"],
      ["c/one"],
      ["a/one", "a/two"],
      ["a/two"],
      [],
    ]);
  });
});

describe("promotionTarget (B-058)", () => {
  const spark = modelNamed("p/spark", { contextWindow: 10 });
  const middle = modelNamed("p/middle", { contextWindow: 20 });
  const large = modelNamed("p/large", { contextWindow: 30 });
  const other = modelNamed("q/large", { contextWindow: 15 });
  const otherApi = modelNamed("p/api", { contextWindow: 15, api: "openai-responses" });
  const builtIns = [spark, large, middle, other, otherApi];

  test("is the smallest larger window at the same provider and API", () => {
    expect(promotionTarget(registryWith({ builtIns }), spark)).toEqual(middle);
    expect(promotionTarget(registryWith({ builtIns }), large)).toBeUndefined();
  });

  test("is what the model's row names, with or without a provider, where it can be used", () => {
    const named = (contextPromotionTarget: string, keys?: string[]) =>
      promotionTarget(registryWith({ builtIns, keys }), { ...spark, contextPromotionTarget });
    expect([named("large"), named("q/large"), named("q/large", ["p"]), named("nothing", [])]).toEqual([
      large,
      other,
      middle,
      undefined,
    ]);
  });
});
