import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { resolveCompat } from "../../src/llm/compat.ts";
import { PROVIDERS, providerRow } from "../../src/llm/providers.ts";
import { defaultEffort, supportedEfforts } from "../../src/llm/thinking.ts";
import { builtInModels, builtInProviderModels } from "../../src/models/catalogue.ts";
import { DEFAULT_MODELS, defaultModelOf } from "../../src/models/default-models.ts";
import { type Model, model as modelSchema } from "../../src/protocol/models.ts";

const FOLDER = new URL("../../src/models/catalogue/", import.meta.url).pathname;
const files = readdirSync(FOLDER).filter((name) => name.endsWith(".json"));
const models = builtInModels();
const named = (model: Model) => `${model.provider}/${model.id}`;
const find = (provider: string, id: string) => models.find((model) => model.provider === provider && model.id === id);
const offenders = (broken: (model: Model) => boolean) => models.filter(broken).map(named);

describe("the files of the catalogue", () => {
  test("belong to a provider of the table and are loaded under its name", () => {
    for (const file of files) {
      const id = file.replace(".json", "");
      expect(providerRow(id)?.id).toBe(id);
      expect(builtInProviderModels(id).length).toBeGreaterThan(0);
    }
  });

  test("say nothing twice: each is the exact text of its own content", () => {
    for (const file of files) {
      const text = readFileSync(FOLDER + file, "utf8");
      expect(withoutLayout(text)).toBe(JSON.stringify(JSON.parse(text)));
    }
  });

  test("stay small together", () => {
    const bytes = files.reduce((sum, file) => sum + readFileSync(FOLDER + file).byteLength, 0);
    expect(bytes).toBeLessThan(80_000);
  });
});

describe("a built-in model", () => {
  test("has the form every other part of Ralph expects", () => {
    for (const model of models) expect(modelSchema.parse(model)).toEqual(model);
  });

  test("is listed once per provider", () => {
    const names = models.map(named);
    expect(names).toEqual([...new Set(names)]);
  });

  test("leaves room for a prompt beside the longest answer", () => {
    expect(offenders((model) => model.maxTokens >= model.contextWindow)).toEqual([]);
  });

  test("costs no more from the cache than fresh, and no more to read than to write", () => {
    const unsound = (prices: { input: number; output: number; cacheRead: number }) =>
      prices.cacheRead > prices.input || prices.input > prices.output || prices.input <= 0;
    expect(offenders(({ cost }) => cost !== undefined && [cost, ...(cost.tiers ?? [])].some(unsound))).toEqual([]);
  });

  test("gets dearer with every threshold, and a threshold lies inside the window", () => {
    const unsound = ({ cost, contextWindow }: Model) => {
      let [above, input] = [0, cost?.input ?? 0];
      return (cost?.tiers ?? []).some((tier) => {
        const bad = tier.above <= above || tier.input <= input || tier.above >= contextWindow;
        [above, input] = [tier.above, tier.input];
        return bad;
      });
    };
    expect(offenders(unsound)).toEqual([]);
  });

  test("has no price where a plan pays for it, and has one where tokens are billed", () => {
    const planned = (model: Model) => providerRow(model.provider)?.billing === "plan";
    expect(offenders((model) => planned(model) && model.cost !== undefined)).toEqual([]);
    const unpriced = offenders((model) => !planned(model) && model.cost === undefined);
    expect(unpriced.filter((name) => !name.startsWith("nvidia/"))).toEqual(["huggingface/openai/gpt-oss-120b"]);
  });

  test("that reasons says how it is asked to, and its default effort is one it has", () => {
    expect(offenders((model) => model.reasoning !== (model.thinking?.mode !== undefined))).toEqual([]);
    const stray = ({ thinking, ...rest }: Model) =>
      thinking?.defaultLevel !== undefined && !supportedEfforts({ ...rest, thinking }).includes(thinking.defaultLevel);
    expect(offenders(stray)).toEqual([]);
    expect(offenders((model) => !supportedEfforts(model).includes(defaultEffort(model)))).toEqual([]);
    expect(offenders((model) => model.reasoning && defaultEffort(model) === "off")).toEqual([]);
  });

  test("offers no two efforts that a chat endpoint would be told with the same word", () => {
    const repeats = (model: Model) => {
      const { reasoningEffortMap } = resolveCompat(model);
      const efforts = supportedEfforts(model).filter((effort) => effort !== "off");
      return new Set(efforts.map((effort) => reasoningEffortMap[effort] ?? effort)).size < efforts.length;
    };
    expect(offenders((model) => model.api === "openai-completions" && repeats(model))).toEqual([]);
  });

  test("with a small window names a larger model of its provider to promote to", () => {
    const sparks = models.filter((model) => model.id.endsWith("-spark"));
    expect(sparks.map(named)).toEqual([
      "openai-codex/gpt-5.3-codex-spark",
      "openai/gpt-5.3-codex-spark",
      "azure-openai/gpt-5.3-codex-spark",
    ]);
    for (const spark of sparks) {
      const target = find(spark.provider, spark.contextPromotionTarget ?? "");
      expect(target?.contextWindow).toBeGreaterThan(spark.contextWindow);
    }
  });
});

describe("looking up built-in models", () => {
  test("one provider's models are the same as its part of all models", () => {
    for (const { id } of PROVIDERS) {
      expect(builtInProviderModels(id)).toEqual(models.filter((model) => model.provider === id));
    }
  });

  test("a provider that is unknown or discovers its models has none", () => {
    for (const id of ["ollama", "scripted", "nobody", "__proto__"]) expect(builtInProviderModels(id)).toEqual([]);
  });

  test("a row is completed from its file's defaults and its provider", () => {
    expect(find("anthropic", "claude-haiku-4-5")).toEqual({
      provider: "anthropic",
      id: "claude-haiku-4-5",
      name: "Claude Haiku 4.5",
      api: "anthropic-messages",
      baseUrl: "https://api.anthropic.com",
      auth: "apiKey",
      reasoning: true,
      tools: true,
      input: ["text", "image", "pdf"],
      contextWindow: 200_000,
      maxTokens: 64_000,
      thinking: { mode: "budget", minLevel: "low" },
      cost: { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 },
    });
    expect(find("opencode-go", "minimax-m3")).toEqual({
      provider: "opencode-go",
      id: "minimax-m3",
      name: "MiniMax M3",
      api: "anthropic-messages",
      baseUrl: "https://opencode.ai/zen/go",
      auth: "apiKey",
      reasoning: true,
      tools: true,
      input: ["text", "image"],
      contextWindow: 1_000_000,
      maxTokens: 131_072,
      thinking: { mode: "budget", minLevel: "low" },
      cost: { input: 0.3, output: 1.2, cacheRead: 0.06, cacheWrite: 0.3 },
      disableStrictTools: true,
    });
  });

  test("the models the documents name are all there, with the efforts they promise", () => {
    const efforts = (provider: string, id: string) => {
      const model = find(provider, id);
      return model === undefined ? undefined : supportedEfforts(model).join(" ");
    };
    expect(
      ["claude-fable-5", "claude-opus-4-8", "claude-opus-4-7", "claude-sonnet-4-6", "claude-haiku-4-5"].map((id) =>
        efforts("anthropic", id),
      ),
    ).toEqual([
      "off low medium high xhigh max",
      "off low medium high xhigh max",
      "off low medium high xhigh max",
      "off low medium high max",
      "off low medium high",
    ]);
    expect(["gpt-5.5", "gpt-5.4", "gpt-5.4-mini", "gpt-5.3-codex", "o3"].map((id) => efforts("openai", id))).toEqual([
      "off low medium high xhigh",
      "off low medium high xhigh",
      "off low medium high xhigh",
      "off low medium high xhigh",
      "off low medium high",
    ]);
    expect(efforts("openai-codex", "gpt-5.5")).toBe("off low medium high xhigh");
    expect(efforts("amazon-bedrock", "us.anthropic.claude-opus-4-6-v1")).toBe("off low medium high max");
  });

  test("long prompts are dearer where the vendor says so", () => {
    const thresholds = (provider: string, id: string) => find(provider, id)?.cost?.tiers?.map((tier) => tier.above);
    expect(thresholds("openai", "gpt-5.5")).toEqual([272_000]);
    expect(thresholds("google", "gemini-3.1-pro-preview")).toEqual([200_000]);
    expect(thresholds("xai", "grok-4.3")).toEqual([200_000]);
  });
});

describe("the default model of a provider", () => {
  test("is one of the provider's built-in models", () => {
    const missing = Object.entries(DEFAULT_MODELS).filter(([provider, id]) => find(provider, id) === undefined);
    expect(missing).toEqual([]);
  });

  test("exists for every provider with built-in models and for no other", () => {
    const providers = [...new Set(models.map((model) => model.provider))];
    expect(Object.keys(DEFAULT_MODELS).sort()).toEqual(providers.sort());
    for (const id of ["ollama", "toString"]) expect(defaultModelOf(id)).toBeUndefined();
  });

  test("can call tools and reason", () => {
    const weak = Object.entries(DEFAULT_MODELS).filter(([provider, id]) => {
      const model = find(provider, id);
      return !(model?.tools && model.reasoning);
    });
    expect(weak).toEqual([]);
  });
});

function withoutLayout(json: string): string {
  return json.replace(/("(?:[^"\\]|\\.)*")|\s+/g, "$1");
}
