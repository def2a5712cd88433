import { PROVIDERS, type ProviderRow, providerRow } from "../llm/providers.ts";
import type { Cost, Model } from "../protocol/models.ts";
import amazonBedrock from "./catalogue/amazon-bedrock.json" with { type: "text" };
import anthropic from "./catalogue/anthropic.json" with { type: "text" };
import cerebras from "./catalogue/cerebras.json" with { type: "text" };
import deepseek from "./catalogue/deepseek.json" with { type: "text" };
import fireworks from "./catalogue/fireworks.json" with { type: "text" };
import google from "./catalogue/google.json" with { type: "text" };
import groq from "./catalogue/groq.json" with { type: "text" };
import huggingface from "./catalogue/huggingface.json" with { type: "text" };
import kimiCode from "./catalogue/kimi-code.json" with { type: "text" };
import minimax from "./catalogue/minimax.json" with { type: "text" };
import minimaxCode from "./catalogue/minimax-code.json" with { type: "text" };
import mistral from "./catalogue/mistral.json" with { type: "text" };
import moonshot from "./catalogue/moonshot.json" with { type: "text" };
import nvidia from "./catalogue/nvidia.json" with { type: "text" };
import openai from "./catalogue/openai.json" with { type: "text" };
import openaiCodex from "./catalogue/openai-codex.json" with { type: "text" };
import opencodeGo from "./catalogue/opencode-go.json" with { type: "text" };
import openrouter from "./catalogue/openrouter.json" with { type: "text" };
import qwen from "./catalogue/qwen.json" with { type: "text" };
import together from "./catalogue/together.json" with { type: "text" };
import vercelAiGateway from "./catalogue/vercel-ai-gateway.json" with { type: "text" };
import xai from "./catalogue/xai.json" with { type: "text" };
import xiaomi from "./catalogue/xiaomi.json" with { type: "text" };
import zai from "./catalogue/zai.json" with { type: "text" };

// The models Ralph knows without asking anybody. The rows are imported as text, so a program that uses one provider parses
// that provider's rows and no others.

/** Every built-in model: providers in the order of their table, a provider's best choices first. */
export function builtInModels(): Model[] {
  return PROVIDERS.flatMap(modelsOf);
}

/** The built-in models of one provider; none for a provider that is unknown or lists its models itself. */
export function builtInProviderModels(providerId: string): Model[] {
  const provider = providerRow(providerId);
  return provider === undefined ? [] : modelsOf(provider);
}

/**
 * Text by provider. The compiler sees the parsed form of a JSON import whatever `type` says, hence `unknown`.
 * Providers that sell the same models at the same prices share a file.
 */
const SOURCES: Readonly<Record<string, unknown>> = {
  "amazon-bedrock": amazonBedrock,
  anthropic,
  "azure-openai": openai,
  cerebras,
  deepseek,
  fireworks,
  google,
  "google-vertex": google,
  groq,
  huggingface,
  "kimi-code": kimiCode,
  minimax,
  "minimax-cn": minimax,
  "minimax-code": minimaxCode,
  "minimax-code-cn": minimaxCode,
  mistral,
  moonshot,
  nvidia,
  openai,
  "openai-codex": openaiCodex,
  "opencode-go": opencodeGo,
  openrouter,
  qwen,
  together,
  "vercel-ai-gateway": vercelAiGateway,
  xai,
  xiaomi,
  zai,
};

interface Prices {
  input: number;
  output: number;
  cacheRead?: number;
  cacheWrite?: number;
}

/** What a file says of a model: only what differs from `defaults`. */
type Row = Omit<Model, "provider" | "id" | "cost"> & { cost?: Prices & { tiers?: (Prices & { above: number })[] } };

interface CatalogueFile {
  defaults: Partial<Row>;
  models: Record<string, Partial<Row>>;
}

function modelsOf(provider: ProviderRow): Model[] {
  const text = SOURCES[provider.id];
  if (typeof text !== "string") return [];
  const { defaults, models } = JSON.parse(text) as CatalogueFile;
  return Object.entries(models).map(([id, row]) => modelOf({ provider, id, defaults, row }));
}

interface Ingredients {
  provider: ProviderRow;
  id: string;
  defaults: Partial<Row>;
  row: Partial<Row>;
}

function modelOf({ provider, id, defaults, row }: Ingredients): Model {
  const { thinking: _thinking, compat: _compat, cost, ...fields } = { ...defaults, ...row };
  const model = { ...providerFields(provider), id, ...fields } as Model;
  const compat = { ...provider.compat, ...defaults.compat, ...row.compat };
  if (Object.keys(compat).length > 0) model.compat = compat;
  if (model.reasoning) model.thinking = { ...defaults.thinking, ...row.thinking };
  if (cost !== undefined) model.cost = costOf(cost);
  return model;
}

function providerFields(provider: ProviderRow): Partial<Model> {
  return {
    provider: provider.id,
    api: provider.api,
    baseUrl: provider.baseUrl,
    auth: provider.auth ?? "apiKey",
    reasoning: false,
    tools: true,
    input: ["text"],
    ...(provider.headers === undefined ? {} : { headers: { ...provider.headers } }),
    ...(provider.disableStrictTools === undefined ? {} : { disableStrictTools: provider.disableStrictTools }),
  };
}

function costOf({ tiers, ...prices }: NonNullable<Row["cost"]>): Cost {
  const cost: Cost = fullPrices(prices);
  if (tiers !== undefined) cost.tiers = tiers.map((tier) => ({ above: tier.above, ...fullPrices(tier) }));
  return cost;
}

/** Cached tokens without a price of their own are billed as any other input. */
function fullPrices({ input, output, cacheRead = input, cacheWrite = input }: Prices): Omit<Cost, "tiers"> {
  return { input, output, cacheRead, cacheWrite };
}
